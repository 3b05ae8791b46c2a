import { kill } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'sentinel-killed',
  needs: kill.needs,
  promotes: true,
  steps: [
    { at: 'before', fault: kill, on: 'sentinel-1', prepares: true },
    { at: 0, fault: kill, until: PROMOTED },
  ],
};
