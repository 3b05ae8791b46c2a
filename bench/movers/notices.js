/** Keyspace notifications of a node, by which RedisShake learns which keys changed. */
import { connect } from '../../src/clients/connection.js';
import { allEnded } from '../../src/wait.js';

/** @import { Pair } from './move.js' */

/**
 * One notification a change: `E` names the key in `__keyevent@0__:<event>`; `K` would repeat everything. `A` is every class of changes. The command that
 * makes a new key (`n`) notifies anyway, and misses (`m`) change nothing.
 */
const CLASSES = 'EA';
const SETTING = 'notify-keyspace-events';

/**
 * Makes sources notify every change of a key. No server notifies FLUSHALL, FLUSHDB, SWAPDB, or what consumers of a stream have
 * read and acknowledged (XREADGROUP, XACK, XCLAIM).
 * @param {readonly Pick<Pair, 'source' | 'credentials'>[]} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<() => Promise<void>>} restores the setting of every source; a source that is gone needs nothing. Rejects when one
 *   could not be changed, and the others have their setting back
 */
export async function switchNoticesOn(pairs, signal) {
  /** @type {(() => Promise<void>)[]} */
  const undo = [];
  const putBack = async () => {
    await allEnded(undo.map((one) => one()));
  };
  try {
    for (const { source, credentials } of pairs) {
      const target = { ...source, credentials };
      const connection = await connect(target, signal);
      try {
        const reply = /** @type {Buffer[]} */ (await connection.call('CONFIG', 'GET', SETTING));
        const former = reply[1].toString('latin1');
        // Noted first: after an interruption the source may or may not have the setting.
        undo.push(async () => {
          const again = await connect(target).catch(() => null);
          await again?.call('CONFIG', 'SET', SETTING, former).finally(() => again.close());
        });
        await connection.call('CONFIG', 'SET', SETTING, [...new Set(former + CLASSES)].join(''));
      } finally {
        connection.close();
      }
    }
  } catch (error) {
    await putBack().catch(() => {});
    throw error;
  }
  return putBack;
}
