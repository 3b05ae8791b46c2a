import { kill } from '../../src/faults/index.js';

/** The time without the replica. */
const GONE_SECONDS = 3;

/** @type {import('./types.js').Performed} */
export default {
  id: 'replica-killed',
  needs: kill.needs,
  steps: [{ at: 0, fault: kill, on: 'replica-1', lasts: GONE_SECONDS }],
  course: { after: 'healthy' },
};
