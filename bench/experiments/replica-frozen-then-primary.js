import { kill, pause } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { BEHIND_SECONDS } from './stale-replica-preferred.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'replica-frozen-then-primary',
  needs: ['pause', 'kill'],
  promotes: true,
  steps: [
    { at: 0, fault: pause, on: 'replica-1', until: { event: { begun: 1 } } },
    { at: BEHIND_SECONDS, fault: kill, until: PROMOTED },
  ],
};
