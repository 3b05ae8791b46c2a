/**
 * Worker threads that do one job at a time: both sides of the conversation, and what a thread used.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parentPort, Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';

/** @import { Load } from './types.js' */

/**
 * @typedef {Object} JobThread
 * @property {(plan: object, deadlineMs: number) => Promise<any>} begin starts the thread if necessary; resolves to what the worker's
 *   `begin` told
 * @property {(part: object, deadlineMs: number) => Promise<any>} step does a part of a job that is made of parts; resolves to what the
 *   worker's `step` returned
 * @property {(deadlineMs: number, onProgress?: (progress: number) => void) => Promise<any>} finish resolves to what the worker's
 *   `finish` returned
 * @property {() => Promise<void>} close idempotent; ends the thread, whatever it is doing
 *
 * @typedef {{answer?: any, error?: {message: string, remedy?: string}, progress?: number}} Message from the worker
 *
 * @typedef {Object} Question under way
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((progress: number) => void) | undefined} onProgress
 * @property {NodeJS.Timeout} timer
 */

/**
 * @param {Object} what
 * @param {string} what.file of the worker, in this folder
 * @param {string} what.name of the thread, for errors
 * @param {string} what.job what it does, for errors
 * @returns {JobThread} `begin` and `finish` reject when the thread fails or misses its deadline; the next `begin` then starts a new one
 */
export function openThread({ file, name, job }) {
  /** @type {Worker | null} */
  let worker = null;
  /** @type {Question | null} */
  let question = null;
  /** Why there is no job to finish. */
  let reason = `there is no ${job} to stop`;

  function takeQuestion() {
    const taken = question;
    question = null;
    clearTimeout(taken?.timer);
    return taken;
  }

  /**
   * @param {Worker} failed
   * @param {string} why
   */
  async function abandon(failed, why) {
    if (worker !== failed) return;
    worker = null;
    reason = why;
    const unanswered = takeQuestion();
    await failed.terminate();
    unanswered?.reject(new Error(why));
  }

  function start() {
    const started = new Worker(new URL(file, import.meta.url));
    started.on('message', (/** @type {Message} */ { answer, error, progress }) => {
      if (worker !== started) return;
      if (progress !== undefined) {
        question?.onProgress?.(progress);
        return;
      }
      const answered = takeQuestion();
      if (!error) answered?.resolve(answer);
      else answered?.reject(error.remedy ? new UserError(error.message, error.remedy) : new Error(error.message));
    });
    started.on('error', (error) => abandon(started, `${name} failed: ${error.message}`));
    started.on('exit', (status) => abandon(started, `${name} ended with status ${status}`));
    return started;
  }

  /**
   * @param {Worker} asked
   * @param {{plan?: object, part?: object}} message
   * @param {number} deadlineMs
   * @param {(progress: number) => void} [onProgress]
   * @returns {Promise<any>}
   */
  function ask(asked, message, deadlineMs, onProgress) {
    if (question) return Promise.reject(new Error(`${name} is busy`));
    return new Promise((resolve, reject) => {
      const late = `${name} did not answer within ${Math.round(deadlineMs / 1000)} s`;
      question = { resolve, reject, onProgress, timer: setTimeout(() => abandon(asked, late), deadlineMs) };
      asked.postMessage(message);
    });
  }

  return {
    async begin(plan, deadlineMs) {
      worker ??= start();
      return ask(worker, { plan }, deadlineMs);
    },
    async step(part, deadlineMs) {
      if (!worker) throw new Error(reason);
      return ask(worker, { part }, deadlineMs);
    },
    async finish(deadlineMs, onProgress) {
      if (!worker) throw new Error(reason);
      return ask(worker, {}, deadlineMs, onProgress);
    },
    async close() {
      if (worker) await abandon(worker, `there is no ${job} to stop: ${name} was closed`);
    },
  };
}

/**
 * @typedef {Object} Job of the worker
 * @property {object} [told] what the other side's `begin` resolves to
 * @property {(part: any) => Promise<void>} [step] of a job that is made of parts
 * @property {() => Promise<object>} finish
 */

/**
 * The worker's side of {@link openThread}.
 *
 * @template Plan
 * @param {(plan: Plan) => Promise<Job>} begin
 */
export function doJobs(begin) {
  /** @type {Job | null} */
  let job = null;
  workerPort().on('message', async (/** @type {{plan?: Plan, part?: object}} */ { plan, part }) => {
    try {
      if (plan) {
        job = await begin(plan);
        workerPort().postMessage({ answer: job.told });
        return;
      }
      if (part && job?.step) {
        workerPort().postMessage({ answer: await job.step(part) });
        return;
      }
      const finishing = job;
      job = null;
      if (!finishing) throw new Error('there is nothing to finish');
      workerPort().postMessage({ answer: await finishing.finish() });
    } catch (error) {
      const { message = String(error), remedy } = /** @type {Partial<UserError>} */ (error);
      workerPort().postMessage({ error: { message, remedy } });
    }
  });
}

/**
 * Tells the other side how far the job is.
 *
 * @param {number} progress
 */
export function tellProgress(progress) {
  workerPort().postMessage({ progress });
}

function workerPort() {
  if (!parentPort) throw new Error('this module runs as a worker thread only');
  return parentPort;
}

/** No thread ever wakes it: only its timeout ends a wait on it. */
const sleepCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Stops the calling thread, its event loop included. Linux wakes it up to 0.05 ms late, where Node's timers count whole milliseconds.
 *
 * @param {number} ms
 */
export function sleepThread(ms) {
  Atomics.wait(sleepCell, 0, 0, ms);
}

/**
 * @returns {number | null} seconds of CPU that the calling thread has used, to the nanosecond; null where the system does not say. A
 *   synchronous read happens on the calling thread, so /proc/thread-self is that thread (Linux only)
 */
export function threadCpuSeconds() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return null;
  }
}

/**
 * Starts measuring what the calling thread uses.
 *
 * @returns {(sleptMs?: number) => Load} what it has used since; sleptMs: how long it spent in {@link sleepThread}, which the event loop
 *   counts as work
 */
export function measureThread() {
  const cpuBefore = threadCpuSeconds();
  const loopBefore = performance.eventLoopUtilization();
  const began = performance.now();
  return (sleptMs = 0) => {
    const seconds = (performance.now() - began) / 1000;
    const cpuAfter = threadCpuSeconds();
    const { active, idle } = performance.eventLoopUtilization(loopBefore);
    return {
      cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / seconds,
      eventLoopUtilization: Math.max(0, (active - sleptMs) / (active + idle)),
    };
  };
}
