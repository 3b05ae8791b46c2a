/**
 * Clients behind HAProxy in a network partition. HAProxy sends them to any node that says it is a primary, and then there are two.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { partition } from '../../src/faults/index.js';
import { whyNoHaproxy } from '../../src/load/writers/haproxy.js';
import { losePrimary } from '../experiments/primary-lost.js';
import { comparison } from './compare.js';

export const HAPROXY = 'haproxy';

/** @type {TrialBenchmark} */
export default {
  ...comparison(HAPROXY, 'Clients behind HAProxy'),
  name: 'behind-haproxy',
  title: 'HAProxy, partition',
  question: 'What do clients behind HAProxy lose in a network partition?',
  method:
    'HAProxy checks each node once a second (`info replication`, `role:master`), and ends the connections of a node that fails twice. A network partition separates the ' +
    'primary from its peers; HAProxy and clients reach every node. The Sentinels promote a replica, and then the partition heals. Beside the clients behind HAProxy, others ' +
    'follow the Sentinels.',
  needs: partition.needs,
  async whyNotCase(_theCase, stack) {
    if (stack.backend !== 'local') return 'HAProxy starts before local nodes only. Use --backend local.';
    return whyNoHaproxy();
  },
  script: (scene) => losePrimary(scene, partition),
};
