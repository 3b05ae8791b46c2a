import { slowLink } from '../../src/faults/index.js';

const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;

/** @type {import('./types.js').Experiment} */
export default {
  id: 'replica-slow',
  title: 'replica slow',
  question: 'Does a slow link to one replica slow down WAIT 1 and WAIT 2?',
  method: `A round trip to one of the two replicas takes ${SLOW.latencyMs} ms longer (± ${SLOW.jitterMs} ms each way) for ${SLOW_SECONDS} s.`,
  needs: ['slow-link'],
  oneLane: true,
  steps: [{ at: 0, fault: slowLink(SLOW), on: 'replica-1', lasts: SLOW_SECONDS }],
  course: { after: 'healthy' },
};
