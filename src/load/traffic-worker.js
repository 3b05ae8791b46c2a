/**
 * The thread of a traffic: batches leave evenly spaced, or as fast as they are answered, on any free connection.
 * @import { UserError } from '../errors.js'
 * @import { Reply } from '../resp/reader.js'
 * @import { TrafficPlan, TrafficSample } from './traffic.js'
 */
import { Connection } from '../clients/connection.js';
import { dial } from '../clients/dial.js';
import { classifyWriteError } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { ErrorReply } from '../resp/reader.js';
import { encodeHistogram } from '../stats/histogram.js';
import { allEnded, orUndo, waitFor } from '../wait.js';
import { Recorder } from './recorder.js';
import { doJobs, measureThread, sleepThread } from './thread.js';
import { Requests } from './traffic-requests.js';

/** How long to wait for answers after stop. */
const DRAIN_MS = 3000;
/** Timers fire on whole milliseconds, and a little late. */
const TIMER_SLACK_MS = 2;

/** @param {TrafficPlan} plan @returns {Promise<Traffic>} resolves when the first request was sent @throws {UserError} a node cannot be reached */
async function startTraffic(plan) {
  const { target, connections, seed } = plan;
  const requests = Array.from({ length: connections }, (_, i) => new Requests({ ...plan, seed: (seed + i) >>> 0 }));
  // Without a login, only PING shows that the node answers.
  const greet = (/** @type {Connection} */ connection) => connection.call('PING');
  const opening = requests.map(() => dial(target, (socket) => new Connection(socket, 'the node', 0), { greet }));
  const close = (/** @type {Connection} */ connection) => connection.close();
  await orUndo(allEnded(opening), () => Promise.allSettled(opening.map((each) => each.then(close))));
  return new Traffic(plan, await Promise.all(opening), requests);
}

class Traffic {
  #batch;
  #connections;
  #requests;
  /** The next batch of each connection. */
  #buffers;
  /** Last in, first out: the memory of the connection used last is still in the CPU cache. */
  #free;
  /** Connections that are gone, by index. They are not replaced: the errors report it. @type {Set<number>} */
  #gone = new Set();
  /** Milliseconds between two batches; 0: closed loop. */
  #interval;
  #recorder = new Recorder();
  /** Of the batch that is being counted. */
  #counted;
  /** Batches. */
  #sent = 0;
  #writes = 0;
  #busy = 0;
  #sleptMs = 0;
  #stopping = false;
  #timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);
  #soon = /** @type {NodeJS.Immediate | undefined} */ (undefined);
  #loadSince = measureThread();
  #begin = performance.now();
  #lastAnswerAt = this.#begin;

  /** @param {TrafficPlan} plan @param {Connection[]} connections @param {Requests[]} requests of each */
  constructor({ batch, requestsPerSecond }, connections, requests) {
    this.#batch = batch;
    this.#connections = connections;
    this.#requests = requests;
    this.#buffers = requests.map(({ longest }) => Buffer.allocUnsafeSlow(longest));
    this.#free = connections.map((_, index) => index);
    this.#interval = requestsPerSecond > 0 ? (1000 * batch) / requestsPerSecond : 0;
    this.#counted = { outcomes: new Uint8Array(batch), fetched: false, misses: 0 };
    for (const [index, connection] of connections.entries()) {
      connection.onEnd = ({ message }) => this.#lost(index, message);
    }
    this.#look();
  }

  /** @returns {Promise<TrafficSample>} */
  async stop() {
    this.#stopping = true;
    this.#cancel();
    const stoppedAt = performance.now();
    // Times count from 0: the first batch was due at once.
    const due = this.#interval > 0 ? Math.floor((stoppedAt - this.#begin) / this.#interval) + 1 : this.#sent;
    await waitFor(() => this.#busy === 0, { deadlineMs: DRAIN_MS, pollMs: 1 });
    for (const connection of this.#connections) connection.close(new Error('it was not answered in time'));
    // What was under way has an outcome then.
    await new Promise(setImmediate);
    return {
      seconds: (this.#lastAnswerAt - this.#begin) / 1000,
      requests: this.#sent * this.#batch,
      writes: this.#writes,
      outcomes: this.#recorder.outcomes,
      errors: this.#recorder.errors,
      unsent: Math.max(0, due - this.#sent) * this.#batch,
      histogram: encodeHistogram(this.#recorder.histogram),
      load: this.#loadSince(this.#sleptMs),
    };
  }

  /** A product, because the rounding errors of a sum would add up. */
  #dueAt() {
    return this.#begin + this.#sent * this.#interval;
  }

  #cancel() {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
  }

  #look = () => {
    this.#cancel();
    let now = performance.now();
    while (this.#free.length > 0 && this.#dueAt() <= now) {
      this.#send(this.#interval > 0 ? this.#dueAt() : now);
      now = performance.now();
    }
    // With no free connection, the next answer calls this again.
    if (this.#free.length === 0) return;
    const left = this.#dueAt() - now;
    if (left > TIMER_SLACK_MS) {
      this.#timer = setTimeout(this.#look, Math.floor(left - TIMER_SLACK_MS / 2));
    } else if (this.#busy > 0) {
      this.#timer = setTimeout(this.#look, 1);
    } else {
      // With no reply to wait for, the thread sleeps and leaves its CPU to the servers.
      sleepThread(left);
      this.#sleptMs += performance.now() - now;
      this.#soon = setImmediate(this.#look);
    }
  };

  /** Never rejects. @param {number} scheduled */
  async #send(scheduled) {
    const index = /** @type {number} */ (this.#free.pop());
    const requests = this.#requests[index];
    const buffer = this.#buffers[index];
    this.#busy++;
    this.#sent++;
    const bytes = buffer.subarray(0, requests.fill(buffer));
    this.#writes += requests.writes;
    try {
      const replies = await this.#connections[index].send(bytes, this.#batch);
      this.#answered(replies, scheduled);
      if (!this.#gone.has(index)) this.#free.push(index);
    } catch {
      // `onEnd` tells why.
      this.#counted.outcomes.fill(Outcome.unknown);
      this.#recorder.count(this.#counted);
    }
    this.#busy--;
    if (!this.#stopping) this.#look();
  }

  /** @param {Reply[]} replies @param {number} scheduled */
  #answered(replies, scheduled) {
    this.#lastAnswerAt = performance.now();
    const { outcomes } = this.#counted;
    for (let i = 0; i < outcomes.length; i++) outcomes[i] = this.#outcomeOf(replies[i]);
    this.#recorder.batch(this.#counted, this.#lastAnswerAt - scheduled);
  }

  #outcomeOf(/** @type {Reply} */ reply) {
    if (typeof reply === 'string' || typeof reply === 'number') return Outcome.acked;
    const text = reply instanceof ErrorReply ? reply.message : 'PROTOCOL an answer of more than one line';
    this.#recorder.error(text);
    return classifyWriteError(text);
  }

  /** @param {number} index @param {string} reason */
  #lost(index, reason) {
    this.#gone.add(index);
    const isIdle = this.#free.includes(index);
    if (isIdle) this.#free.splice(this.#free.indexOf(index), 1);
    // This side closes idle connections at the end.
    if (!isIdle || !this.#stopping) this.#recorder.error(`CLOSED ${reason}`);
  }
}

doJobs(async (/** @type {TrafficPlan} */ plan) => {
  const traffic = await startTraffic(plan);
  return { finish: () => traffic.stop() };
});
