/**
 * Copying with SCAN, DUMP and RESTORE and, if asked, copying changed keys again. In a worker thread this file is the thread of one pair.
 *
 * @import { Connection } from '../../src/clients/connection.js'
 * @import { Reply } from '../../src/resp/reader.js'
 * @import { Word } from '../../src/resp/writer.js'
 */
import { parentPort, workerData } from 'node:worker_threads';
import { connect, knowsExpireTime } from '../../src/clients/connection.js';
import { threadCpuSeconds } from '../../src/load/thread.js';
import { ErrorReply } from '../../src/resp/reader.js';
import { answerQuestions } from '../../src/worker-thread.js';
import { watchNotices } from './notices.js';

/**
 * @import { Pair } from './move.js'
 * @import { Notices } from './notices.js'
 */

/**
 * @typedef {{pair: Pair, scanCount: number, notices: boolean, totals: Float64Array}} ScanTask totals: shared memory
 * @typedef {'start' | 'full' | 'settle'} ScanStep start: connects and notices changes; full: copies all keys; settle: copies the last changes
 *
 * @typedef {Object} Scan
 * @property {() => Promise<void>} full copies all keys, then keys that change. Call it once; rejects with what went wrong
 * @property {() => Promise<void>} settle resolves when every earlier change has been copied
 * @property {() => {bytesIn: number, bytesOut: number}} bytes until now
 * @property {() => void} close idempotent
 *
 * @typedef {Object} KeyCopier
 * @property {(keys: Word[], more?: Word[][]) => Promise<Reply[]>} move reads the keys and begins to write them, when the keys of
 *   the call before are written. `more` is sent to the source behind them; resolves to its replies.
 *   Await it before the next call
 * @property {() => Promise<void>} written everything moved has been written; rejects when the copy refused a key
 */

/** Answers of PEXPIRETIME and PTTL for a key that never expires, and for a missing key. */
const NEVER = -1;
const NO_KEY = -2;

/**
 * Database 0 only. Without notices, a change while a key is read remains as a difference.
 * @param {Pair} pair
 * @param {Object} options
 * @param {number} options.scanCount COUNT of SCAN, and how many changed keys travel in one pipeline; ≥ 1
 * @param {boolean} options.notices changed keys are copied again; the source must notify changes already
 * @param {(keys: number) => void} options.onWritten called after each written page
 * @param {(error: Error) => void} options.onFailure called once
 * @returns {Promise<Scan>} resolves when changes are noticed
 */
async function startScan(pair, { scanCount, notices, onWritten, onFailure }) {
  const { credentials } = pair;
  const source = await connect({ ...pair.source, credentials });
  /** @type {Connection | undefined} */
  let copy;
  /** @type {Notices | undefined} */
  let noticeReader;
  /** Keys that were changed and not read since, in that order. @type {Set<string>} */
  const changed = new Set();
  let unread = changed.values();
  /** Called when a key was changed. */
  let wake = () => {};
  /** Called when nothing is left to do. @type {(() => void)[]} */
  const idle = [];
  /** The scan or a page is under way. */
  let busy = true;
  /** @type {Error | null} */
  let failure = null;

  const close = () => {
    source.close();
    copy?.close();
    noticeReader?.close();
  };

  /** @param {Error} error */
  const fail = (error) => {
    if (failure) return;
    failure = error;
    close();
    onFailure(error);
    wake();
  };

  /** @param {number} most */
  const takeChanged = (most) => {
    const keys = [];
    while (keys.length < most && changed.size > 0) {
      const { done, value } = unread.next();
      if (done) {
        unread = changed.values();
      } else {
        changed.delete(value);
        keys.push(value);
      }
    }
    return keys;
  };

  /** @param {KeyCopier} copier */
  const follow = async (copier) => {
    while (!failure) {
      const keys = takeChanged(scanCount);
      if (keys.length > 0) {
        await copier.move(keys);
        continue;
      }
      await copier.written();
      if (changed.size > 0) continue;
      busy = false;
      for (const resolve of idle.splice(0)) resolve();
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
      });
      busy = true;
    }
  };

  try {
    copy = await connect({ ...pair.copy, credentials });
    const copier = await keyCopier(source, copy, onWritten);
    if (notices) {
      const onChange = (/** @type {string} */ key) => {
        changed.add(key);
        wake();
      };
      noticeReader = await watchNotices({ ...pair.source, credentials }, onChange, fail);
    }
    const page = String(scanCount);
    return {
      async full() {
        try {
          let cursor = '0';
          /** @type {Buffer[]} */
          let keys = [];
          do {
            // The next page is asked for with this one's values.
            const [reply] = await copier.move(keys, [['SCAN', cursor, 'COUNT', page]]);
            if (!Array.isArray(reply))
              throw reply instanceof Error ? reply : new Error('SCAN was answered with no page');
            cursor = String(reply[0]);
            keys = /** @type {Buffer[]} */ (reply[1]);
          } while (cursor !== '0');
          await copier.move(keys);
          await copier.written();
        } catch (error) {
          fail(/** @type {Error} */ (error));
          throw failure;
        }
        follow(copier).catch(fail);
      },
      async settle() {
        await noticeReader?.caughtUp();
        if (failure) throw failure;
        if (!busy && changed.size === 0) return;
        await new Promise((resolve) => {
          idle.push(() => resolve(undefined));
        });
      },
      bytes: () => ({
        bytesIn: source.bytesRead + (noticeReader?.bytesRead() ?? 0),
        bytesOut: copy?.bytesWritten ?? 0,
      }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * @param {Connection} source
 * @param {Connection} copy
 * @param {(keys: number) => void} onWritten
 * @returns {Promise<KeyCopier>}
 */
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
function copying({ pair, scanCount, notices, totals }) {
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

  /** @param {boolean} exactly */
  const count = (exactly) => {
    const { bytesIn, bytesOut } = scan?.bytes() ?? { bytesIn: 0, bytesOut: 0 };
    totals[Total.bytesIn] = bytesIn;
    totals[Total.bytesOut] = bytesOut;
    if (!exactly && performance.now() < cpuAt) return;
    cpuAt = performance.now() + CPU_MS;
    totals[Total.cpuSeconds] = threadCpuSeconds() ?? Number.NaN;
  };

  const onWritten = (/** @type {number} */ keys) => {
    totals[Total.keys] += keys;
    count(false);
  };

  return async (step) => {
    if (step === 'start') {
      scan = await startScan(pair, { scanCount, notices, onWritten, onFailure });
      return;
    }
    await Promise.race([failure, scan?.[step]()]);
    count(true);
  };
}

if (parentPort && workerData?.scanTask) answerQuestions(copying(workerData.scanTask));
