/**
 * The thread of a trial's writers as the orchestrating thread sees it.
 */
import { Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';

/** @import { TrialPlan, TrialSample, TrialThread } from './trial-types.js' */

/** Connecting has deadlines of its own, of up to 15 s; a start or a stop that takes so much longer hangs. */
const GRACE_MS = 30_000;

/**
 * @typedef {{answer?: any, error?: {message: string, remedy?: string}}} Message
 * @typedef {{resolve: (answer: any) => void, reject: (error: Error) => void}} Asker
 */

/**
 * @returns {TrialThread} `start` and `stop` reject when the thread fails or hangs; it is then
 *   replaced, and the next trial finds a new one
 */
export function startTrialThread() {
  /** @type {Worker | null} */
  let worker = null;
  let drainMs = 0;
  /** Why the thread ended that a trial was running in. @type {Error | null} */
  let failure = null;
  /** Whoever awaits an answer. @type {Asker | null} */
  let asker = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {(asker: Asker) => void} settle */
  const answer = (settle) => {
    clearTimeout(timer);
    const asked = asker;
    asker = null;
    if (asked) settle(asked);
  };

  /**
   * @param {Worker} failed
   * @param {string} reason
   */
  const abandon = (failed, reason) => {
    if (worker !== failed) return;
    worker = null;
    failure = new Error(reason);
    failed.terminate();
    answer(({ reject }) => reject(new Error(reason)));
  };

  const startWorker = () => {
    const started = new Worker(new URL('./trial-worker.js', import.meta.url));
    started.on('message', (/** @type {Message} */ { answer: value, error }) => {
      answer(({ resolve, reject }) => {
        if (!error) resolve(value);
        else reject(error.remedy ? new UserError(error.message, error.remedy) : new Error(error.message));
      });
    });
    started.on('error', (error) => abandon(started, `the writers' thread failed: ${error.message}`));
    started.on('exit', (status) => abandon(started, `the writers' thread ended with status ${status}`));
    return started;
  };

  /**
   * @param {Worker} asked
   * @param {{plan?: TrialPlan}} message
   * @param {number} deadlineMs
   * @returns {Promise<any>}
   */
  const ask = (asked, message, deadlineMs) =>
    new Promise((resolve, reject) => {
      asker = { resolve, reject };
      const late = `the writers' thread did not answer within ${Math.round(deadlineMs / 1000)} s`;
      timer = setTimeout(() => abandon(asked, late), deadlineMs);
      asked.postMessage(message);
    });

  return {
    start(plan) {
      worker ??= startWorker();
      failure = null;
      drainMs = plan.drainMs;
      return ask(worker, { plan }, GRACE_MS);
    },
    async stop() {
      if (!worker) throw failure ?? new Error('there is no trial to stop');
      return ask(worker, {}, drainMs + GRACE_MS);
    },
    async close() {
      const ending = worker;
      worker = null;
      await ending?.terminate();
      answer(({ reject }) => reject(new Error("the writers' thread was closed")));
    },
  };
}
