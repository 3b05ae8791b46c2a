import { lose } from '../../src/faults/index.js';
import { losing, PROMOTION, STARTED_AGAIN } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losing(lose),
  id: 'primary-machine-lost',
  title: 'machine lost',
  explained: 'killed, and in the same instant the bytes under way are discarded',
  question: 'Which acknowledged writes are lost with the primary’s machine?',
  method: `The primary is killed, and in the same instant what it had sent and its peers had not received is discarded. ${PROMOTION}${STARTED_AGAIN}`,
  perYear: 0.5,
  blind: 'only bytes in flight are lost, and links here are short; `--link-latency 5ms` shows more',
};
