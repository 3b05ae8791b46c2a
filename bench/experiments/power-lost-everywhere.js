/**
 * All nodes lose power at once, as in one rack or one building: no replica is left that has what the primary's disk had not flushed.
 */
import { powerLoss } from '../../src/faults/index.js';
import { AFTER_RESTART_SECONDS, healthyLoad, whyNoPowerLoss } from './primary-power-lost.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'power-lost-everywhere',
  needs: powerLoss.needs,
  disks: 'all',
  late: true,
  whyNot: (_theCase, stack) => whyNoPowerLoss(stack),
  // The primary first, because nothing is acknowledged without it.
  steps: [{ at: 0, fault: powerLoss, on: 'nodes', lasts: 0 }],
  course: { before: healthyLoad, after: AFTER_RESTART_SECONDS },
};
