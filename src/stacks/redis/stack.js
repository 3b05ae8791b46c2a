import { redis } from './system.js';
import { MASTER_NAME } from './topology.js';

/** Redis nodes and Sentinels of any backend, as a Stack. */
/** @import { Ability, Access, Backend, Stack } from '../types.js' */
/** @import { Members } from './members.js' */

/** What may be done to a stack of ours, beside what its backend can do. @type {readonly Ability[]} */
export const OWN_ABILITIES = ['blocking-command', 'failover', 'stats'];

/**
 * @param {Backend} backend @param {Omit<Members, 'ready' | 'server' | 'settle'> & {settle: () => Promise<unknown>}} members are closed with
 *   the stack @param {Partial<Access>} [access] @returns {Promise<Stack>}
 */
export async function redisStack({ revive, remove, ...backend }, members, access) {
  const { observer, primary, replicas, settle } = members;
  const { leftOut, ours } = backend.about;
  const ofSentinels = backend.can.includes('failover') ? await members.sentinelAbilities() : [];
  async function down() {
    await remove();
    members.close();
  }
  return {
    ...backend,
    access: { masterName: MASTER_NAME, credentials: {}, ...access },
    can: new Set([...backend.can, ...ofSentinels]),
    database: {
      ...redis,
      primary,
      replicas,
      observe: async () => ({ ...(await observer.snapshot()), ...(leftOut && { leftOut }) }),
    },
    async heal() {
      await revive();
      await settle();
    },
    close: async () => (ours ? down() : members.close()),
    down,
  };
}
