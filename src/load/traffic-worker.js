/** The thread of a traffic: batches leave evenly spaced, or as fast as they are answered, on any free connection. */
import { Connection } from '../clients/connection.js';
import { dial } from '../clients/dial.js';
import { classifyWriteError } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { ErrorReply } from '../resp/reader.js';
import { encodeHistogram } from '../stats/histogram.js';
import { waitFor } from '../wait.js';
import { Recorder } from './recorder.js';
import { doJobs, measureThread, sleepThread } from './thread.js';
import { createRequests } from './traffic-requests.js';

/**
 * @import { Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { Reply } from '../resp/reader.js'
 * @import { TrafficPlan, TrafficSample } from './traffic.js'
 * @import { Requests } from './traffic-requests.js'
 */

/** How long to wait for answers after stop. */
const DRAIN_MS = 3000;
/** Timers fire on whole milliseconds, and a little late. */
const TIMER_SLACK_MS = 2;

/** @param {Target} target @returns {Promise<Connection>} connected and logged in @throws {UserError} it could not be, within 5 s */
function connectTraffic(target) {
  // Without a login, only PING shows that the node answers.
  const greet = (/** @type {Connection} */ connection) => connection.call('PING');
  return dial(target, (socket) => new Connection(socket, 'the node', 0), { greet });
}

/** @param {TrafficPlan} plan @returns {Promise<{stop: () => Promise<TrafficSample>}>} resolves when the first request was sent */
async function startTraffic(plan) {
  const { target, connections: wanted, seed } = plan;
  const requests = Array.from({ length: wanted }, (_, i) => createRequests({ ...plan, seed: (seed + i) >>> 0 }));
  const opening = await Promise.allSettled(requests.map(() => connectTraffic(target)));
  const connections = opening.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opening.find(({ status }) => status === 'rejected');
  if (failed) {
    for (const connection of connections) connection.close();
    throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }
  return run(plan, connections, requests);
}

/** @param {TrafficPlan} plan @param {Connection[]} connections @param {Requests[]} requests of each */
function run({ batch, requestsPerSecond }, connections, requests) {
  const recorder = new Recorder();
  /** Of the batch that is being counted. */
  const counted = { outcomes: new Uint8Array(batch), fetched: false, misses: 0 };
  /** The next batch of each connection. */
  const buffers = requests.map(({ longest }) => Buffer.allocUnsafeSlow(longest));
  // Last in, first out: the memory of the connection used last is still in the CPU cache.
  const free = connections.map((_, index) => index);
  /** Connections that are gone, by index. They are not replaced: the errors report it. @type {Set<number>} */
  const gone = new Set();
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

  /** @param {Reply} reply @returns {number} its outcome */
  function outcomeOf(reply) {
    if (typeof reply === 'string' || typeof reply === 'number') return Outcome.acked;
    const text = reply instanceof ErrorReply ? reply.message : 'PROTOCOL an answer of more than one line';
    recorder.error(text);
    return classifyWriteError(text);
  }

  /** Never rejects. @param {number} scheduled */
  async function send(scheduled) {
    const index = /** @type {number} */ (free.pop());
    busy++;
    sent++;
    const bytes = buffers[index].subarray(0, requests[index].fill(buffers[index]));
    writes += requests[index].writes();
    try {
      const replies = await connections[index].send(bytes, batch);
      lastAnswerAt = performance.now();
      for (let i = 0; i < batch; i++) counted.outcomes[i] = outcomeOf(replies[i]);
      recorder.batch(counted, lastAnswerAt - scheduled);
      if (!gone.has(index)) free.push(index);
    } catch {
      // `onEnd` tells why.
      counted.outcomes.fill(Outcome.unknown);
      recorder.count(counted);
    }
    busy--;
    if (!stopping) look();
  }

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

  for (const [index, connection] of connections.entries()) {
    connection.onEnd = ({ message }) => {
      gone.add(index);
      const isIdle = free.includes(index);
      if (isIdle) free.splice(free.indexOf(index), 1);
      // This side closes idle connections at the end.
      if (!isIdle || !stopping) recorder.error(`CLOSED ${message}`);
    };
  }
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
      for (const connection of connections) connection.close(new Error('it was not answered in time'));
      // What was under way has an outcome then.
      await new Promise(setImmediate);
      return {
        seconds: (lastAnswerAt - begin) / 1000,
        requests: sent * batch,
        writes,
        outcomes: recorder.outcomes,
        errors: recorder.errors,
        unsent: Math.max(0, due - sent) * batch,
        histogram: encodeHistogram(recorder.histogram),
        load: loadSince(sleptMs),
      };
    },
  };
}

doJobs(async (/** @type {TrafficPlan} */ plan) => {
  const { stop } = await startTraffic(plan);
  return { finish: stop };
});
