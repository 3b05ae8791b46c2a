/**
 * Open loop: batches leave on a schedule that does not depend on the server, on any free connection. It records the response time (from the
 * scheduled send), the service time (from the actual send), and how late this thread itself was.
 */
import { newHistogram } from '../stats/histogram.js';
import { nanoseconds } from './recorder.js';
import { onStop } from './stop.js';
import { sleepThread } from './thread.js';

/**
 * @import { Connection } from '../clients/types.js'
 * @import { Draw } from './closed-loop.js'
 * @import { Recorder } from './recorder.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** Timers fire on whole milliseconds and a little late. Closer to the next batch than this, the thread polls the clock. */
const TIMER_SLACK_MS = 2;
/** With no reply to wait for, the thread sleeps until this long before the next batch, and leaves its CPU to the servers. */
const WAKE_EARLY_MS = 0.1;

/**
 * @typedef {'constant' | 'poisson'} Arrivals constant: evenly spaced; poisson: independent of each other, like the requests of many users
 *
 * @param {{rate: number, pipeline: number, arrivals: Arrivals, random: () => number}} options rate: operations a second, > 0; pipeline: operations
 *   a batch, ≥ 1; random: draws from [0, 1)
 * @returns {() => number} each call: the scheduled send of the next batch, in milliseconds since the start; the first is 0 (constant) or
 *   after one draw (poisson)
 */
export function createSchedule({ rate, pipeline, arrivals, random }) {
  const interval = (1000 * pipeline) / rate;
  if (arrivals === 'constant') {
    let index = 0;
    // A product, because the rounding errors of a sum would add up over millions of batches.
    return () => index++ * interval;
  }
  let at = 0;
  return () => {
    // 1 - random() lies in (0, 1], whose logarithm is finite.
    at -= Math.log(1 - random()) * interval;
    return at;
  };
}

/**
 * @typedef {Object} OpenLoopResult
 * @property {Histogram} service
 * @property {Histogram} lateness of this thread: from when a batch was due and a connection was free, to the actual send
 * @property {number} seconds from the start to the end of the schedule or to the last batch's end, whichever is later; to the loss of the
 *   last connection
 * @property {number} due operations that were scheduled
 * @property {number} dueSeconds length of the schedule: as planned, or shorter when it ran out of operations or was stopped
 * @property {number} sent how many of the due operations were sent
 * @property {number} sendingSeconds from the start to the last send, at least `dueSeconds`
 * @property {Waiting | null} waiting null: none were waiting
 *
 * @typedef {{operations: number, leastNs: number}} Waiting operations that were due and still unsent at the end, and the shortest of their waits.
 *   The recorder's histogram has these waits; the response times would have been longer
 */

/**
 * @param {Connection[]} connections none of them busy, all of the same shape
 * @param {Object} options
 * @param {number} options.seconds how long batches are due for
 * @param {number} options.graceSeconds how much longer overdue batches may still be sent
 * @param {number} [options.operations] how many are due at most; default: no limit
 * @param {() => number} options.schedule as `createSchedule` makes it
 * @param {Draw} options.draw
 * @param {Recorder} options.recorder its histogram takes response times
 * @param {AbortSignal} [options.stop] ends the schedule early
 * @returns {Promise<OpenLoopResult>}
 */
export function runOpenLoop(connections, options) {
  const { graceSeconds, operations = Infinity, schedule, draw, recorder, stop } = options;
  const service = newHistogram();
  const lateness = newHistogram();
  const intendedAt = new Float64Array(connections.length);
  const sentAt = new Float64Array(connections.length);
  const freeAt = new Float64Array(connections.length);
  // Last in, first out: the memory of the connection used last is still in the CPU cache.
  const free = new Int32Array(connections.length);
  let freeCount = connections.length;
  for (let i = 0; i < free.length; i++) free[i] = i;
  const batch = connections[0].keys.length;

  return new Promise((resolve) => {
    let { seconds } = options;
    const begin = performance.now();
    let lastDue = begin + seconds * 1000;
    let lastSend = lastDue + graceSeconds * 1000;
    let next = begin + schedule();
    let due = 0;
    let sent = 0;
    let lastSentAt = begin;
    let lastEndAt = begin;
    let busy = 0;
    let isWaiting = false;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;

    const isDue = () => next < lastDue && due < operations;
    const advance = () => {
      due += batch;
      next = begin + schedule();
    };

    /** @param {number} now */
    const send = (now) => {
      const index = free[--freeCount];
      const connection = connections[index];
      intendedAt[index] = next;
      sentAt[index] = now;
      lastSentAt = now;
      lateness.recordValueWithCount(nanoseconds(now - Math.max(next, freeAt[index])), batch);
      sent += batch;
      busy++;
      advance();
      draw(connection);
    };

    /** Operations that are still unsent count as due, and those that were due by now as waiting. */
    const passRest = () => {
      const now = performance.now();
      let waited = 0;
      let leastNs = 0;
      while (isDue()) {
        if (next < now) {
          leastNs = nanoseconds(now - next);
          recorder.histogram.recordValueWithCount(leastNs, batch);
          waited += batch;
        }
        advance();
      }
      return waited > 0 ? { operations: waited, leastNs } : null;
    };

    const dueSecondsNow = () => (due < operations ? seconds : Math.min(seconds, (next - begin) / 1000));

    const finish = () => {
      const waiting = passRest();
      const dueSeconds = dueSecondsNow();
      const sendingSeconds = Math.max(dueSeconds, (lastSentAt - begin) / 1000);
      const untilLastEnd = (lastEndAt - begin) / 1000;
      const took = freeCount === 0 ? untilLastEnd : Math.max(dueSeconds, untilLastEnd);
      resolve({ service, lateness, seconds: took, due, dueSeconds, sent, sendingSeconds, waiting });
    };

    /** Throughput is a share of the whole schedule, so the last batch's end must not shorten it. */
    const finishAfterSchedule = () => {
      const left = begin + dueSecondsNow() * 1000 - performance.now();
      if (left <= 0) finish();
      else timer = setTimeout(finishAfterSchedule, Math.ceil(left));
    };

    const look = () => {
      isWaiting = false;
      let now = performance.now();
      while (freeCount > 0 && isDue() && next <= now && now < lastSend) {
        send(now);
        now = performance.now();
      }
      if (freeCount === 0 && busy === 0) {
        finish();
        return;
      }
      if (!isDue() || now >= lastSend) {
        if (busy === 0) finishAfterSchedule();
        return;
      }
      // With no free connection, the next reply calls this again.
      if (freeCount === 0) return;
      isWaiting = true;
      const left = next - now;
      if (left > TIMER_SLACK_MS) {
        timer = setTimeout(look, Math.floor(left - TIMER_SLACK_MS / 2));
      } else {
        if (busy === 0 && left > WAKE_EARLY_MS) sleepThread(left - WAKE_EARLY_MS);
        setImmediate(look);
      }
    };

    connections.forEach((connection, index) => {
      connection.onError = (text) => recorder.error(text);
      connection.onBatch = () => {
        const now = performance.now();
        const answered = recorder.batch(connection, now - intendedAt[index]);
        if (answered > 0) service.recordValueWithCount(nanoseconds(now - sentAt[index]), answered);
        busy--;
        lastEndAt = now;
        // A lost connection is not replaced: the errors of the round report it.
        if (!connection.lost) {
          freeAt[index] = now;
          free[freeCount++] = index;
        }
        if (!isWaiting) look();
      };
    });
    onStop(stop, connections, () => {
      const now = performance.now();
      if (now < lastDue) {
        seconds = (now - begin) / 1000;
        lastDue = now;
      }
      lastSend = now;
      clearTimeout(timer);
      look();
    });
    look();
  });
}
