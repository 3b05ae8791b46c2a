import { pause } from '../../src/faults/index.js';
import { losing, PROMOTION } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losing(pause),
  id: 'primary-paused',
  title: 'primary frozen',
  explained: 'SIGSTOP: its connections stay open, nobody answers; then it wakes up',
  question:
    'Which acknowledged writes are lost when the primary freezes until a replica is promoted, and then wakes up?',
  method:
    `The primary is frozen by SIGSTOP; its connections stay open. ${PROMOTION}Then the old primary continues, and so do the ` +
    'writers until the Sentinels have demoted it.',
  perYear: 0.5,
};
