/**
 * Copying with SCAN, DUMP and RESTORE and, if asked, copying changed keys again. In a worker thread this file is the thread of one pair.
 *
 * @import { Connection } from '../../src/clients/connection.js'
 * @import { Reply } from '../../src/resp/reader.js'
 * @import { Word } from '../../src/resp/writer.js'
 * @import { Pair } from './move.js'
 * @import { Notices } from './notices.js'
 */
import { parentPort, workerData } from 'node:worker_threads';
import { connect, knowsExpireTime } from '../../src/clients/connection.js';
import { threadCpuSeconds } from '../../src/load/thread.js';
import { ErrorReply } from '../../src/resp/reader.js';
import { waitFor } from '../../src/wait.js';
import { answerQuestions } from '../../src/worker-thread.js';
import { watchNotices } from './notices.js';

/**
 * @typedef {{pair: Pair, scanCount: number, notices: boolean, totals: Float64Array}} ScanTask totals: shared memory
 * @typedef {'start' | 'full' | 'settle'} ScanStep start: connects and notices changes; full: copies all keys; settle: copies the last changes
 *
 * @typedef {Object} Scan
 * @property {() => Promise<void>} full copies all keys, then keys that change. Call it once; rejects with what went wrong
 * @property {() => Promise<void>} settle resolves when every earlier change has been copied
 * @property {() => {bytesIn: number, bytesOut: number}} bytes until now
 *
 * @typedef {Object} KeyCopier
 * @property {(keys: Word[], more?: Word[][]) => Promise<Reply[]>} move reads the keys and begins to write them, when those of the call before are written.
 *   `more` is sent to the source behind them; resolves to its replies. Await it before the next call
 * @property {() => Promise<void>} written everything moved has been written; rejects when the copy refused a key
 */

/** Answers of PEXPIRETIME and PTTL for a key that never expires, and for a missing key. */
const NEVER = -1;
const NO_KEY = -2;
const SETTLE_POLL_MS = 2;

/**
 * Database 0 only. Without notices, a change while a key is read remains as a difference.
 * @type {(task: ScanTask, onWritten: (keys: number) => void, onFailure: (error: Error) => void) => Promise<Scan>} when changes are noticed
 */
async function startScan({ pair, scanCount, notices }, onWritten, onFailure) {
  const { credentials } = pair;
  const changed = createChanged();
  /** The scan or a page is under way. */
  let busy = true;
  /** @type {Error | null} */
  let failure = null;
  /** @type {(Connection | Notices)[]} */
  const open = [];

  /** @param {Error} error */
  const fail = (error) => {
    if (failure) return;
    failure = error;
    for (const each of open) each.close();
    onFailure(error);
    changed.wake();
  };

  async function connectBoth() {
    const source = await connect({ ...pair.source, credentials });
    open.push(source);
    const copy = await connect({ ...pair.copy, credentials });
    open.push(copy);
    const copier = await keyCopier(source, copy, onWritten);
    const reader = notices ? await watchNotices({ ...pair.source, credentials }, changed.add, fail) : null;
    if (reader) open.push(reader);
    return { source, copy, copier, reader };
  }
  const { source, copy, copier, reader } = await connectBoth().catch((error) => {
    for (const each of open) each.close();
    throw error;
  });

  async function follow() {
    while (!failure) {
      const keys = changed.take(scanCount);
      if (keys.length > 0) {
        await copier.move(keys);
        continue;
      }
      await copier.written();
      if (!changed.isEmpty()) continue;
      busy = false;
      await changed.next();
      busy = true;
    }
  }

  return {
    async full() {
      await copyAll(copier, scanCount).catch((error) => {
        fail(error);
        throw failure;
      });
      follow().catch(fail);
    },
    async settle() {
      await reader?.caughtUp();
      const isIdle = () => {
        if (failure) throw failure;
        return !busy && changed.isEmpty();
      };
      await waitFor(isIdle, { deadlineMs: Number.POSITIVE_INFINITY, pollMs: SETTLE_POLL_MS });
    },
    bytes: () => ({ bytesIn: source.bytesRead + (reader?.bytesRead() ?? 0), bytesOut: copy.bytesWritten }),
  };
}

/** @param {KeyCopier} copier @param {number} scanCount COUNT of SCAN */
async function copyAll(copier, scanCount) {
  let cursor = '0';
  /** @type {Buffer[]} */
  let keys = [];
  do {
    // The next page is asked for with this one's values.
    const [reply] = await copier.move(keys, [['SCAN', cursor, 'COUNT', String(scanCount)]]);
    if (!Array.isArray(reply)) throw reply instanceof Error ? reply : new Error('SCAN was answered with no page');
    cursor = String(reply[0]);
    keys = /** @type {Buffer[]} */ (reply[1]);
  } while (cursor !== '0');
  await copier.move(keys);
  await copier.written();
}

/** Keys that were changed and not read since, in that order. */
function createChanged() {
  /** @type {Set<string>} */
  const keys = new Set();
  // Kept: a new iterator would pass what was deleted before it.
  let unread = keys.values();
  let wake = () => {};
  return {
    isEmpty: () => keys.size === 0,
    wake: () => wake(),
    /** @param {string} key */
    add(key) {
      keys.add(key);
      wake();
    },
    /** @param {number} most */
    take(most) {
      const taken = [];
      while (taken.length < most && keys.size > 0) {
        const { done, value } = unread.next();
        if (done) {
          unread = keys.values();
        } else {
          keys.delete(value);
          taken.push(value);
        }
      }
      return taken;
    },
    /** @returns {Promise<void>} of the next change */
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
}

/** @param {Connection} source @param {Connection} copy @param {(keys: number) => void} onWritten @returns {Promise<KeyCopier>} */
async function keyCopier(source, copy, onWritten) {
  // Before Redis 7.0 only the remaining time is known, so the copy expires later by the time of the transfer.
  const exact = await knowsExpireTime(source);
  const expiry = exact ? 'PEXPIRETIME' : 'PTTL';
  const flags = exact ? ['REPLACE', 'ABSTTL'] : ['REPLACE'];
  let writing = Promise.resolve();

  /** @param {Word[][]} commands */
  async function write(commands) {
    const replies = await copy.pipeline(commands);
    const refused = replies.find((reply) => reply instanceof ErrorReply);
    if (refused) throw new Error(`the copy refused a key: ${/** @type {ErrorReply} */ (refused).message}`);
    onWritten(replies.length);
  }

  return {
    async move(keys, more = []) {
      /** @type {Word[][]} */
      const reads = [];
      for (const key of keys) reads.push(['DUMP', key], [expiry, key]);
      const replies = await source.pipeline(reads.concat(more));
      const commands = keys.map((key, index) => {
        const payload = replies[2 * index];
        const expires = replies[2 * index + 1];
        if (payload instanceof ErrorReply) throw payload;
        if (expires instanceof ErrorReply) throw expires;
        // Gone, maybe since it was named.
        if (!(payload instanceof Buffer) || expires === NO_KEY) return ['UNLINK', key];
        // PTTL says 0 in a key's last millisecond; RESTORE would take that for never.
        return ['RESTORE', key, expires === NEVER ? '0' : String(expires || 1), payload, ...flags];
      });
      await writing;
      writing = write(commands);
      // The next call reports the failure.
      writing.catch(() => {});
      return replies.slice(reads.length);
    },
    written: () => writing,
  };
}

/** Reading the CPU time takes a system call: not at every page. */
const CPU_MS = 50;

/** Places of the shared totals. */
export const Total = Object.freeze({ keys: 0, cpuSeconds: 1, bytesIn: 2, bytesOut: 3, count: 4 });

/**
 * The thread's work.
 * @param {ScanTask} task
 * @returns {(step: ScanStep) => Promise<void>} to be called for each step, in their order; rejects with what went wrong
 */
function copying(task) {
  const { totals } = task;
  let cpuAt = 0;
  /** @type {Scan | undefined} */
  let scan;
  /** @type {(error: Error) => void} */
  let onFailure = () => {};
  const failure = new Promise((_, reject) => {
    onFailure = reject;
  });
  // The next step reports it.
  failure.catch(() => {});

  const count = () => {
    const { bytesIn, bytesOut } = scan?.bytes() ?? { bytesIn: 0, bytesOut: 0 };
    totals[Total.bytesIn] = bytesIn;
    totals[Total.bytesOut] = bytesOut;
    cpuAt = performance.now() + CPU_MS;
    totals[Total.cpuSeconds] = threadCpuSeconds() ?? Number.NaN;
  };
  const onWritten = (/** @type {number} */ keys) => {
    totals[Total.keys] += keys;
    if (performance.now() >= cpuAt) count();
  };

  return async (step) => {
    if (step === 'start') {
      scan = await startScan(task, onWritten, onFailure);
      return;
    }
    await Promise.race([failure, scan?.[step]()]);
    count();
  };
}

if (parentPort && workerData?.scanTask) answerQuestions(copying(workerData.scanTask));
