/**
 * The thread of one pair that is copied with SCAN, as {@link import('./scan-mover.js')} starts it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { threadCpuSeconds } from '../../../src/load/thread.js';
import { startScan } from './scan.js';

/**
 * @import { Pair } from './move.js'
 * @import { Scan } from './scan.js'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** Reading the CPU time takes a system call: not at every page. */
const CPU_MS = 50;

/** Places of the shared totals. */
export const Total = Object.freeze({ keys: 0, cpuSeconds: 1, bytesIn: 2, bytesOut: 3, count: 4 });

/**
 * @typedef {{pair: Pair, scanCount: number, notices: boolean, totals: Float64Array}} ScanTask totals: shared memory
 * @typedef {{told: 'ready' | 'full' | 'settled'} | {failed: {message: string, remedy?: string}}} Message
 */

if (parentPort && workerData?.scanTask) await work(parentPort, workerData.scanTask);

/**
 * @param {MessagePort} port
 * @param {ScanTask} task
 */
async function work(port, { pair, scanCount, notices, totals }) {
  /** @param {Message} message */
  const tell = (message) => port.postMessage(message);
  /** @param {Error & {remedy?: string}} error */
  const tellFailure = ({ message, remedy }) => tell({ failed: { message, ...(remedy && { remedy }) } });
  let cpuAt = 0;

  /** @param {boolean} exactly */
  const count = (exactly) => {
    const { bytesIn, bytesOut } = scan.bytes();
    totals[Total.bytesIn] = bytesIn;
    totals[Total.bytesOut] = bytesOut;
    if (!exactly && performance.now() < cpuAt) return;
    cpuAt = performance.now() + CPU_MS;
    totals[Total.cpuSeconds] = threadCpuSeconds() ?? Number.NaN;
  };

  /** @type {Scan} */
  let scan;
  try {
    scan = await startScan(pair, {
      scanCount,
      notices,
      onWritten(keys) {
        totals[Total.keys] += keys;
        count(false);
      },
      onFailure: tellFailure,
    });
  } catch (error) {
    tellFailure(/** @type {Error} */ (error));
    return;
  }
  port.on('message', async () => {
    try {
      await scan.settle();
      count(true);
      tell({ told: 'settled' });
    } catch (error) {
      tellFailure(/** @type {Error} */ (error));
    }
  });
  tell({ told: 'ready' });
  try {
    await scan.full();
    count(true);
    tell({ told: 'full' });
  } catch {
    // Told as a failure already.
  }
}
