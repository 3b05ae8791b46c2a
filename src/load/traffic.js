/**
 * Traffic as the orchestrating thread sees it: a thread of its own makes it until it is told to stop.
 */
import { Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';

/** @import { Traffic, TrafficPlan, TrafficSample } from './traffic-types.js' */

/** Connecting and draining have deadlines of their own; what takes longer than this hangs. */
const GRACE_MS = 20_000;

/**
 * @typedef {{answer?: any, error?: {message: string, remedy?: string}}} Message
 */

/**
 * @param {TrafficPlan} plan
 * @returns {Promise<Traffic>} resolves when it is connected and the first request leaves. `stop` rejects when the thread fails,
 *   hangs, or was closed before; after it has resolved there is nothing left to close
 * @throws {UserError} the node cannot be reached
 */
export async function startTraffic(plan) {
  const worker = new Worker(new URL('./traffic-worker.js', import.meta.url), { workerData: plan });
  /** Why it ended. @type {Error | null} */
  let ended = null;
  /** @type {{resolve: (answer: any) => void, reject: (error: Error) => void} | null} */
  let asker = null;
  /** @type {Promise<TrafficSample> | undefined} */
  let stopped;

  worker.on('message', ({ answer, error }) => {
    const asked = asker;
    asker = null;
    if (!error) asked?.resolve(answer);
    else asked?.reject(error.remedy ? new UserError(error.message, error.remedy) : new Error(error.message));
  });
  worker.on('error', (error) => end(new Error(`the traffic's thread failed: ${error.message}`)));
  worker.on('exit', (status) => end(new Error(`the traffic's thread ended with status ${status}`)));

  /** @param {Error} reason */
  async function end(reason) {
    ended ??= reason;
    asker?.reject(ended);
    asker = null;
    await worker.terminate();
  }

  /** @returns {Promise<any>} what the thread answers next */
  function answer() {
    if (ended) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(new Error("the traffic's thread did not answer in time")), GRACE_MS);
      /** @type {<T>(settle: (value: T) => void) => (value: T) => void} */
      const once = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      asker = { resolve: once(resolve), reject: once(reject) };
    });
  }

  const close = () => end(new Error("the traffic's thread was closed"));

  async function stop() {
    const sample = answer();
    worker.postMessage('stop');
    try {
      return await sample;
    } finally {
      await close();
    }
  }

  try {
    await answer();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
    close,
  };
}
