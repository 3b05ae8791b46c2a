/**
 * What several failures have in common: the primary is lost, another is promoted, and the old one is back among peers that
 * follow the other.
 */
import { FAILOVER_SECONDS } from './scene.js';

/**
 * A Sentinel makes it a replica only when it has contradicted for 8 s, and its next INFO, up to 10 s later, said so
 * (`sentinelRefreshInstanceInfo` in Redis's src/sentinel.c).
 */
const DEMOTED_WITHIN_SECONDS = 30;
/** What it holds is read well before that. */
const READ_AFTER_SECONDS = 2;

/**
 * Lets the writers write until the old primary is a replica, reads what it held before, and then a while longer.
 *
 * @param {import('./types.js').Scene} scene
 */
export async function oldPrimaryReturns({ profile, primary, write, until, demoted, readFormer, mark }) {
  const already = await until(() => demoted(primary.id), READ_AFTER_SECONDS);
  if (!already) await readFormer(primary.id);
  const became = await until(() => demoted(primary.id), DEMOTED_WITHIN_SECONDS);
  if (became) mark('is a replica', primary.id);
  await write(profile.healthySeconds);
}

/**
 * @param {import('./types.js').Scene} scene
 * @param {import('../fault/types.js').Fault} fault by which the primary is lost; undone when another has been promoted and
 *   written to for a while
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
