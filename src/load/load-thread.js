/**
 * The load threads as the orchestrating thread sees them: one, or several that share the connections and the rate.
 * @import { Load, RoundPlan, RoundSample } from './types.js'
 */
import { findClient } from '../registry/clients.js';
import { encodeHistogram, latencyOf, mergeHistograms } from '../stats/histogram.js';
import { addCounts, sum } from '../stats/statistics.js';
import { openThread } from './thread.js';

/** Time for connecting, draining and closing, beside the warm-up and the timed part. */
const GRACE_MS = 20_000;

/** @param {RoundPlan} plan @returns {number} what its replicas may take to catch up, beyond {@link GRACE_MS} */
const catchUpMs = ({ client }) => (findClient(client)?.catchUpSeconds ?? 0) * 1000;

/** Odd, so that the threads' seeds always differ from each other. */
const SEED_STEP = 0x9e3779b1;

/**
 * @typedef {Object} LoadThread runs one round at a time
 * @property {(plan: RoundPlan) => Promise<void>} prepare connects, warms up, drains
 * @property {(onProgress?: (operations: number) => void) => Promise<RoundSample>} go runs the timed part of the prepared round;
 *   `onProgress` gets the number of operations that have ended now and then, if the plan asks for it
 * @property {() => void} [stop] ends the timed part early; `go` then resolves soon, to what was measured
 * @property {() => Promise<void>} close idempotent
 * @property {true} [elsewhere] other machines make the load: what this process uses is not theirs
 * @typedef {Object} Turns several closed-loop rounds of writes that take turns, so that a disturbance of the machine meets all of them
 * @property {(plans: RoundPlan[]) => Promise<void>} prepareTurns connects and warms up all of them
 * @property {(index: number, seconds: number) => Promise<void>} turn runs one of them for so long, once the replicas have all earlier writes
 * @property {() => Promise<RoundSample[]>} endTurns closes the connections; the whole of each round, in the order of the plans
 */

/** @returns {LoadThread & Turns} all reject when the round cannot be run or takes far longer than planned; the next one gets a new thread */
export function startLoadThread() {
  const thread = openThread({ file: './load-worker.js', name: 'the load thread', job: 'round' });
  let plannedSeconds = 0;
  return {
    async prepare(plan) {
      plannedSeconds = plan.seconds + (plan.openLoop?.graceSeconds ?? 0);
      await thread.begin(plan, plan.warmUpSeconds * 1000 + GRACE_MS + catchUpMs(plan));
    },
    go: (onProgress) => thread.finish(plannedSeconds * 1000 + GRACE_MS, onProgress),
    prepareTurns(plans) {
      const warmUpMs = 1000 * sum(plans.map(({ warmUpSeconds }) => warmUpSeconds));
      return thread.begin({ turns: plans }, warmUpMs + GRACE_MS + catchUpMs(plans[0]));
    },
    turn: (index, seconds) => thread.step({ index, seconds }, seconds * 1000 + GRACE_MS),
    endTurns: () => thread.finish(GRACE_MS),
    stop: thread.stop,
    close: thread.close,
  };
}

/** @param {number} count ≥ 1 @returns {LoadThread} acts as one */
export function startLoadThreads(count) {
  if (count === 1) return startLoadThread();
  const threads = Array.from({ length: count }, startLoadThread);
  return {
    async prepare(plan) {
      await Promise.all(threads.map((thread, index) => thread.prepare(partOf(plan, index, count))));
    },
    async go(onProgress) {
      const ended = threads.map(() => 0);
      const tellSum = (/** @type {number} */ index) => (/** @type {number} */ operations) => {
        ended[index] = operations;
        onProgress?.(sum(ended));
      };
      return mergeSamples(await Promise.all(threads.map((thread, index) => thread.go(tellSum(index)))));
    },
    stop() {
      for (const thread of threads) thread.stop?.();
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** @param {RoundPlan} plan with at least `count` connections @param {number} index 0 … count - 1 @param {number} count */
export function partOf(plan, index, count) {
  const { connections, backgroundConnections, operations, targets, openLoop } = plan;
  /** @param {number} whole */
  const share = (whole) => Math.floor(whole / count) + (index < whole % count ? 1 : 0);
  // The connections of the parts before this one come first.
  const first = index * Math.floor(connections / count) + Math.min(index, connections % count);
  return {
    ...plan,
    connections: share(connections),
    backgroundConnections: share(backgroundConnections),
    ...(targets && { targets: targets.map((_, i) => targets[(first + i) % targets.length]) }),
    seed: (plan.seed + index * SEED_STEP) >>> 0,
    ...(operations !== undefined && { operations: share(operations) }),
    ...(openLoop && { openLoop: { ...openLoop, rate: openLoop.rate / count } }),
  };
}

/** @param {readonly {load: Load}[]} samples at least one @returns {Load} of the busiest thread: it limits its share */
export function busiest(samples) {
  const loads = samples.map(({ load }) => load);
  return {
    cpu: loads.some(({ cpu }) => cpu === null) ? null : Math.max(...loads.map(({ cpu }) => Number(cpu))),
    eventLoopUtilization: Math.max(...loads.map(({ eventLoopUtilization }) => eventLoopUtilization)),
  };
}

/** @param {RoundSample[]} samples at least one @returns {RoundSample} */
export function mergeSamples(samples) {
  const longest = (/** @type {readonly {seconds: number}[]} */ parts) =>
    Math.max(...parts.map(({ seconds }) => seconds));
  const histogram = mergeHistograms(samples.map((sample) => sample.histogram));
  const reads = samples.flatMap((sample) => sample.reads ?? []);
  const background = samples.flatMap((sample) => sample.background ?? []);
  const open = samples.flatMap((sample) => sample.openLoop ?? []);
  const waiting = open.flatMap((one) => one.waiting ?? []);
  const consistency = samples.flatMap((sample) => sample.consistency ?? []);
  return {
    seconds: longest(samples),
    operations: sum(samples.map(({ operations }) => operations)),
    outcomes: addCounts(...samples.map(({ outcomes }) => outcomes)),
    errors: addCounts(...samples.map(({ errors }) => errors)),
    firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    lostConnections: sum(samples.map(({ lostConnections = 0 }) => lostConnections)),
    histogram: encodeHistogram(histogram),
    latencyNs: latencyOf(histogram),
    load: busiest(samples),
    ...(reads.length > 0 && { reads: addCounts(...reads) }),
    ...(consistency.length > 0 && { consistency: addCounts(...consistency) }),
    ...(background.length > 0 && {
      background: { operations: sum(background.map(({ operations }) => operations)), seconds: longest(background) },
    }),
    ...(open.length > 0 && {
      openLoop: {
        ...addCounts(...open.map(({ due, sent }) => ({ due, sent }))),
        dueSeconds: Math.max(...open.map(({ dueSeconds }) => dueSeconds)),
        sendingSeconds: Math.max(...open.map(({ sendingSeconds }) => sendingSeconds)),
        serviceHistogram: encodeHistogram(mergeHistograms(open.map((one) => one.serviceHistogram))),
        latenessHistogram: encodeHistogram(mergeHistograms(open.map((one) => one.latenessHistogram))),
        ...(waiting.length > 0 && {
          waiting: {
            operations: sum(waiting.map(({ operations }) => operations)),
            leastNs: Math.min(...waiting.map(({ leastNs }) => leastNs)),
          },
        }),
      },
    }),
  };
}
