/**
 * Removing the keys that somebody wrote under a prefix of their own, when nobody knows any more which.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** @import { Control } from './control.js' */

/** Keys that one command looks at; it holds the node up for less than a millisecond. */
const SCAN_COUNT = 1000;

/** Replicas that were just set going again have yet to say so: they do once a second. */
const WRITABLE_DEADLINE_MS = 10_000;
const WRITABLE_POLL_MS = 100;

/**
 * Looks at every key of the database, a page at a time.
 *
 * @param {Pick<Control, 'call'>} control of a primary
 * @param {string} prefix of our own making: without a character that means something in a pattern
 * @param {{signal?: AbortSignal, onRemoved?: (keys: number) => void}} [options] signal: ends it after the page under way; onRemoved:
 *   told how many keys each page had
 * @returns {Promise<number>} how many were removed
 */
export async function removeByPrefix(control, prefix, { signal, onRemoved } = {}) {
  let removed = 0;
  let cursor = '0';
  const deadline = performance.now() + WRITABLE_DEADLINE_MS;
  do {
    signal?.throwIfAborted();
    const reply = await control.call('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', SCAN_COUNT);
    if (!Array.isArray(reply) || !Array.isArray(reply[1])) throw new Error('SCAN was not answered with keys');
    const [next, keys] = reply;
    try {
      const own = keys.map(String).filter((key) => key.startsWith(prefix));
      if (own.length > 0) {
        await control.call('UNLINK', ...own);
        removed += own.length;
        onRemoved?.(own.length);
      }
      cursor = String(next);
    } catch (error) {
      if (!String(error).includes('NOREPLICAS') || performance.now() > deadline) throw error;
      await delay(WRITABLE_POLL_MS);
    }
  } while (cursor !== '0');
  return removed;
}
