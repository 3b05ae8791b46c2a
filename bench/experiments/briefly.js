/** Faults that end about when a failover does. */
import { pause } from '../../src/faults/index.js';
import { separated, WITH_GROUPS } from './groups.js';
import { asLongAsNamed, lengthsFor } from './lengths.js';

/** @type {readonly import('./types.js').Performed[]} */
export default [
  {
    ...WITH_GROUPS,
    id: 'host-partitioned-briefly',
    placed: true,
    lengths: lengthsFor,
    steps: [{ at: 0, fault: separated({ usual: 'colocated', away: 1 }), until: asLongAsNamed }],
  },
  {
    id: 'primary-paused-briefly',
    needs: pause.needs,
    lengths: lengthsFor,
    steps: [{ at: 0, fault: pause, until: asLongAsNamed }],
  },
];
