/**
 * The keys that a case writes, and taking them away again. Nothing else in a database is touched.
 */
import { KEY_DIGITS } from '../client/native-batch.js';

const MOST_KEYS = 100_000;
/** A case's values together stay below this, on each node. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Keys an UNLINK, so that no single command holds the server up. */
const UNLINK_BATCH = 1000;

/**
 * @param {number} payloadBytes
 * @returns {number} how many keys a case draws from: enough to miss the CPU caches, few enough to fit in memory
 */
export function keyspaceFor(payloadBytes) {
  return Math.max(1, Math.min(MOST_KEYS, Math.floor(MOST_BYTES / payloadBytes)));
}

/**
 * @param {{call: (...command: string[]) => Promise<unknown>}} primary a control connection
 * @param {string} keyPrefix
 * @param {number} count keys `0 … count - 1` are removed
 */
export async function removeKeys(primary, keyPrefix, count) {
  for (let first = 0; first < count; first += UNLINK_BATCH) {
    const keys = [];
    for (let number = first; number < Math.min(count, first + UNLINK_BATCH); number++) {
      keys.push(keyPrefix + String(number).padStart(KEY_DIGITS, '0'));
    }
    await primary.call('UNLINK', ...keys);
  }
}
