import { groupPartition, kill, NETWORK } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { GROUP_SCENARIO, groupCases } from './groups.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

/** Only one replica confirms writes for so long. */
const ALONE_SECONDS = 8;

/** @type {TrialBenchmark} */
export default {
  ...GROUP_SCENARIO,
  name: 'confirming-replica-lost',
  question: 'What is lost when the one replica that confirmed the writes is killed, and then the primary?',
  method:
    `A partition separates one replica from the primary. After ${ALONE_SECONDS} s, in which only the other one confirms writes, that one and the primary are killed. ` +
    'The Sentinels promote the replica that is left. The partition heals, the others start again, and the writers continue until the old primary is demoted.',
  needs: ['group-partition', 'kill'],
  cases: groupCases,
  async script(scene) {
    const { primary, replicas, profile, downAfterMs, inject, write, until, switched } = scene;
    const [confirming, stale] = replicas;
    await write(profile.healthySeconds);
    const join = await inject(groupPartition({ groups: [[stale.id], [primary.id]] }), NETWORK);
    await write(ALONE_SECONDS);
    const restarts = [await inject(kill, confirming.id), await inject(kill, primary.id)];
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    // Not earlier: the kernel of this machine still has what the killed primary had sent, and would deliver it.
    await join();
    for (const restart of restarts) await restart();
    await oldPrimaryReturns(scene);
  },
};
