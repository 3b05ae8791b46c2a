/**
 * Clients that reach the primary by a virtual IP address, which the `client-reconfig-script` of each Sentinel moves.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { failover, groupPartition, NETWORK } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { whyNoVirtualAddress } from '../../src/stacks/redis/hosts/virtual-address.js';
import { hostsIn } from '../experiments/groups.js';
import { failOver } from '../experiments/planned-failover.js';
import { comparison } from './compare.js';

export const VIRTUAL_IP = 'virtual-address';

const COMMON = {
  ...comparison(VIRTUAL_IP, 'Clients by virtual IP'),
  /** @type {NonNullable<TrialBenchmark['whyNotCase']>} */
  async whyNotCase() {
    const why = await whyNoVirtualAddress();
    return why === null ? null : `A virtual IP is not possible here: ${why}.`;
  },
};
const HOW =
  'Each Redis node is on a host of its own (a network namespace), with a Sentinel beside it. A virtual IP address is on the host of the primary. After a failover the ' +
  '`client-reconfig-script` of each Sentinel adds it to its host, and announces it (gratuitous ARP), or removes it. ';
const CLIENTS =
  'Clients by virtual IP stay with a connection until it ends, and then dial the address again. Others follow the Sentinels.';

/** @type {TrialBenchmark} */
export const virtualIpPartition = {
  ...COMMON,
  name: 'virtual-ip-partition',
  title: 'virtual IP, partition',
  question: 'What do clients by virtual IP lose when the host of the primary is partitioned?',
  method: `${HOW}A partition separates the host of the primary, with its Sentinel, from the other hosts; clients reach every host. It heals after the promotion. ${CLIENTS}`,
  needs: ['virtual-address', 'group-partition'],
  async script(scene, { params }) {
    const { profile, downAfterMs, inject, write, until, switched } = scene;
    const [own, ...others] = hostsIn(scene, params, 'colocated');
    await write(profile.healthySeconds);
    const undo = await inject(groupPartition({ groups: [own, others.flat()] }), NETWORK);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    await undo();
    await oldPrimaryReturns(scene);
  },
};

/** @type {TrialBenchmark} */
export const virtualIpFailover = {
  ...COMMON,
  name: 'virtual-ip-failover',
  title: 'virtual IP, SENTINEL FAILOVER',
  question: 'What do clients by virtual IP lose in a SENTINEL FAILOVER?',
  method: `${HOW}A Sentinel is sent SENTINEL FAILOVER. ${CLIENTS}`,
  needs: ['virtual-address', 'failover'],
  script: (scene) => failOver(scene, failover),
};
