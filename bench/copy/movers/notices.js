/**
 * Keyspace notifications of a node: which keys were changed.
 */
import { randomUUID } from 'node:crypto';
import { connect } from './connection.js';

/**
 * One notification a change: `E` names the key in `__keyevent@0__:<event>`; with `K` as well everything would be said twice.
 * `A` is every class of changes, expiry and eviction among them. New keys (`n`) are told of by the command that makes them,
 * and misses (`m`) change nothing.
 */
const CLASSES = 'EA';
const SETTING = 'notify-keyspace-events';
const EVENTS = '__keyevent@0__:*';
const UNDERSCORE = 0x5f;

/**
 * Makes sure that each change of a key is told of. These are not, by any server: FLUSHALL, FLUSHDB and SWAPDB; what consumers of
 * a stream have read and acknowledged (XREADGROUP, XACK, XCLAIM).
 *
 * @param {Pick<import('./types.js').Pair, 'source' | 'credentials'>} pair
 * @param {AbortSignal} [signal]
 * @returns {Promise<() => Promise<void>>} puts the source's setting back; a source that cannot be reached has lost it anyway
 */
export async function switchNoticesOn({ source, credentials }, signal) {
  const target = { ...source, credentials };
  const connection = await connect(target, signal);
  try {
    const reply = /** @type {Buffer[]} */ (await connection.call('CONFIG', 'GET', SETTING));
    const former = reply[1].toString('latin1');
    const putBack = async () => {
      const again = await connect(target).catch(() => null);
      await again?.call('CONFIG', 'SET', SETTING, former).finally(() => again.close());
    };
    try {
      await connection.call('CONFIG', 'SET', SETTING, [...new Set(former + CLASSES)].join(''));
    } catch (error) {
      // Who is interrupted here does not know whether the source has done it.
      await putBack().catch(() => {});
      throw error;
    }
    return putBack;
  } finally {
    connection.close();
  }
}

/**
 * @typedef {Object} Notices
 * @property {() => Promise<void>} caughtUp resolves when every change that was made before has been told of
 * @property {() => number} bytesRead
 * @property {() => void} close
 */

/**
 * @param {import('../client/types.js').Target} target
 * @param {(key: string) => void} onChange told of a changed key of database 0, one character a byte; often more than once
 * @param {(error: Error) => void} onLost nothing more will be told: what changes from now on would be overlooked
 * @returns {Promise<Notices>} resolves when it listens
 */
export async function watchNotices(target, onChange, onLost) {
  const connection = await connect(target);
  // Nothing else comes through this channel.
  const marker = `sentinel-bench:${randomUUID()}`;
  /** @type {Map<string, () => void>} */
  const awaited = new Map();
  let changes = 0;

  connection.onMessage = (reply) => {
    const [kind, pattern, , message] = /** @type {Buffer[]} */ (reply);
    // `pmessage`, not the confirmation of the second pattern.
    if (kind[1] !== 'm'.charCodeAt(0)) return;
    if (pattern[0] === UNDERSCORE) {
      changes++;
      onChange(message.toString('latin1'));
    } else {
      awaited.get(message.toString('latin1'))?.();
    }
  };

  // Through the very connection that changes are told by, or they could overtake each other.
  await connection.call('PSUBSCRIBE', EVENTS, marker);
  let closed = false;
  connection.onEnd = async (error) => {
    if (!closed) onLost(await whyLost(target, changes, error));
  };

  return {
    async caughtUp() {
      const other = await connect(target);
      try {
        const id = randomUUID();
        const back = new Promise((resolve) => awaited.set(id, () => resolve(undefined)));
        await other.call('PUBLISH', marker, id);
        await back;
        awaited.delete(id);
      } finally {
        other.close();
      }
    },
    bytesRead: () => connection.bytesRead,
    close() {
      closed = true;
      connection.close();
    },
  };
}

/**
 * A subscriber that reads more slowly than the node notifies it is disconnected.
 *
 * @param {import('../client/types.js').Target} target
 * @param {number} changes it was told of
 * @param {Error} error
 */
async function whyLost(target, changes, error) {
  let limit = '';
  try {
    const connection = await connect(target);
    const reply = await connection
      .call('CONFIG', 'GET', 'client-output-buffer-limit')
      .finally(() => connection.close());
    limit = /pubsub (\d+ \d+ \d+)/.exec(String(/** @type {Buffer[]} */ (reply)[1]))?.[1] ?? '';
  } catch {
    // It cannot be reached any more; the error says so.
  }
  const reason = limit ? `; its client-output-buffer-limit for subscribers is ${limit}` : '';
  return new Error(
    `the subscription to keyspace notifications ended after ${changes} of them, so changes would be overlooked: ${error.message}${reason}`,
    { cause: error },
  );
}
