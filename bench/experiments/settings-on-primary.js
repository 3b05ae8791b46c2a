/** Settings that exist on the first primary only, as after a CONFIG SET by hand, and two failures in a row. */
import { kill, partition } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { numbersOf } from './data.js';

/** @import { Scene } from '../types.js' */

/** @type {import('./types.js').Performed} */
export default {
  id: 'settings-on-primary',
  needs: ['kill', 'partition'],
  promotes: true,
  async script(scene) {
    const { primary, profile, downAfterMs, inject, write, until, switched } = scene;
    await write(profile.healthySeconds);
    const restart = await inject(kill, primary.id);
    if (!(await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS))) return restart();
    await write(profile.healthySeconds);
    const second = await secondPrimary(scene);
    const join = await inject(partition, second.id);
    await write(numbersOf('settings-on-primary').seconds);
    await join();
    await oldPrimaryReturns({ ...scene, primary: second });
    await restart();
    await write(profile.healthySeconds);
  },
};

/** @param {Pick<Scene, 'replicas' | 'info'>} scene @returns the replica that was promoted @throws {Error} none says that it is a primary */
async function secondPrimary({ replicas, info }) {
  for (const node of replicas) if ((await info(node.id, 'replication')).role === 'master') return node;
  throw new Error('No replica was promoted, so there is no second primary to separate');
}
