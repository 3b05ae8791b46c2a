import { kill } from '../../src/faults/index.js';

/** The time without the replica. */
const GONE_SECONDS = 3;

/** @type {import('./types.js').Experiment} */
export default {
  id: 'replica-killed',
  title: 'replica killed',
  question: 'Do clients notice that a replica is killed?',
  method: `A replica is killed and started again after ${GONE_SECONDS} s.`,
  needs: kill.needs,
  steps: [{ at: 0, fault: kill, on: 'replica-1', lasts: GONE_SECONDS }],
  course: { after: 'healthy' },
};
