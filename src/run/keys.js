/**
 * The keys that a benchmark writes, and taking them away again. Nothing else in a database is touched.
 */
import { randomBytes } from 'node:crypto';
import { loadClient } from '../clients/index.js';
import { keyName } from '../clients/native-batch.js';
import { errorKind } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { UserError } from '../errors.js';
import { firstKeyOf } from '../load/peers.js';
import { isReplyError } from '../stacks/redis/control.js';
import { removeByPrefix } from '../stacks/redis/remove-keys.js';
import { KEY_NAMESPACE } from '../stacks/redis/topology.js';
import { untilAborted } from './interruption.js';

/**
 * @import { Connection, Target } from '../clients/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Case } from './types.js'
 */

const MOST_KEYS = 100_000;
/** A case's values together stay below this, on each node. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Keys an UNLINK, so that no single command holds the server up. */
const UNLINK_BATCH = 1000;

/**
 * @typedef {Object} Keys `prefix` and a number from 0 to `count - 1`, as `keyName` puts them together
 * @property {string} prefix
 * @property {number} count
 * @property {number[]} [starts] that many numbers from each of these on, instead of from 0
 *
 * @typedef {{call: (...command: string[]) => Promise<unknown>}} Primary a control connection
 *
 * @typedef {Object} Removal
 * @property {AbortSignal} [signal] ends it after the command under way; it rejects with the reason
 * @property {(keys: number) => void} [onRemoved] told now and then how many more are gone
 */

/**
 * @param {Pick<CaseParams, 'payloadBytes' | 'keyspace' | 'preloadKeys'>} params of a case
 * @returns {number} how many keys it draws from; unless it says so itself, enough to miss the CPU caches, few enough to
 *   fit in memory
 */
export function keyspaceFor({ payloadBytes, keyspace, preloadKeys }) {
  return preloadKeys ?? keyspace ?? Math.max(1, Math.min(MOST_KEYS, Math.floor(MOST_BYTES / payloadBytes)));
}

/** @returns {string} a prefix of its own: whatever a database holds, none of it starts like this */
export function newKeyPrefix() {
  return `${KEY_NAMESPACE}${randomBytes(6).toString('hex')}:`;
}

/**
 * @param {Case[]} cases of one benchmark
 * @returns {Keys} all that its rounds may write, under a prefix of its own: whatever a database holds, none of it starts
 *   like this
 */
export function newKeys(cases) {
  // read-after-write gives each connection a key space of its own, and one to the background.
  const counts = cases.map(({ params }) => {
    const spaces = params.backgroundConnections === undefined ? 1 : params.connections + 1;
    return keyspaceFor(params) * spaces;
  });
  return {
    prefix: newKeyPrefix(),
    count: Math.max(0, ...counts),
    starts: [...new Set(cases.map(({ params }) => firstKeyOf(params.client)))],
  };
}

/**
 * @param {Primary} primary
 * @param {Keys} keys
 * @param {Removal} [options]
 * @returns {Promise<number>} how many of them were there
 */
export async function removeKeys(primary, { prefix, count, starts = [0] }, options = {}) {
  let removed = 0;
  for (const start of starts) {
    removed += await removeRange(primary, prefix, start, start + count, options);
  }
  return removed;
}

/**
 * @param {Primary} primary
 * @param {string} prefix
 * @param {number} start
 * @param {number} end
 * @param {Removal} options
 * @returns {Promise<number>} how many there were
 */
async function removeRange(primary, prefix, start, end, { signal, onRemoved }) {
  let removed = 0;
  for (let first = start; first < end; first += UNLINK_BATCH) {
    signal?.throwIfAborted();
    const names = [];
    for (let number = first; number < Math.min(end, first + UNLINK_BATCH); number++) {
      names.push(keyName(prefix, number));
    }
    // Asked first: a primary that lacks replicas refuses writes, those too that change nothing.
    if (Number(await primary.call('EXISTS', ...names)) > 0) {
      const gone = Number(await primary.call('UNLINK', ...names));
      removed += gone;
      onRemoved?.(gone);
    }
  }
  return removed;
}

/**
 * For writers that were broken off: what they had sent may still be on its way to the server while the keys are removed.
 *
 * @param {Primary} primary
 * @param {Keys} keys
 */
export async function removeKeysForGood(primary, keys) {
  while ((await removeKeys(primary, keys)) > 0);
}

/**
 * The same for a key space that may be far larger than what was written into it. Either every possible name is asked for or every key of
 * the database is looked at, whichever is less: neither a key space of a billion nor a database of somebody else's with as many keys makes
 * it long.
 *
 * @param {Control} primary
 * @param {Keys} keys
 * @param {Removal} [options]
 */
export async function removeWhatWasWritten(primary, keys, options) {
  const remove = await cheaperRemoval(primary, keys);
  while ((await remove(options)) > 0);
}

/**
 * @param {Control} primary
 * @param {Keys} keys
 * @returns {Promise<(options?: Removal) => Promise<number>>}
 */
async function cheaperRemoval(primary, keys) {
  const byName = (/** @type {Removal} */ options = {}) => removeKeys(primary, keys, options);
  try {
    if (Number(await primary.call('DBSIZE')) >= keys.count) return byName;
    await primary.call('SCAN', '0', 'COUNT', '1');
    return (options = {}) => removeByPrefix(primary, keys.prefix, options);
  } catch (error) {
    // A user who may do neither can still remove keys by name.
    if (isReplyError(error)) return byName;
    throw error;
  }
}

/**
 * Writing a set of keys once each, as fast as the server takes them: what a load finds.
 */

/** While one batch is answered, the others are on their way. */
const CONNECTIONS = 4;
const BATCH = 500;
/** A batch's values together stay below this. */
const MOST_BATCH_BYTES = 2 * 1024 * 1024;
/** How long replicas may take to acknowledge a batch. */
const WAIT_MS = 30_000;
const PROGRESS_MS = 250;

/**
 * @param {Target} target
 * @param {Object} options
 * @param {string} options.keyPrefix
 * @param {number} options.count keys `0 … count - 1` are written
 * @param {number} options.payloadBytes
 * @param {AbortSignal} options.signal
 * @param {number} [options.connections] at least 1; default 4
 * @param {number} [options.replicas] so many have each batch before the next one leaves, so that the primary does not have to
 *   drop those that cannot keep pace; default 0
 * @param {(done: number) => void} [options.onProgress] told now and then how many keys there are
 * @throws {UserError} a write was not answered OK, with what the server said; the abort's reason
 */
export async function fillKeys(target, options) {
  const { keyPrefix, count, payloadBytes, signal, connections = CONNECTIONS, replicas = 0, onProgress } = options;
  signal.throwIfAborted();
  if (count === 0) return;
  const pipeline = Math.max(1, Math.min(BATCH, count, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  const native = await loadClient('native');
  const shape = {
    payloadBytes,
    pipeline,
    waitReplicas: replicas,
    waitTimeoutMs: WAIT_MS,
    habit: /** @type {const} */ ('one-flush'),
    keyPrefix,
  };
  let next = 0;
  let done = 0;
  let toldAt = performance.now();
  let failed = false;

  /** @param {Connection} connection */
  const fill = (connection) =>
    new Promise((resolve, reject) => {
      let trouble = '';
      const start = () => {
        if (failed || signal.aborted || next >= count) return resolve(undefined);
        // The last batch would go over the end: it writes the last keys again instead.
        const first = Math.min(next, count - pipeline);
        next += pipeline;
        for (let i = 0; i < pipeline; i++) connection.keys[i] = first + i;
        connection.write();
      };
      connection.onError = (text) => {
        trouble ||= text;
      };
      connection.onBatch = () => {
        if (connection.outcomes.some((outcome) => outcome !== Outcome.acked)) {
          failed = true;
          reject(notWritten(trouble, connection.waitCount, replicas));
          return;
        }
        // What is answered after it was given up is of no interest to anybody.
        if (failed) return;
        done = Math.min(count, done + pipeline);
        tell();
        start();
      };
      start();
    });

  const tell = () => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    onProgress?.(done);
  };

  /** @type {Connection[]} */
  const opened = [];
  try {
    for (let i = 0; i < connections; i++) opened.push(await native.connect(target, shape));
    await untilAborted(Promise.all(opened.map(fill)), signal);
  } finally {
    failed = true;
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

/**
 * @param {string} trouble what the server said
 * @param {number} reached replicas that acknowledged
 * @param {number} replicas that were to
 */
function notWritten(trouble, reached, replicas) {
  const why = trouble || `${reached} of ${replicas} replicas acknowledged within ${WAIT_MS / 1000} s`;
  return new UserError(
    `The keys to load could not be written: ${why.replace(/\.+$/, '')}.`,
    REMEDIES[trouble && errorKind(trouble)] ?? 'Check that a healthy primary with healthy replicas answers there.',
  );
}

/** @type {Record<string, string>} by the kind of error */
const REMEDIES = {
  OOM: 'Raise the server’s maxmemory, or load fewer keys or smaller values.',
  MISCONF: 'See the server’s log for why it cannot write its files: most often the disk is full.',
  NOREPLICAS: 'min-replicas-to-write asks for more healthy replicas than there are; bring them back or lower it.',
  READONLY: 'This node is a replica; name the primary.',
  CLOSED: 'See the server’s log for why it ended: it may have run out of memory.',
};
