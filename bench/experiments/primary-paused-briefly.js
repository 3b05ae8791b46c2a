import { pause } from '../../src/faults/index.js';
import { asLongAsNamed, BRIEFLY, lengthsFor } from './lengths.js';

/** @type {import('./types.js').Experiment} */
export default {
  id: 'primary-paused-briefly',
  title: 'primary frozen briefly',
  explained: 'by SIGSTOP, for about as long as a failover takes',
  question: 'What is lost when the primary freezes for about as long as a failover takes?',
  method: `The primary is frozen by SIGSTOP. ${BRIEFLY}`,
  perYear: 2,
  needs: pause.needs,
  lengths: lengthsFor,
  steps: [{ at: 0, fault: pause, until: asLongAsNamed }],
};
