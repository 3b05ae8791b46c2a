/** The movers `scan` and `scan-ksn`: a thread of this tool copies. */
import { once } from '../../src/once.js';
import { startWorker } from '../../src/worker-thread.js';
import { NOT_COUNTED, SETTLE_MS, within } from './move.js';
import { switchNoticesOn } from './notices.js';
import { Total } from './scan.js';

/**
 * @import { Move, Mover, MoverOptions, Pair } from './move.js'
 * @import { ScanStep, ScanTask } from './scan.js'
 */

/** Connecting has deadlines of its own; a start that takes longer hangs. */
const START_MS = 20_000;

/** @param {string} name @param {boolean} notices changed keys are copied again @returns {Mover} */
export function scanMover(name, notices) {
  return { name, start: (pair, options) => startMove(pair, notices, options) };
}

/** @param {Pair} pair @param {boolean} notices @param {MoverOptions} options @returns {Promise<Move>} */
async function startMove(pair, notices, { scanCount, signal }) {
  const putBack = await switchNoticesOn(notices ? [pair] : [], signal);
  /** @type {ReturnType<typeof startThread> | undefined} */
  let thread;
  try {
    thread = startThread({ pair, scanCount, notices }, signal);
    await within(START_MS, 'the thread that copies did not start', thread.ready);
  } catch (error) {
    await thread?.end();
    await putBack();
    throw error;
  }
  const { full, settle, totals, end } = thread;
  return {
    full,
    settle: () => within(SETTLE_MS, 'the copy did not catch up', settle()),
    totals,
    close: once(() => end().then(putBack)),
  };
}

/** @param {Omit<ScanTask, 'totals'>} task @param {AbortSignal} [signal] */
function startThread(task, signal) {
  const totals = new Float64Array(new SharedArrayBuffer(Total.count * Float64Array.BYTES_PER_ELEMENT));
  const thread = startWorker(new URL('./scan.js', import.meta.url), {
    name: 'the thread that copies',
    data: { scanTask: { ...task, totals } },
  });
  /** @param {ScanStep} step */
  const ask = (step) => thread.ask(step);
  const abort = () => thread.close(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const ready = ask('start');
  const full = ready.then(() => ask('full'));
  // `settle` reports the failure to callers that do not wait for this.
  full.catch(() => {});

  return {
    ready,
    full,
    async settle() {
      await full;
      await ask('settle');
    },
    totals: () => ({
      ...NOT_COUNTED,
      keys: totals[Total.keys],
      cpuSeconds: Number.isNaN(totals[Total.cpuSeconds]) ? null : totals[Total.cpuSeconds],
      networkInBytes: totals[Total.bytesIn],
      networkOutBytes: totals[Total.bytesOut],
    }),
    async end() {
      signal?.removeEventListener('abort', abort);
      await thread.close();
    },
  };
}
