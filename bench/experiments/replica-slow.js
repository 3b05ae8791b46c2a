import { slowLink } from '../../src/faults/index.js';

const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;

/** @type {import('./types.js').Performed} */
export default {
  id: 'replica-slow',
  needs: ['slow-link'],
  oneLane: true,
  steps: [{ at: 0, fault: slowLink(SLOW), on: 'replica-1', lasts: SLOW_SECONDS }],
  course: { after: 'healthy' },
};
