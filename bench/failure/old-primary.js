/**
 * The script that several scenarios share: the primary is lost, a replica is promoted, and the old primary comes back.
 */
import { FAILOVER_SECONDS } from '../../src/run/scene.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene } from '../../src/run/types.js'
 */

/**
 * A Sentinel demotes it after 8 s of contradiction and one more INFO, which comes within 10 s
 * (`sentinelRefreshInstanceInfo` in Redis's src/sentinel.c).
 */
const DEMOTED_WITHIN_SECONDS = 30;
/** Its data is read well before the demotion. */
const READ_AFTER_SECONDS = 2;

/**
 * Lets the writers write until the old primary is a replica, and a while longer. Reads its data before the demotion.
 *
 * @param {Scene} scene
 */
export async function oldPrimaryReturns({ profile, primary, write, until, demoted, readFormer, mark }) {
  const already = await until(() => demoted(primary.id), READ_AFTER_SECONDS);
  if (!already) await readFormer(primary.id);
  const became = await until(() => demoted(primary.id), DEMOTED_WITHIN_SECONDS);
  if (became) mark('is a replica', primary.id);
  await write(profile.healthySeconds);
}

/**
 * @param {Scene} scene
 * @param {Fault} fault takes the primary away; undone after a replica was promoted and
 *   took writes for a while
 */
export async function losePrimary(scene, fault) {
  const { profile, primary, downAfterMs, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  const undo = await inject(fault, primary.id);
  await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  await write(profile.healthySeconds);
  await undo();
  await oldPrimaryReturns(scene);
}
