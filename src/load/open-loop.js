/**
 * Open loop: batches are meant to leave at times that the server has no say in, on whichever connection is free. Recorded
 * are the response time (from when a batch was meant to leave), the service time (from when it did leave), and how late
 * this thread itself was in sending it.
 */
import { newHistogram } from '../stats/histogram.js';

/**
 * @import { Connection } from '../clients/types.js'
 * @import { Draw } from './draw.js'
 * @import { Recorder } from './recorder.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** Timers fire on whole milliseconds and a little late: closer to the next batch than this, the thread looks again and again. */
const TIMER_SLACK_MS = 2;
/**
 * While no reply is awaited there is nothing to look for but the clock: the thread sleeps until so shortly before the next
 * batch, and leaves its CPU to the servers. Linux wakes it up to 0.05 ms late.
 */
const WAKE_EARLY_MS = 0.1;
/** Nobody ever wakes it: only its timeout ends a wait on it. */
const napCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * @typedef {Object} OpenLoopResult
 * @property {Histogram} service
 * @property {Histogram} lateness of this thread: from when a batch was meant to leave and could
 *   have, because a connection was free, to when it left
 * @property {number} seconds from the start to the last batch's end
 * @property {number} due operations that were meant to leave
 * @property {number} dueSeconds for so long: the time asked for, or shorter when the number of operations ended it
 * @property {number} sent of those, how many left
 * @property {number} sendingSeconds from the start to the last batch's leaving, at least `dueSeconds`
 */

/**
 * @param {Connection[]} connections none of them busy, all of the same shape
 * @param {Object} options
 * @param {number} options.seconds how long batches are due for
 * @param {number} options.graceSeconds how long after that those that are overdue may still leave
 * @param {number} [options.operations] no more than so many are due; default: no limit
 * @param {() => number} options.schedule as `createSchedule` makes it
 * @param {Draw} options.draw starts a batch
 * @param {Recorder} options.recorder its histogram takes response times
 * @returns {Promise<OpenLoopResult>}
 */
export function runOpenLoop(connections, { seconds, graceSeconds, operations = Infinity, schedule, draw, recorder }) {
  const service = newHistogram();
  const lateness = newHistogram();
  const intendedAt = new Float64Array(connections.length);
  const sentAt = new Float64Array(connections.length);
  const freeAt = new Float64Array(connections.length);
  // A stack: the connection used last is the one whose memory is warm.
  const free = new Int32Array(connections.length);
  let freeCount = connections.length;
  for (let i = 0; i < free.length; i++) free[i] = i;
  const batch = connections[0].keys.length;

  return new Promise((resolve) => {
    const begin = performance.now();
    const lastDue = begin + seconds * 1000;
    const lastSend = lastDue + graceSeconds * 1000;
    let next = begin + schedule();
    let due = 0;
    let sent = 0;
    let lastSentAt = begin;
    let busy = 0;
    let waiting = false;

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

    const finish = () => {
      // Whatever was due and could not leave any more is counted, not forgotten.
      while (isDue()) advance();
      const end = performance.now();
      const dueSeconds = due < operations ? seconds : (next - begin) / 1000;
      const sendingSeconds = Math.max(dueSeconds, (lastSentAt - begin) / 1000);
      resolve({ service, lateness, seconds: (end - begin) / 1000, due, dueSeconds, sent, sendingSeconds });
    };

    const look = () => {
      waiting = false;
      let now = performance.now();
      while (freeCount > 0 && isDue() && next <= now && now < lastSend) {
        send(now);
        now = performance.now();
      }
      if (!isDue() || now >= lastSend || (freeCount === 0 && busy === 0)) {
        if (busy === 0) finish();
        return;
      }
      // With no connection free the next look comes with the next reply.
      if (freeCount === 0) return;
      waiting = true;
      const left = next - now;
      if (left > TIMER_SLACK_MS) {
        setTimeout(look, Math.floor(left - TIMER_SLACK_MS / 2));
      } else {
        if (busy === 0 && left > WAKE_EARLY_MS) Atomics.wait(napCell, 0, 0, left - WAKE_EARLY_MS);
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
        // A lost connection is not replaced: a round that lost one says so in its errors.
        if (!connection.lost) {
          freeAt[index] = now;
          free[freeCount++] = index;
        }
        if (!waiting) look();
      };
    });
    look();
  });
}

/** @param {number} milliseconds */
function nanoseconds(milliseconds) {
  return Math.max(0, Math.round(milliseconds * 1e6));
}
