import { restart } from '../../src/faults/index.js';

/** Longer than two intervals of the primary's snapshots, so that one of them lies behind. */
const SAVED_SECONDS = 8;

/** @type {import('./types.js').Performed} */
export default {
  id: 'primary-restarted-empty',
  needs: ['kill'],
  late: true,
  steps: [{ at: 0, fault: restart, lasts: 0 }],
  course: {
    before: ({ healthySeconds }, { settings, replicaSettings }) =>
      replicaSettings && settings?.save ? Math.max(healthySeconds, SAVED_SECONDS) : healthySeconds,
    after: 3,
  },
};
