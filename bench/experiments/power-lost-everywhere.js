/**
 * All nodes lose power at once, as in one rack or one building: no replica is left that has what the primary's disk had not flushed.
 */
import { powerLoss } from '../../src/faults/index.js';
import { AFTER_RESTART_SECONDS, healthyLoad, whyNoPowerLoss } from './primary-power-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  id: 'power-lost-everywhere',
  title: 'power lost everywhere',
  explained: 'the same on all nodes at once; they start again before a Sentinel promotes anything',
  question: 'Which acknowledged writes are lost when all nodes lose power at once?',
  method:
    'The files of every node are on an emulated disk with a volatile cache. The processes and these caches are lost within a moment; only ' +
    'flushed blocks survive. Then the nodes start again, the primary first, before a Sentinel promotes anything.',
  needs: powerLoss.needs,
  disks: 'all',
  late: true,
  whyNot: (_theCase, stack) => whyNoPowerLoss(stack),
  // The primary first, because nothing is acknowledged without it.
  steps: [{ at: 0, fault: powerLoss, on: 'nodes', lasts: 0 }],
  course: { before: healthyLoad, after: AFTER_RESTART_SECONDS },
};
