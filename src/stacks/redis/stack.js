/**
 * Redis nodes and Sentinels of any backend that starts them, as a Stack.
 */
import { databaseOf } from './members.js';
import { MASTER_NAME } from './topology.js';

/**
 * @import { Ability, Access, Backend, Stack } from '../types.js'
 * @import { Members } from './members.js'
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['blocking-command', 'failover', 'stats'];

/**
 * @param {Backend} backend
 * @param {Members} members
 * @param {{can?: readonly Ability[], access?: Partial<Access>}} [more]
 * @returns {Promise<Stack>} it closes the members
 */
export async function redisStack({ revive, remove, ...backend }, members, { can = [], access } = {}) {
  async function down() {
    members.close();
    await remove();
  }
  return {
    ...backend,
    access: { masterName: MASTER_NAME, credentials: {}, ...access },
    can: new Set([...backend.can, ...ALWAYS, ...can, ...(await members.sentinelAbilities())]),
    nodes: members.observer.nodes,
    database: databaseOf(members),
    async heal() {
      await revive();
      await members.settle();
    },
    close: async () => (backend.about.ours ? down() : members.close()),
    down,
  };
}
