/**
 * The last act of several failures: an old primary is back among peers that follow another.
 */

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
