/** Experiments that are a few steps, and nothing else. */
import { groupPartition, kill, NETWORK, pause, restart, slowLink } from '../../src/faults/index.js';
import { between, PROMOTED } from '../../src/run/perform.js';
import { hostsIn, WITH_GROUPS, whyNotWithinHost } from './groups.js';
import { BEHIND_SECONDS } from './stale-replica-preferred.js';

/** @import { Performed } from './types.js' */

/** Only one replica confirms writes for so long. */
const ALONE_SECONDS = 8;
/** The time without a replica. */
const GONE_SECONDS = 3;
const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;
const CUT_OFF_SECONDS = 15;
/** Longer than two intervals of the primary's snapshots, so that one of them lies behind. */
const SAVED_SECONDS = 8;

/** @type {readonly Performed[]} */
export default [
  {
    ...WITH_GROUPS,
    id: 'confirming-replica-lost',
    needs: ['group-partition', 'kill'],
    promotes: true,
    steps: [
      // Not shorter: the kernel of this machine still has what the killed primary had sent, and would deliver it.
      { at: 0, fault: between('replica-2', 'primary'), until: PROMOTED },
      { at: ALONE_SECONDS, fault: kill, on: 'replica-1', until: PROMOTED },
      { at: ALONE_SECONDS, fault: kill, until: PROMOTED },
    ],
  },
  {
    id: 'host-partitioned',
    needs: ['group-partition'],
    promotes: true,
    steps: [{ at: 0, fault: ownHostAlone, until: PROMOTED }],
  },
  {
    id: 'primary-restarted-empty',
    needs: ['kill'],
    late: true,
    steps: [{ at: 0, fault: restart, lasts: 0 }],
    course: {
      before: ({ healthySeconds }, { settings, replicaSettings }) =>
        replicaSettings && settings?.save ? Math.max(healthySeconds, SAVED_SECONDS) : healthySeconds,
      after: 3,
    },
  },
  {
    id: 'replica-frozen-then-primary',
    needs: ['pause', 'kill'],
    promotes: true,
    steps: [
      { at: 0, fault: pause, on: 'replica-1', until: { event: { begun: 1 } } },
      { at: BEHIND_SECONDS, fault: kill, until: PROMOTED },
    ],
  },
  {
    id: 'replica-killed',
    needs: kill.needs,
    steps: [{ at: 0, fault: kill, on: 'replica-1', lasts: GONE_SECONDS }],
    course: { after: 'healthy' },
  },
  {
    id: 'replica-slow',
    needs: ['slow-link'],
    oneLane: true,
    steps: [{ at: 0, fault: slowLink(SLOW), on: 'replica-1', lasts: SLOW_SECONDS }],
    course: { after: 'healthy' },
  },
  {
    id: 'sentinel-killed',
    needs: kill.needs,
    promotes: true,
    steps: [
      { at: 'before', fault: kill, on: 'sentinel-1', prepares: true },
      { at: 0, fault: kill, until: PROMOTED },
    ],
  },
  {
    ...WITH_GROUPS,
    id: 'sentinels-cut-off',
    whyNot: whyNotWithinHost,
    promotes: true,
    steps: [{ at: 0, fault: between('primary', 'sentinels'), lasts: CUT_OFF_SECONDS }],
  },
];

/** @type {import('../../src/run/perform.js').ChooseFault} */
function ownHostAlone(scene, params) {
  const [own, ...others] = hostsIn(scene, params, 'colocated');
  return { fault: groupPartition({ groups: [own, others.flat()] }), target: NETWORK };
}
