/** @import { Scene } from './types.js' */

/**
 * A Sentinel demotes the old primary after 8 s of contradicting reports and one more INFO, which comes within 10 s
 * (`sentinelRefreshInstanceInfo` in Redis's src/sentinel.c).
 */
const DEMOTED_WITHIN_SECONDS = 30;
const DECIDED_SECONDS = 5;
/** The old primary's data is read well before the demotion discards it. */
const READ_AFTER_SECONDS = 2;

/**
 * Lets the writers write until the old primary is a replica, and a while longer. Reads its data before the demotion. @param {Scene} scene
 */
export async function oldPrimaryReturns({ profile, primary, write, until, demoted, readFormer, mark }) {
  const already = await until(() => demoted(primary.id), READ_AFTER_SECONDS);
  if (!already) await readFormer(primary.id);
  const became = await until(() => demoted(primary.id), DEMOTED_WITHIN_SECONDS);
  if (became) mark('demoted', primary.id);
  await write(profile.healthySeconds);
}

/** Lets the writers write until the old primary is demoted, if a replica was promoted. @param {Scene} scene */
export async function aftermath(scene) {
  const { until, switched, write, profile } = scene;
  if (await until(switched, DECIDED_SECONDS)) await oldPrimaryReturns(scene);
  else await write(profile.healthySeconds);
}
