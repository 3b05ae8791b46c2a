/**
 * Worker threads that do one job at a time: both sides of the conversation, and what a thread used.
 * @import { WorkerThread } from '../worker-thread.js'
 * @import { Load } from './types.js'
 * @typedef {Object} JobThread all reject when the thread fails or misses its deadline; the next `begin` then starts a new one
 * @property {(plan: object, deadlineMs: number) => Promise<void>} begin resolves when the worker's `begin` has
 * @property {(part: object, deadlineMs: number) => Promise<any>} step does a part of a job; resolves to what the worker's `step` returned
 * @property {(deadlineMs: number, onProgress?: (progress: number) => void) => Promise<any>} finish to what the worker's `finish` returned
 * @property {() => void} stop asks a job that is being finished to end early
 * @property {() => Promise<void>} close idempotent; ends the thread, whatever it is doing
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { NS_A_SECOND } from '../units.js';
import { answerQuestions, startWorker } from '../worker-thread.js';

/** @param {{file: string, name: string, job: string}} what file: of the worker; name of the thread, job: for errors @returns {JobThread} */
export function openThread({ file, name, job }) {
  let worker = /** @type {WorkerThread | null} */ (null);

  /** @param {{plan?: object, part?: object}} message @param {number} deadlineMs @param {(progress: number) => void} [onProgress] */
  async function ask(message, deadlineMs, onProgress) {
    if (!worker) throw new Error(`there is no ${job} to stop`);
    return worker.ask(message, { deadlineMs, onProgress });
  }

  return {
    async begin(plan, deadlineMs) {
      if (!worker || worker.hasEnded()) worker = startWorker(new URL(file, import.meta.url), { name });
      return ask({ plan }, deadlineMs);
    },
    step: (part, deadlineMs) => ask({ part }, deadlineMs),
    finish: (deadlineMs, onProgress) => ask({}, deadlineMs, onProgress),
    // If it fails, so does the question that is under way.
    stop: () => void worker?.ask({ stop: true }).catch(() => {}),
    close: async () => worker?.close(new Error(`there is no ${job} to stop: ${name} was closed`)),
  };
}

/**
 * @typedef {Object} ThreadJob of the worker
 * @property {(part: any) => Promise<object | void>} [step] of a job that is made of parts @property {() => Promise<object>} finish
 * @property {() => void} [stop] makes `finish` resolve soon
 */

/** The worker's side of {@link openThread}. @template Plan @param {(plan: Plan) => Promise<ThreadJob>} begin */
export function doJobs(begin) {
  let job = /** @type {ThreadJob | null} */ (null);
  let finishing = /** @type {ThreadJob | null} */ (null);
  answerQuestions(async (/** @type {{plan?: Plan, part?: object, stop?: true}} */ { plan, part, stop }) => {
    if (stop) return finishing?.stop?.();
    if (plan) {
      job = await begin(plan);
      return undefined;
    }
    if (part && job?.step) return job.step(part);
    finishing = job;
    job = null;
    if (!finishing) throw new Error('there is nothing to finish');
    return finishing.finish();
  });
}

/** No thread ever wakes it: only its timeout ends a wait on it. */
const sleepCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Stops the calling thread and its event loop. Linux wakes it up to 0.05 ms late; timers count whole milliseconds. @param {number} ms */
export function sleepThread(ms) {
  Atomics.wait(sleepCell, 0, 0, ms);
}

/**
 * @returns {number | null} seconds of CPU that the calling thread has used, to the nanosecond; null where the system does not say. A
 *   synchronous read happens on the calling thread, so /proc/thread-self is that thread (Linux only)
 */
export function threadCpuSeconds() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / NS_A_SECOND;
  } catch {
    return null;
  }
}

/**
 * Starts measuring what the calling thread uses.
 * @returns {(sleptMs?: number) => Load} what it has used since; sleptMs: spent in {@link sleepThread}, which the event loop counts as work
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
