/**
 * The keys that a benchmark writes, and taking them away again. Nothing else in a database is touched.
 */
import { randomBytes } from 'node:crypto';
import { keyName } from '../client/native-batch.js';
import { KEY_NAMESPACE } from '../cluster/topology.js';
import { firstKeyOf } from '../load/peers.js';

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
 */

/**
 * @param {Pick<import('./types.js').CaseParams, 'payloadBytes' | 'keyspace' | 'preloadKeys'>} params of a case
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
 * @param {import('./types.js').Case[]} cases of one benchmark
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
 * @returns {Promise<number>} how many of them were there
 */
export async function removeKeys(primary, { prefix, count, starts = [0] }) {
  let removed = 0;
  for (const start of starts) {
    removed += await removeRange(primary, prefix, start, start + count);
  }
  return removed;
}

/**
 * @param {Primary} primary
 * @param {string} prefix
 * @param {number} start
 * @param {number} end
 * @returns {Promise<number>} how many there were
 */
async function removeRange(primary, prefix, start, end) {
  let removed = 0;
  for (let first = start; first < end; first += UNLINK_BATCH) {
    const names = [];
    for (let number = first; number < Math.min(end, first + UNLINK_BATCH); number++) {
      names.push(keyName(prefix, number));
    }
    // Asked first: a primary that lacks replicas refuses writes, those too that change nothing.
    if (Number(await primary.call('EXISTS', ...names)) > 0) {
      removed += Number(await primary.call('UNLINK', ...names));
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
