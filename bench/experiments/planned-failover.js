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

/** @type {import('./types.js').Performed} */
export default {
  id: 'planned-failover',
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
