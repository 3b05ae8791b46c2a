import { setTimeout as delay } from 'node:timers/promises';
import { keyName } from '../../clients/native-batch.js';
import { isReplyError } from './control.js';

/** @import { Control, Keys, Removal } from '../types.js' */

/** @typedef {Pick<import('../types.js').Control, 'call'>} Primary */

/** Keys that one command looks at; it takes less than a millisecond. */
const SCAN_COUNT = 1000;

/** Replicas report once a second, so a primary may still refuse writes shortly after they are back. */
const WRITABLE_DEADLINE_MS = 10_000;
const WRITABLE_POLL_MS = 100;

/**
 * Scans the whole database, a page at a time. @param {Primary} control @param {string} prefix that we made @param {Removal} [options]
 * @returns number of removed keys
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
      const ownKeys = keys.map(String).filter((key) => key.startsWith(prefix));
      if (ownKeys.length > 0) {
        await unlink(control, ownKeys);
        removed += ownKeys.length;
        onRemoved?.(ownKeys.length);
      }
      cursor = String(next);
    } catch (error) {
      if (!String(error).includes('NOREPLICAS') || performance.now() > deadline) throw error;
      await delay(WRITABLE_POLL_MS);
    }
  } while (cursor !== '0');
  return removed;
}

/** A server may hide UNLINK, or not allow it; DEL does the same more slowly. @param {Primary} control @param {readonly string[]} keys */
export async function unlink(control, keys) {
  try {
    return await control.call('UNLINK', ...keys);
  } catch (error) {
    if (!isReplyError(error) || !/^NOPERM|unknown command/i.test(error.message)) throw error;
    return control.call('DEL', ...keys);
  }
}

/** Keys an UNLINK, so that no command delays the server for long. */
const UNLINK_BATCH = 1000;

/** @param {Primary} primary @param {Keys} keys @param {Removal} [options] @returns number of removed keys */
export async function removeKeys(primary, { prefix, count, starts = [0] }, { signal, onRemoved } = {}) {
  let removed = 0;
  for (const start of starts) {
    for (let first = start; first < start + count; first += UNLINK_BATCH) {
      signal?.throwIfAborted();
      const length = Math.min(UNLINK_BATCH, start + count - first);
      const names = Array.from({ length }, (_, index) => keyName(prefix, first + index));
      // A primary that lacks replicas refuses every write, even one without effect.
      if (Number(await primary.call('EXISTS', ...names)) === 0) continue;
      const gone = Number(await unlink(primary, names));
      removed += gone;
      onRemoved?.(gone);
    }
  }
  return removed;
}

/**
 * Tries every possible name or scans the database, whichever is less: only a part of the keys may have been written.
 * @param {Control} primary @param {Keys} keys @param {Removal} [options]
 */
export async function removeWhatWasWritten(primary, keys, options) {
  const scans = await isScanShorter(primary, keys);
  const remove = () => (scans ? removeByPrefix(primary, keys.prefix, options) : removeKeys(primary, keys, options));
  while ((await remove()) > 0);
}

/** False also without permission for these commands. @param {Control} primary @param {Keys} keys */
async function isScanShorter(primary, { count }) {
  try {
    if (Number(await primary.call('DBSIZE')) >= count) return false;
    await primary.call('SCAN', '0', 'COUNT', '1');
    return true;
  } catch (error) {
    if (isReplyError(error)) return false;
    throw error;
  }
}
