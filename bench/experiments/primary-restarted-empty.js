import { numbersOf } from './data.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'primary-restarted-empty',
  course: {
    before: ({ healthySeconds }, { settings, replicaSettings }) =>
      replicaSettings && settings?.save
        ? Math.max(healthySeconds, numbersOf('primary-restarted-empty').saved)
        : healthySeconds,
    after: 3,
  },
};
