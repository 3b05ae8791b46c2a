/**
 * The writers `redis` and `ioredis`.
 */

/**
 * @param {import('../trial-types.js').WriterPlan} plan
 * @param {import('../trial-types.js').TrialPlan} _trial
 * @returns {Promise<import('./native-writer.js').Writer>}
 */
export async function createLibraryWriter(plan, _trial) {
  throw new Error(`the writer ${plan.name} does not exist yet`);
}
