import { kill, pause } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { BEHIND_SECONDS, RETURNS } from './stale-replica-preferred.js';

/** @type {import('./types.js').Experiment} */
export default {
  id: 'replica-frozen-then-primary',
  title: 'replica frozen, then primary killed',
  question: 'Do the Sentinels promote the right replica when the other one was frozen until the primary was killed?',
  method: `One replica is frozen by SIGSTOP for ${BEHIND_SECONDS} s and wakes up when the primary is killed. Both replicas reach the Sentinels. ${RETURNS}`,
  needs: ['pause', 'kill'],
  promotes: true,
  steps: [
    { at: 0, fault: pause, on: 'replica-1', until: { event: { begun: 1 } } },
    { at: BEHIND_SECONDS, fault: kill, until: PROMOTED },
  ],
};
