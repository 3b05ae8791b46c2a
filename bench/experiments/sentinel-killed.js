import { kill } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';

/** @type {import('./types.js').Experiment} */
export default {
  id: 'sentinel-killed',
  title: 'Sentinel, then primary killed',
  question: 'Do clients find the new primary without the Sentinel that they asked first?',
  method:
    'The Sentinel that comes first in the list of each client is killed, then the primary. The others promote a replica.',
  needs: kill.needs,
  promotes: true,
  steps: [
    { at: 'before', fault: kill, on: 'sentinel-1', prepares: true },
    { at: 0, fault: kill, until: PROMOTED },
  ],
};
