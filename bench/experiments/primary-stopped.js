import { stop } from '../../src/faults/index.js';
import { losing, PROMOTION, STARTED_AGAIN } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losing(stop),
  id: 'primary-stopped',
  title: 'graceful stop',
  explained: 'SIGTERM',
  question: 'Is it safe to stop the primary with SIGTERM, as `docker stop` does?',
  method: `The primary gets SIGTERM. It waits for its replicas (shutdown-timeout), then ends. ${PROMOTION}${STARTED_AGAIN}`,
  perYear: 12,
  blind: 'the primary waits for its replicas before it ends',
};
