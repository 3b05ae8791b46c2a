import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { hostsIn } from './groups.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'host-partitioned',
  needs: ['group-partition'],
  promotes: true,
  steps: [{ at: 0, fault: ownHostAlone, until: PROMOTED }],
};

/** @type {import('../../src/run/perform.js').ChooseFault} */
function ownHostAlone(scene, params) {
  const [own, ...others] = hostsIn(scene, params, 'colocated');
  return { fault: groupPartition({ groups: [own, others.flat()] }), target: NETWORK };
}
