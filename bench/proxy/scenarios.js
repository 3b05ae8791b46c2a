/**
 * Clients behind HAProxy, which sends them to any node that says it is a primary; and clients by a virtual IP address, which the
 * `client-reconfig-script` of each Sentinel moves.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

import { whyNoHaproxy } from '../../src/load/writers/haproxy.js';
import { whyNoVirtualAddress } from '../../src/stacks/redis/hosts/virtual-address.js';
import { readYaml } from '../../src/yaml.js';
import { comparison } from './compare.js';

export const HAPROXY = 'haproxy';
export const VIRTUAL_IP = 'virtual-address';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));

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
    ...TEXTS['behind-haproxy'],
    async whyNotCase(_theCase, stack) {
      if (stack.about.backend !== 'local') return 'HAProxy starts before local nodes only. Use --backend local.';
      return whyNoHaproxy();
    },
  },
});

/** @type {TrialBenchmark} */
export const virtualIpPartition = comparison('host-partitioned', {
  writer: VIRTUAL_IP,
  own: {
    name: 'virtual-ip-partition',
    ...TEXTS['virtual-ip-partition'],
    needs: ['virtual-address', 'group-partition'],
    whyNotCase: whyNoAddress,
  },
});

/** @type {TrialBenchmark} */
export const virtualIpFailover = comparison('planned-failover', {
  writer: VIRTUAL_IP,
  own: {
    name: 'virtual-ip-failover',
    ...TEXTS['virtual-ip-failover'],
    needs: ['virtual-address', 'failover'],
    whyNotCase: whyNoAddress,
  },
});

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze([behindHaproxy, virtualIpPartition, virtualIpFailover]);
