/**
 * Clients behind HAProxy, which sends them to any node that says it is a primary; and clients by a virtual IP address, which the
 * `client-reconfig-script` of each Sentinel moves.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { whyNoHaproxy } from '../../src/load/writers/haproxy.js';
import { whyNoVirtualAddress } from '../../src/stacks/redis/hosts/virtual-address.js';
import { comparison } from './compare.js';

export const HAPROXY = 'haproxy';
export const VIRTUAL_IP = 'virtual-address';

const HOW =
  'Each Redis node is on a host of its own (a network namespace), with a Sentinel beside it. A virtual IP address is on the host of the primary. After a failover the ' +
  '`client-reconfig-script` of each Sentinel adds it to its host, and announces it (gratuitous ARP), or removes it. ';
const CLIENTS =
  'Clients by virtual IP stay with a connection until it ends, and then dial the address again. Others follow the Sentinels.';

/** @type {NonNullable<TrialBenchmark['whyNotCase']>} */
async function whyNoAddress() {
  const why = await whyNoVirtualAddress();
  return why === null ? null : `A virtual IP is not possible here: ${why}.`;
}

/** @type {TrialBenchmark} */
export const behindHaproxy = comparison('primary-partition', {
  writer: HAPROXY,
  own: {
    name: 'behind-haproxy',
    title: 'HAProxy, partition',
    question: 'What do clients behind HAProxy lose in a network partition?',
    method:
      'HAProxy checks each node once a second (`info replication`, `role:master`), and ends the connections of a node that fails twice. A network partition separates the ' +
      'primary from its peers; HAProxy and clients reach every node. The Sentinels promote a replica, and then the partition heals. Beside the clients behind HAProxy, others ' +
      'follow the Sentinels.',
    async whyNotCase(_theCase, stack) {
      if (stack.backend !== 'local') return 'HAProxy starts before local nodes only. Use --backend local.';
      return whyNoHaproxy();
    },
  },
});

/** @type {TrialBenchmark} */
export const virtualIpPartition = comparison('host-partitioned', {
  writer: VIRTUAL_IP,
  own: {
    name: 'virtual-ip-partition',
    title: 'virtual IP, partition',
    question: 'What do clients by virtual IP lose when the host of the primary is partitioned?',
    method: `${HOW}A partition separates the host of the primary, with its Sentinel, from the other hosts; clients reach every host. It heals after the promotion. ${CLIENTS}`,
    needs: ['virtual-address', 'group-partition'],
    whyNotCase: whyNoAddress,
  },
});

/** @type {TrialBenchmark} */
export const virtualIpFailover = comparison('planned-failover', {
  writer: VIRTUAL_IP,
  own: {
    name: 'virtual-ip-failover',
    title: 'virtual IP, SENTINEL FAILOVER',
    question: 'What do clients by virtual IP lose in a SENTINEL FAILOVER?',
    method: `${HOW}A Sentinel is sent SENTINEL FAILOVER. ${CLIENTS}`,
    needs: ['virtual-address', 'failover'],
    whyNotCase: whyNoAddress,
  },
});

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze([behindHaproxy, virtualIpPartition, virtualIpFailover]);
