/**
 * The load thread as the orchestrating thread sees it.
 */
import { Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';

/** @import { RoundPlan, RoundSample } from './types.js' */

/** What connecting, draining and closing may take beside the timed and warm-up parts. */
const GRACE_MS = 20_000;

/**
 * @typedef {Object} LoadThread runs one round at a time
 * @property {(plan: RoundPlan) => Promise<void>} prepare connects, warms up, drains
 * @property {(onProgress?: (operations: number) => void) => Promise<RoundSample>} go runs the timed part
 *   of the prepared round; `onProgress` is told now and then how many operations have ended, where the plan asks for it
 * @property {() => Promise<void>} close idempotent
 */

/**
 * @returns {LoadThread} `prepare` and `go` reject when the round cannot be run, or takes far longer than planned (a
 *   node that does not answer); the thread is then replaced, and the next round finds a new one
 */
export function startLoadThread() {
  /** @type {Worker | null} */
  let worker = null;
  let plannedSeconds = 0;

  /**
   * @param {object} message
   * @param {number} deadlineMs
   * @param {(operations: number) => void} [onProgress]
   * @returns {Promise<any>}
   */
  const ask = (message, deadlineMs, onProgress) =>
    new Promise((resolve, reject) => {
      worker ??= new Worker(new URL('./load-worker.js', import.meta.url));
      const asked = worker;
      /** @param {string} reason */
      const abandon = (reason) => {
        done();
        if (worker === asked) worker = null;
        asked.terminate().then(() => reject(new Error(reason)), reject);
      };
      const timer = setTimeout(
        () => abandon(`the load thread did not finish within ${Math.round(deadlineMs / 1000)} s`),
        deadlineMs,
      );
      /** @param {{error?: string, remedy?: string, progress?: number}} answer */
      const onMessage = (answer) => {
        if (answer.progress !== undefined) {
          onProgress?.(answer.progress);
          return;
        }
        done();
        if (answer.error === undefined) resolve(answer);
        else reject(answer.remedy ? new UserError(answer.error, answer.remedy) : new Error(answer.error));
      };
      /** @param {Error} error */
      const onError = (error) => abandon(`the load thread failed: ${error.message}`);
      /** @param {number} code */
      const onExit = (code) => abandon(`the load thread ended with status ${code}`);
      const done = () => {
        clearTimeout(timer);
        asked.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      asked.on('message', onMessage).on('error', onError).on('exit', onExit);
      asked.postMessage(message);
    });

  return {
    async prepare(plan) {
      plannedSeconds = plan.seconds + (plan.openLoop?.graceSeconds ?? 0);
      await ask({ plan }, plan.warmUpSeconds * 1000 + GRACE_MS);
    },
    async go(onProgress) {
      return (await ask({}, plannedSeconds * 1000 + GRACE_MS, onProgress)).sample;
    },
    async close() {
      const ending = worker;
      worker = null;
      await ending?.terminate();
    },
  };
}
