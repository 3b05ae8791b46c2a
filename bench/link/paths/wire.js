/**
 * The wire between both ends of a path: counts the bytes, and slows them when asked to. It runs in a thread of its own and ends
 * with this process.
 */
import { Worker } from 'node:worker_threads';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { checkShape } from '../../../src/stacks/relay/relay.js';

/**
 * @import { Address, LinkShape } from '../../../src/stacks/types.js'
 * @import { Counts, Order } from './wire-thread.js'
 */

/**
 * @typedef {Object} Meter
 * @property {Address} address what the replica's end dials
 * @property {(shape: LinkShape | null) => Promise<void>} shape in force when it resolves; null: unlimited
 * @property {() => Promise<Counts>} counts since it was started
 * @property {() => Promise<void>} cut nothing passes any more and waiting bytes are lost, but no socket is closed; for good
 * @property {(on: boolean) => Promise<void>} dark true: nothing passes any more, and no socket is closed; false: what waits passes, and
 *   the rest. Not after a cut
 * @property {() => Promise<void>} close breaks all connections; idempotent
 */

/**
 * @param {Address} to where the wire leads
 * @returns {Promise<Meter>}
 */
export async function startMeter(to) {
  const worker = new Worker(new URL('./wire-thread.js', import.meta.url), {
    workerData: { to },
    // Options such as --input-type are for this process's program and would stop the thread from starting.
    execArgv: [],
  });
  /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
  const asked = new Map();
  /** @type {Error | null} */
  let over = null;
  let serial = 0;

  /** @param {Error} error */
  function end(error) {
    over ??= error;
    for (const { reject } of asked.values()) reject(over);
    asked.clear();
  }
  worker.on('error', (error) => end(new Error(`the wire’s thread failed: ${error.message}`, { cause: error })));
  worker.on('exit', () => end(new Error('the wire’s thread has ended')));
  worker.on('message', (answer) => {
    asked.get(answer.serial)?.resolve(answer);
    asked.delete(answer.serial);
    // The thread does not keep the process alive.
    if (asked.size === 0) worker.unref();
  });

  /** @param {Omit<Order, 'serial'>} [order] default: none; the answer comes when the thread listens */
  function ask(order) {
    const mine = order ? ++serial : 0;
    return new Promise((resolve, reject) => {
      if (over) {
        reject(over);
        return;
      }
      asked.set(mine, { resolve, reject });
      worker.ref();
      if (order) worker.postMessage({ serial: mine, ...order });
    });
  }

  const { port } = await ask();
  return {
    address: Object.freeze({ host: LOOPBACK, port }),
    async shape(shape) {
      if (shape) checkShape(shape);
      await ask({ shape });
    },
    counts: async () => (await ask({})).counts,
    async cut() {
      await ask({ cut: true });
    },
    async dark(on) {
      await ask({ dark: on });
    },
    async close() {
      await worker.terminate();
    },
  };
}
