/** The thread of a traffic: batches leave evenly spaced, or as fast as they are answered, on any free connection. */
import { dial } from '../clients/dial.js';
import { classifyWriteError, errorKind } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { Kind, ReplyScanner } from '../resp/reader.js';
import { encodeCommand } from '../resp/writer.js';
import { encodeHistogram, newHistogram } from '../stats/histogram.js';
import { waitFor } from '../wait.js';
import { nanoseconds } from './recorder.js';
import { doJobs, measureThread, sleepThread } from './thread.js';
import { createRequests } from './traffic-requests.js';

/**
 * @import { Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { TrafficPlan, TrafficSample } from './traffic.js'
 * @import { Requests } from './traffic-requests.js'
 * @import { Socket } from 'node:net'
 */

/** How long to wait for answers after stop. */
const DRAIN_MS = 3000;
/** Timers fire on whole milliseconds, and a little late. */
const TIMER_SLACK_MS = 2;
/** @typedef {{acked: number, rejected: number, unknown: number}} Answers of a batch */

/** A connection that sends batches of requests whose answers are one line each, and counts the lines. */
class TrafficConnection {
  /** Gets the text of each error, and of a lost connection. @type {(text: string) => void} */
  onError = () => {};
  /** Every request of the batch has its outcome. Never called from within `send`. */
  onBatch = () => {};
  lost = false;
  /** Requests under way. */
  pending = 0;
  /** Answers of the current batch, or the last one. @type {Answers} */
  answers = { acked: 0, rejected: 0, unknown: 0 };
  /** The next batch; the caller fills it while no batch is under way. @type {Buffer} */
  buffer;

  /** @type {Socket} */
  #socket;
  #replies = new ReplyScanner();

  /** @param {Socket} socket @param {number} bytes of the longest batch */
  constructor(socket, bytes) {
    this.#socket = socket;
    this.buffer = Buffer.allocUnsafeSlow(bytes);
  }

  /**
   * @param {number} length of what is in `buffer`
   * @param {number} requests in it, ≥ 1
   */
  send(length, requests) {
    this.#begin(requests);
    this.#socket.write(this.buffer.subarray(0, length));
  }

  /**
   * @param {string[]} words sent while no batch is under way and before the callbacks are set
   * @returns {Promise<void>} rejects with an error reply's text
   */
  request(words) {
    return new Promise((resolve, reject) => {
      this.onError = (text) => reject(new Error(text));
      this.onBatch = () => resolve();
      this.#begin(1);
      this.#socket.write(encodeCommand(words));
    });
  }

  /** @param {number} requests */
  #begin(requests) {
    this.pending = requests;
    this.answers.acked = 0;
    this.answers.rejected = 0;
    this.answers.unknown = 0;
  }

  /** @param {Buffer} chunk @param {number} length how far it is filled */
  receive(chunk, length) {
    const replies = this.#replies;
    replies.feed(chunk, length);
    while (!this.lost) {
      const kind = replies.next();
      if (kind === Kind.incomplete) return;
      if (kind === Kind.garbage) this.lose(`the server sent ${replies.problem}`);
      else if (kind > Kind.integer) this.lose('the server sent an answer of more than one line');
      else if (this.pending === 0) this.lose('the server sent more answers than there were requests');
      else this.#answered(kind === Kind.error ? replies.text() : null);
    }
  }

  /** @param {string | null} error */
  #answered(error) {
    if (error === null) {
      this.answers.acked++;
    } else {
      if (classifyWriteError(error) === Outcome.rejected) this.answers.rejected++;
      else this.answers.unknown++;
      this.onError(error);
    }
    if (--this.pending === 0) this.onBatch();
  }

  /** @param {string} why */
  lose(why) {
    if (this.lost) return;
    this.close();
    const awaited = this.pending;
    this.answers.unknown += awaited;
    this.pending = 0;
    this.onError(`CLOSED ${why}`);
    if (awaited > 0) this.onBatch();
  }

  /** @param {Error | null} cause */
  disconnected(cause) {
    this.lose(cause?.message ?? 'closed by the server');
  }

  /** Idempotent; only while no batch is under way. */
  close() {
    this.lost = true;
    this.#socket.destroy();
  }
}

/**
 * @param {Target} target
 * @param {number} bytes of the longest batch
 * @returns {Promise<TrafficConnection>} connected and logged in
 * @throws {UserError} it could not be, within 5 s
 */
function connectTraffic(target, bytes) {
  // Without a login, only PING shows that the node answers.
  const greet = (/** @type {TrafficConnection} */ connection) => connection.request(['PING']);
  return dial(target, (socket) => new TrafficConnection(socket, bytes), { greet });
}

/**
 * @param {TrafficPlan} plan
 * @returns {Promise<{stop: () => Promise<TrafficSample>}>} resolves when the first request was sent
 */
async function startTraffic(plan) {
  const { target, connections: wanted, seed } = plan;
  const requests = Array.from({ length: wanted }, (_, i) => createRequests({ ...plan, seed: (seed + i) >>> 0 }));
  const opening = await Promise.allSettled(requests.map(({ longest }) => connectTraffic(target, longest)));
  const connections = opening.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opening.find(({ status }) => status === 'rejected');
  if (failed) {
    for (const connection of connections) connection.close();
    throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }
  return run(plan, connections, requests);
}

/** @param {TrafficPlan} plan @param {TrafficConnection[]} connections @param {Requests[]} requests of each */
function run({ batch, requestsPerSecond }, connections, requests) {
  const histogram = newHistogram();
  const outcomes = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  /** @type {Map<string, number>} */
  const errors = new Map();
  const scheduledAt = new Float64Array(connections.length);
  // Last in, first out: the memory of the connection used last is still in the CPU cache.
  const free = connections.map((_, index) => index);
  const open = requestsPerSecond > 0;
  const interval = open ? (1000 * batch) / requestsPerSecond : 0;
  let sent = 0;
  let writes = 0;
  let busy = 0;
  let sleptMs = 0;
  let stopping = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {NodeJS.Immediate | undefined} */
  let soon;

  const loadSince = measureThread();
  const begin = performance.now();
  let lastAnswerAt = begin;
  // A product, because the rounding errors of a sum would add up.
  const dueAt = () => begin + sent * interval;

  /** @param {number} scheduled */
  const send = (scheduled) => {
    const index = /** @type {number} */ (free.pop());
    scheduledAt[index] = scheduled;
    busy++;
    sent++;
    connections[index].send(requests[index].fill(connections[index].buffer), batch);
    writes += requests[index].writes();
  };

  const look = () => {
    clearTimeout(timer);
    clearImmediate(soon);
    timer = undefined;
    soon = undefined;
    if (stopping) return;
    let now = performance.now();
    while (free.length > 0 && dueAt() <= now) {
      send(open ? dueAt() : now);
      now = performance.now();
    }
    // With no free connection, the next answer calls this again.
    if (free.length === 0) return;
    const left = dueAt() - now;
    if (left > TIMER_SLACK_MS) {
      timer = setTimeout(look, Math.floor(left - TIMER_SLACK_MS / 2));
    } else if (busy > 0) {
      timer = setTimeout(look, 1);
    } else {
      // With no reply to wait for, the thread sleeps and leaves its CPU to the servers.
      sleepThread(left);
      sleptMs += performance.now() - now;
      soon = setImmediate(look);
    }
  };

  connections.forEach((connection, index) => {
    connection.onError = (text) => {
      const kind = errorKind(text);
      errors.set(kind, (errors.get(kind) ?? 0) + 1);
      // A connection lost while idle takes no further batch.
      if (connection.lost && free.includes(index)) free.splice(free.indexOf(index), 1);
    };
    connection.onBatch = () => {
      const { acked, rejected, unknown } = connection.answers;
      const now = performance.now();
      if (!connection.lost) lastAnswerAt = now;
      outcomes.acked += acked;
      outcomes.rejected += rejected;
      outcomes.unknown += unknown;
      if (acked > 0) histogram.recordValueWithCount(nanoseconds(now - scheduledAt[index]), acked);
      busy--;
      // A lost connection is not replaced: the errors report it.
      if (!connection.lost) free.push(index);
      if (!stopping) look();
    };
  });
  look();

  return {
    /** @returns {Promise<TrafficSample>} */
    async stop() {
      stopping = true;
      look();
      const stoppedAt = performance.now();
      // Times count from 0: the first batch was due at once.
      const due = open ? Math.floor((stoppedAt - begin) / interval) + 1 : sent;
      await waitFor(() => busy === 0, { deadlineMs: DRAIN_MS, pollMs: 1 });
      for (const connection of connections) {
        if (connection.pending > 0) connection.lose('it was not answered in time');
        else connection.close();
      }
      return {
        seconds: (lastAnswerAt - begin) / 1000,
        requests: sent * batch,
        writes,
        outcomes,
        errors: Object.fromEntries(errors),
        unsent: Math.max(0, due - sent) * batch,
        histogram: encodeHistogram(histogram),
        load: loadSince(sleptMs),
      };
    },
  };
}

doJobs(async (/** @type {TrafficPlan} */ plan) => {
  const { stop } = await startTraffic(plan);
  return { finish: stop };
});
