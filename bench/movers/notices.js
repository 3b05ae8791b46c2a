/** Keyspace notifications of a node: which keys changed. */
import { randomUUID } from 'node:crypto';
import { connect } from '../../src/clients/connection.js';
import { allEnded } from '../../src/wait.js';

/**
 * @import { Target } from '../../src/clients/types.js'
 * @import { Pair } from './move.js'
 */

/**
 * One notification a change: `E` names the key in `__keyevent@0__:<event>`; `K` would repeat everything. `A` is every class of changes. The command that
 * makes a new key (`n`) notifies anyway, and misses (`m`) change nothing.
 */
const CLASSES = 'EA';
const SETTING = 'notify-keyspace-events';
const EVENTS = '__keyevent@0__:*';
const UNDERSCORE = 0x5f;

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

/**
 * @typedef {{caughtUp: () => Promise<void>, bytesRead: () => number, close: () => void}} Notices caughtUp: `onChange` was called for every earlier change
 *
 * @param {Target} target
 * @param {(key: string) => void} onChange called with a changed key of database 0, one character a byte; often more than once
 * @param {(error: Error) => void} onLost the notifications ended: later changes would be missed
 * @returns {Promise<Notices>} resolves when it listens
 */
export async function watchNotices(target, onChange, onLost) {
  const connection = await connect(target);
  // Only markers use this channel.
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

  // On the connection of the notifications, so that the marker cannot overtake them.
  await connection.call('PSUBSCRIBE', EVENTS, marker);
  let closed = false;
  connection.onEnd = (error) => {
    if (closed) return;
    // Redis disconnects a subscriber that reads too slowly, by client-output-buffer-limit pubsub.
    const message = `the subscription to keyspace notifications ended after ${changes} of them, so changes would be missed: ${error.message}`;
    onLost(new Error(message, { cause: error }));
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
