/**
 * Traffic while it runs: batches leave evenly spaced, or as fast as they are answered, on the connections that are free.
 */
import { errorKind } from '../clients/outcome.js';
import { encodeHistogram, newHistogram } from '../stats/histogram.js';
import { threadCpuSeconds } from './thread-cpu.js';
import { connectTraffic } from './traffic-connection.js';
import { createRequests } from './traffic-requests.js';

/**
 * @import { TrafficConnection } from './traffic-connection.js'
 * @import { Requests } from './traffic-requests.js'
 * @import { TrafficPlan, TrafficSample } from './traffic-types.js'
 */

/** After stop, answers are awaited for so long. */
const DRAIN_MS = 3000;
/** Timers fire on whole milliseconds, and a little late. */
const TIMER_SLACK_MS = 2;
/** Nobody ever wakes it: only its timeout ends a wait on it. */
const napCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * @param {TrafficPlan} plan
 * @returns {Promise<{stop: () => Promise<TrafficSample>}>} resolves when the first request has left
 */
export async function runTraffic(plan) {
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

/**
 * @param {TrafficPlan} plan
 * @param {TrafficConnection[]} connections
 * @param {Requests[]} requests of each
 */
function run({ batch, requestsPerSecond }, connections, requests) {
  const histogram = newHistogram();
  const outcomes = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  /** @type {Map<string, number>} */
  const errors = new Map();
  const meantAt = new Float64Array(connections.length);
  // A stack: the connection used last is the one whose memory is warm.
  const free = connections.map((_, index) => index);
  const open = requestsPerSecond > 0;
  const interval = open ? (1000 * batch) / requestsPerSecond : 0;
  let sent = 0;
  let writes = 0;
  let busy = 0;
  let napped = 0;
  let stopping = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {NodeJS.Immediate | undefined} */
  let soon;
  /** @type {() => void} */
  let drained = () => {};

  const cpuBefore = threadCpuSeconds();
  const loopBefore = performance.eventLoopUtilization();
  const begin = performance.now();
  let lastAnswerAt = begin;
  // A product, not a sum: a sum's rounding errors would add up.
  const dueAt = () => begin + sent * interval;

  /** @param {number} meant */
  const send = (meant) => {
    const index = /** @type {number} */ (free.pop());
    meantAt[index] = meant;
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
    // With no connection free the next look comes with the next answer.
    if (free.length === 0) return;
    const left = dueAt() - now;
    if (left > TIMER_SLACK_MS) {
      timer = setTimeout(look, Math.floor(left - TIMER_SLACK_MS / 2));
    } else if (busy > 0) {
      timer = setTimeout(look, 1);
    } else {
      // With nothing under way there is nothing to look for but the clock: the thread sleeps, and leaves its CPU to others.
      Atomics.wait(napCell, 0, 0, left);
      napped += performance.now() - now;
      soon = setImmediate(look);
    }
  };

  connections.forEach((connection, index) => {
    connection.onError = (text) => {
      const kind = errorKind(text);
      errors.set(kind, (errors.get(kind) ?? 0) + 1);
      // One that is lost while nothing is under way on it takes no further batch.
      if (connection.lost && free.includes(index)) free.splice(free.indexOf(index), 1);
    };
    connection.onBatch = () => {
      const { acked, rejected, unknown } = connection.answers;
      const now = performance.now();
      if (!connection.lost) lastAnswerAt = now;
      outcomes.acked += acked;
      outcomes.rejected += rejected;
      outcomes.unknown += unknown;
      if (acked > 0) histogram.recordValueWithCount(nanoseconds(now - meantAt[index]), acked);
      busy--;
      // A lost connection is not replaced: the errors say so.
      if (!connection.lost) free.push(index);
      if (!stopping) look();
      else if (busy === 0) drained();
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
      if (busy > 0) await drain(stoppedAt);
      for (const connection of connections) {
        if (connection.pending > 0) connection.lose('it was not answered in time');
        else connection.close();
      }
      const elapsed = (performance.now() - begin) / 1000;
      const cpuAfter = threadCpuSeconds();
      const { active, idle } = performance.eventLoopUtilization(loopBefore);
      return {
        seconds: (lastAnswerAt - begin) / 1000,
        requests: sent * batch,
        writes,
        outcomes,
        errors: Object.fromEntries(errors),
        unsent: Math.max(0, due - sent) * batch,
        histogram: encodeHistogram(histogram),
        load: {
          cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / elapsed,
          // The loop counts a nap as work.
          eventLoopUtilization: Math.max(0, (active - napped) / (active + idle)),
        },
      };
    },
  };

  /** @param {number} since */
  function drain(since) {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), Math.max(0, since + DRAIN_MS - performance.now()));
      drained = () => {
        clearTimeout(late);
        resolve(undefined);
      };
    });
  }
}

/** @param {number} milliseconds */
function nanoseconds(milliseconds) {
  return Math.max(0, Math.round(milliseconds * 1e6));
}
