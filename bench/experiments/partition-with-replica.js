/**
 * Partitions of more than one node: the hosts of the primary and of a replica cannot reach the third one.
 */

import { aftermath } from '../../src/run/aftermath.js';
import { hostsByAddress } from '../../src/stacks/network/hosts.js';
import { WHOLE_MODES } from '../modes.js';
import { failureCases, LONG_SECONDS, PLACED_WRITERS } from './cases.js';
import { DECIDING_MODES, GROUP_SCENARIO, groupCases, hostsIn, separate, separateWithReplica } from './groups.js';
import { COLOCATED } from './placement.js';

/**
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 */

/** Cases with a placement of their own. Three nodes with a Sentinel each have no majority of the Sentinels without two of the nodes. */
export const ALL_COLOCATED = Object.freeze({
  variant: COLOCATED,
  size: Object.freeze({ placement: /** @type {const} */ ('colocated') }),
});

/** One goes along with the primary, another one stays on the other side. */
const LEAST_REPLICAS = 2;

/** @satisfies {Partial<TrialBenchmark>} */
const WITH_REPLICA = Object.freeze({
  ...GROUP_SCENARIO,
  whyNotCase: /** @type {NonNullable<TrialBenchmark['whyNotCase']>} */ (
    async (theCase, stack) => {
      const { nodes, backend } = stack;
      const { replicas = nodes.filter(({ kind }) => kind === 'redis').length - 1, variant } = theCase.params;
      if (variant === COLOCATED && backend === 'external' && hostsByAddress(nodes, nodes[0].id) !== null)
        return 'Its addresses say which Sentinel is on which host. Try another placement with `--placement colocated`.';
      if (replicas >= LEAST_REPLICAS) return (await GROUP_SCENARIO.whyNotCase(theCase, stack)) ?? null;
      return 'One replica goes along with the primary, and another one has to be on the other side. Measure it with `--replicas 2`.';
    }
  ),
});

/** Far longer than a failover takes. */
const SECONDS = 15;
/** Lasts for {@link LONG_SECONDS}. */
const LONG = 'long';

const GROUPS =
  'The hosts of the primary and of one replica, with a minority of the Sentinels and a client, cannot reach the third host, which has the majority of ' +
  'the Sentinels (placement “apart”). Of more replicas all but one are with the primary, if the Sentinels on the other side can promote that one. ';
/** A replica’s link sends again what was lost at growing intervals. */
const BACK_WITHIN_SECONDS = 30;

const CLIENTS = 'One client is with the primary, one with the third host, and one reaches every node. ';

/** @type {TrialBenchmark} */
export const partitionWithReplica = {
  ...WITH_REPLICA,
  name: 'partition-with-replica',
  question: 'What is lost when a partition takes one replica along with the primary?',
  method: `${GROUPS}${CLIENTS}After ${SECONDS} s the partition heals (in a variant after ${LONG_SECONDS} s), and the writers continue until the old primary is demoted. In the variant “Sentinels colocated” one Sentinel is beside each node.`,
  cases: (options) => [
    ...groupCases(options, { writers: PLACED_WRITERS }),
    ...(options.profile.name === 'quick'
      ? []
      : [
          ...failureCases(options, { modes: DECIDING_MODES, writers: PLACED_WRITERS, variant: LONG }),
          ...failureCases(options, { modes: WHOLE_MODES, writers: PLACED_WRITERS, ...ALL_COLOCATED }),
        ]),
  ],
  script: (scene, theCase) =>
    partition(scene, theCase, { seconds: theCase.params.variant === LONG ? LONG_SECONDS : SECONDS }),
};

/** Only the host of the primary is cut off. */
const ALONE = 'primary-alone';

/** @type {TrialBenchmark} */
export const partitionOneWay = {
  ...WITH_REPLICA,
  name: 'partition-one-way',
  question: 'What is lost when only one direction of the network fails between two hosts and the third?',
  method: `${GROUPS}Only what they send is lost; what the third host sends arrives. ${CLIENTS}After ${SECONDS} s it heals, and the writers continue until the old primary is demoted. In the variant “primary’s host alone” both replicas are on the other side.`,
  profiles: ['standard', 'full'],
  cases: (options) => [
    ...groupCases(options, { writers: PLACED_WRITERS }),
    ...failureCases(options, { modes: DECIDING_MODES, writers: PLACED_WRITERS, variant: ALONE }),
  ],
  script: (scene, theCase) =>
    partition(scene, theCase, {
      seconds: SECONDS,
      oneWay: true,
      ...(theCase.params.variant === ALONE && { divide: separateAlone }),
    }),
};

/** @type {typeof separateWithReplica} */
function separateAlone(scene, hosts, how) {
  return separate(scene, hosts, { ...how, away: 1 });
}

/** Long enough for a failover each time. */
const LOST_BEYOND_DOWN_AFTER_MS = 2000;
const WELL_MS = 1000;
const TIMES = 3;

/** @type {TrialBenchmark} */
export const partitionFlapping = {
  ...WITH_REPLICA,
  name: 'partition-flapping',
  question: 'What is lost when a partition that takes a replica along with the primary comes and goes?',
  method:
    `${GROUPS}The partition comes ${TIMES} times, each time ${LOST_BEYOND_DOWN_AFTER_MS / 1000} s longer than down-after, with ${WELL_MS / 1000} s in between. ` +
    `${CLIENTS}The writers continue until the old primary is demoted.`,
  profiles: ['standard', 'full'],
  cases: (options) => groupCases(options, { writers: PLACED_WRITERS }),
  script: (scene, theCase) => {
    const flapping = { lostMs: scene.downAfterMs + LOST_BEYOND_DOWN_AFTER_MS, wellMs: WELL_MS };
    // Not to its very end: the script undoes the last one itself.
    const seconds = (TIMES * (flapping.lostMs + WELL_MS) - WELL_MS) / 1000 - 0.2;
    return partition(scene, theCase, { seconds, flapping });
  },
};

/**
 * @param {Scene} scene
 * @param {Case} theCase
 * @param {Parameters<typeof separateWithReplica>[2] & {seconds: number, divide?: typeof separateWithReplica}} how seconds: how long it lasts; divide:
 *   default: with a replica
 */
async function partition(scene, { params }, { seconds, divide = separateWithReplica, ...how }) {
  const { profile, write } = scene;
  await write(profile.healthySeconds);
  const undo = await divide(scene, hostsIn(scene, params, 'apart'), how);
  await write(seconds);
  await undo();
  // Where nobody was promoted, modes that ask for every replica write again when the last one is back.
  await scene.until(async () => scene.switched() || (await everyReplicaFollows(scene)), BACK_WITHIN_SECONDS);
  await aftermath(scene);
}

/**
 * @param {Pick<Scene, 'info' | 'primary' | 'replicas'>} scene
 * @returns {Promise<boolean>} the primary has just heard from each of them
 */
async function everyReplicaFollows({ info, primary, replicas }) {
  // Each as `ip=…,port=…,state=online,offset=…,lag=0`, in whole seconds; Valkey adds `,type=replica`.
  const followers = Object.entries(await info(primary.id, 'replication')).filter(([key]) => /^slave\d+$/.test(key));
  return followers.filter(([, state]) => /state=online,.*lag=[01](,|$)/.test(state)).length === replicas.length;
}
