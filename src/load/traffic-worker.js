/**
 * The thread of {@link Traffic}: one traffic, from its plan to its sample.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { runTraffic } from './traffic-run.js';

/**
 * @import { UserError } from '../errors.js'
 * @import { Traffic } from './traffic-types.js'
 */

const port = parentPort;
if (!port) throw new Error('src/load/traffic-worker.js runs as a worker thread only');

/** @param {() => Promise<unknown>} work */
async function answer(work) {
  try {
    port?.postMessage({ answer: await work() });
  } catch (error) {
    const { message, remedy } = /** @type {Partial<UserError>} */ (error);
    port?.postMessage({ error: { message: message ?? String(error), remedy } });
  }
}

/** @type {Awaited<ReturnType<typeof runTraffic>> | undefined} */
let traffic;

await answer(async () => {
  traffic = await runTraffic(workerData);
});
port.on('message', () => answer(async () => traffic?.stop()));
