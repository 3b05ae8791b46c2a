/**
 * How many writes a copy has applied, as it counts them itself.
 */
import { infoOf } from './connection.js';

/**
 * @param {import('./connection.js').Connection} copy
 * @returns {Promise<() => Promise<number>>} write commands that it has executed since, whoever sent them
 */
export async function countWrites(copy) {
  const names = /** @type {Buffer[]} */ (await copy.call('ACL', 'CAT', 'write'));
  const writeCommands = new Set(names.map(String));
  const total = async () =>
    Object.entries(await infoOf(copy, 'commandstats')).reduce((sum, [field, text]) => {
      const calls = writeCommands.has(field.slice('cmdstat_'.length)) ? /calls=(\d+)/.exec(text)?.[1] : 0;
      return sum + Number(calls ?? 0);
    }, 0);
  const before = await total();
  return async () => (await total()) - before;
}
