import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { hostsIn } from './groups.js';

/** @type {import('./types.js').Experiment} */
export default {
  id: 'host-partitioned',
  title: 'host partitioned',
  question: 'What is lost when the host of the primary is partitioned, and clients reach every host?',
  method:
    'A partition separates the host of the primary, with its Sentinel, from the other hosts; clients reach every host. It heals after the promotion.',
  needs: ['group-partition'],
  promotes: true,
  steps: [{ at: 0, fault: ownHostAlone, until: PROMOTED }],
};

/** @type {import('../../src/run/perform.js').ChooseFault} */
function ownHostAlone(scene, params) {
  const [own, ...others] = hostsIn(scene, params, 'colocated');
  return { fault: groupPartition({ groups: [own, others.flat()] }), target: NETWORK };
}
