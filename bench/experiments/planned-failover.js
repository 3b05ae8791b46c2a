import { coordinatedFailover, failover } from '../../src/faults/index.js';
import { whySkipped } from '../../src/run/abilities.js';
import { safeFailover, whyNoScript } from './failover-script.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Ability } from '../../src/stacks/types.js'
 */

const SWITCH_SECONDS = 20;
export const BY_HAND = 'by-hand';
export const COORDINATED = 'coordinated';
/** Beside what every case needs. @type {Ability} */
const COORDINATED_NEEDS = 'coordinated-failover';
/** By way; else a bare SENTINEL FAILOVER. @type {Readonly<Record<string, Fault>>} */
const FAULT_OF = { [BY_HAND]: safeFailover, [COORDINATED]: coordinatedFailover };

/** @type {import('./types.js').Experiment} */
export default {
  id: 'planned-failover',
  title: 'SENTINEL FAILOVER',
  explained: 'this command, bare, while all is well; nothing else fails',
  question: 'Is SENTINEL FAILOVER safe on a healthy deployment?',
  method: 'A Sentinel is sent SENTINEL FAILOVER; the writers continue until the old primary is a replica.',
  varied:
    'The variant “by runbook” runs ' +
    'examples/planned-failover.sh: the primary holds writes until the replicas have all of them, becomes a replica, and only then the ' +
    'Sentinel is asked. In the variant “coordinated” the Sentinel has the primary hand over (SENTINEL FAILOVER … COORDINATED; ' +
    'Valkey 9.0 and later).',
  perYear: 0,
  ways: {
    [BY_HAND]: {
      title: 'by runbook',
      fault: 'failover by runbook',
      explained: 'by the script under “What to do”',
      question: 'Does the runbook for a planned failover save every acknowledged write?',
      method:
        'By examples/planned-failover.sh: the primary holds writes, becomes a replica, and then a Sentinel is asked.',
      perYear: 52,
    },
    [COORDINATED]: {
      title: 'coordinated',
      fault: 'coordinated failover',
      explained: 'SENTINEL FAILOVER … COORDINATED',
      question: 'Which acknowledged writes are lost when a Sentinel has the primary hand over?',
      method:
        'A Sentinel gets SENTINEL FAILOVER … COORDINATED while clients write. The primary holds writes until a replica has all of them.',
      needs: [COORDINATED_NEEDS],
      perYear: 0,
    },
  },
  needs: ['failover'],
  async whyNot({ params: { way } }, stack) {
    if (way === BY_HAND) return whyNoScript(stack);
    return way === COORDINATED && !stack.can.has(COORDINATED_NEEDS) ? whySkipped(stack, [COORDINATED_NEEDS]) : null;
  },
  promotes: true,
  steps: (_, { way = '' }) => [
    { at: 0, fault: FAULT_OF[way] ?? failover, until: { event: 'promoted', within: SWITCH_SECONDS } },
  ],
};
