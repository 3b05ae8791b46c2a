import { kill } from '../../src/faults/index.js';
import { losing, PROMOTION, STARTED_AGAIN } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losing(kill),
  id: 'primary-killed',
  title: 'primary killed',
  explained: 'SIGKILL; its connections close at once',
  question: 'Which acknowledged writes are lost when the primary is killed, and how long do writes stop?',
  method: `The primary gets SIGKILL. ${PROMOTION}${STARTED_AGAIN}`,
  perYear: 2,
  blind: 'the kernel still delivers what a killed process had sent',
};
