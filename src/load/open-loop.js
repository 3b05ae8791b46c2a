/**
 * Open loop: batches leave on a schedule that does not depend on the server, on any free connection. It records the response time (from the
 * scheduled send), the service time (from the actual send), and how late this thread itself was.
 * @import { LoadConnection } from '../clients/types.js'
 * @import { Draw } from './closed-loop.js'
 * @import { Recorder } from './recorder.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */
import { newHistogram } from '../stats/histogram.js';
import { onStop } from './closed-loop.js';
import { nanoseconds } from './recorder.js';
import { sleepThread } from './thread.js';

/** Timers fire on whole milliseconds and a little late. Closer to the next batch than this, the thread polls the clock. */
const TIMER_SLACK_MS = 2;
/** With no reply to wait for, the thread sleeps until this long before the next batch, and leaves its CPU to the servers. */
const WAKE_EARLY_MS = 0.1;

/**
 * @typedef {'constant' | 'poisson'} Arrivals constant: evenly spaced; poisson: independent of each other, like the requests of many users
 *
 * @param {{rate: number, pipeline: number, arrivals: Arrivals, random: () => number}} options rate: operations a second, > 0; random: of [0, 1)
 * @returns {() => number} each call: the scheduled send of the next batch, in milliseconds since the start
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
 * @property {number} seconds until the schedule and the last batch have ended, or the last connection is lost
 * @property {number} due operations that were scheduled
 * @property {number} dueSeconds length of the schedule: as planned, or shorter when it ran out of operations or was stopped
 * @property {number} sent how many of the due operations were sent
 * @property {number} sendingSeconds from the start to the last send, at least `dueSeconds`
 * @property {Waiting | null} waiting null: none were waiting
 * @typedef {{operations: number, leastNs: number}} Waiting operations that were due and still unsent at the end, and the shortest of their
 *   waits
 * @typedef {Object} OpenLoopOptions
 * @property {number} seconds how long batches are due for
 * @property {number} graceSeconds how much longer overdue batches may still be sent
 * @property {number} [operations] how many are due at most; default: no limit
 * @property {() => number} schedule as `createSchedule` makes it @property {Draw} draw
 * @property {Recorder} recorder its histogram takes response times @property {AbortSignal} [stop] ends the schedule early
 */

/**
 * @param {LoadConnection[]} connections none of them busy, all of the same shape @param {OpenLoopOptions} options
 * @returns {Promise<OpenLoopResult>}
 */
export function runOpenLoop(connections, options) {
  return new Promise((resolve) => new OpenLoop(connections, options, resolve).begin());
}

/** All times are milliseconds since the start. */
class OpenLoop {
  #connections;
  #options;
  #resolve;
  #service = newHistogram();
  #lateness = newHistogram();
  #batch;
  #intendedAt;
  #sentAt;
  #freeAt;
  /** Last in, first out: the memory of the connection used last is still in the CPU cache. */
  #free;
  #freeCount;
  #busy = 0;
  #startedAt = performance.now();
  #next;
  #lastDue;
  #lastSend;
  #due = 0;
  #lastSentAt = 0;
  #lastEndAt = 0;
  #isWaiting = false;
  #timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);

  /** @param {LoadConnection[]} connections @param {OpenLoopOptions} options @param {(result: OpenLoopResult) => void} resolve */
  constructor(connections, options, resolve) {
    this.#connections = connections;
    this.#options = options;
    this.#resolve = resolve;
    this.#batch = connections[0].keys.length;
    this.#intendedAt = new Float64Array(connections.length);
    this.#sentAt = new Float64Array(connections.length);
    this.#freeAt = new Float64Array(connections.length);
    this.#free = Int32Array.from(connections.keys());
    this.#freeCount = connections.length;
    this.#next = options.schedule();
    this.#lastDue = options.seconds * 1000;
    this.#lastSend = this.#lastDue + options.graceSeconds * 1000;
  }

  begin() {
    const { recorder, stop } = this.#options;
    for (const [index, connection] of this.#connections.entries()) {
      connection.onError = (text) => recorder.error(text);
      connection.onBatch = () => this.#ended(index);
    }
    onStop(stop, this.#connections, () => {
      const now = this.#now();
      this.#lastDue = Math.min(this.#lastDue, now);
      this.#lastSend = now;
      clearTimeout(this.#timer);
      this.#look();
    });
    this.#look();
  }

  #now() {
    return performance.now() - this.#startedAt;
  }

  #isDue() {
    return this.#next < this.#lastDue && this.#due < (this.#options.operations ?? Infinity);
  }

  #advance() {
    this.#due += this.#batch;
    this.#next = this.#options.schedule();
  }

  #look = () => {
    this.#isWaiting = false;
    let now = this.#now();
    while (this.#freeCount > 0 && this.#isDue() && this.#next <= now && now < this.#lastSend) {
      this.#send(now);
      now = this.#now();
    }
    if (this.#freeCount === 0 && this.#busy === 0) {
      this.#finish();
    } else if (!this.#isDue() || now >= this.#lastSend) {
      if (this.#busy === 0) this.#finishAfterSchedule();
    } else if (this.#freeCount > 0) {
      this.#waitFor(this.#next - now);
    }
    // With no free connection, the next reply calls this again.
  };

  /** @param {number} left until the next batch is due */
  #waitFor(left) {
    this.#isWaiting = true;
    if (left > TIMER_SLACK_MS) {
      this.#timer = setTimeout(this.#look, Math.floor(left - TIMER_SLACK_MS / 2));
    } else {
      if (this.#busy === 0 && left > WAKE_EARLY_MS) sleepThread(left - WAKE_EARLY_MS);
      setImmediate(this.#look);
    }
  }

  #send(/** @type {number} */ now) {
    const index = this.#free[--this.#freeCount];
    this.#intendedAt[index] = this.#next;
    this.#sentAt[index] = now;
    this.#lastSentAt = now;
    const late = now - Math.max(this.#next, this.#freeAt[index]);
    this.#lateness.recordValueWithCount(nanoseconds(late), this.#batch);
    this.#busy++;
    this.#advance();
    this.#options.draw(this.#connections[index]);
  }

  /** @param {number} index of the connection whose batch has ended */
  #ended(index) {
    const now = this.#now();
    const connection = this.#connections[index];
    const answered = this.#options.recorder.batch(connection, now - this.#intendedAt[index]);
    if (answered > 0) this.#service.recordValueWithCount(nanoseconds(now - this.#sentAt[index]), answered);
    this.#busy--;
    this.#lastEndAt = now;
    // A lost connection is not replaced: the errors of the round report it.
    if (!connection.lost) {
      this.#freeAt[index] = now;
      this.#free[this.#freeCount++] = index;
    }
    if (!this.#isWaiting) this.#look();
  }

  #scheduleMs() {
    const { operations = Infinity } = this.#options;
    return this.#due < operations ? this.#lastDue : Math.min(this.#lastDue, this.#next);
  }

  /** Throughput is a share of the whole schedule, so the last batch's end must not shorten it. */
  #finishAfterSchedule = () => {
    const left = this.#scheduleMs() - this.#now();
    if (left <= 0) this.#finish();
    else this.#timer = setTimeout(this.#finishAfterSchedule, Math.ceil(left));
  };

  #finish() {
    const waiting = this.#passRest();
    const dueMs = this.#scheduleMs();
    const tookMs = this.#freeCount === 0 ? this.#lastEndAt : Math.max(dueMs, this.#lastEndAt);
    this.#resolve({
      service: this.#service,
      lateness: this.#lateness,
      seconds: tookMs / 1000,
      due: this.#due,
      dueSeconds: dueMs / 1000,
      sent: this.#lateness.totalCount,
      sendingSeconds: Math.max(dueMs, this.#lastSentAt) / 1000,
      waiting,
    });
  }

  /** Operations that are still unsent count as due, and those that were due by now as waiting. @returns {Waiting | null} */
  #passRest() {
    const now = this.#now();
    let operations = 0;
    let leastNs = 0;
    for (; this.#isDue(); this.#advance()) {
      if (this.#next >= now) continue;
      leastNs = nanoseconds(now - this.#next);
      this.#options.recorder.histogram.recordValueWithCount(leastNs, this.#batch);
      operations += this.#batch;
    }
    return operations > 0 ? { operations, leastNs } : null;
  }
}
