/**
 * The keys that a benchmark writes, and taking them away again. Nothing else in a database is touched.
 */
import { randomBytes } from 'node:crypto';
import { keyName } from '../clients/native-batch.js';
import { removeByPrefix } from '../faults/keys.js';
import { firstKeyOf } from '../load/peers.js';
import { isReplyError } from '../stacks/redis/control.js';
import { KEY_NAMESPACE } from '../stacks/redis/topology.js';

/**
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
