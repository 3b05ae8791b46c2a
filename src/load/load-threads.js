/**
 * Several load threads that act as one: each has its part of the connections and of the rate; their histograms are merged,
 * which loses nothing.
 */
import { encodeHistogram, latencyOf, mergeHistograms } from '../stats/histogram.js';
import { startLoadThread } from './load-thread.js';

/**
 * @import { LoadThread } from './load-thread.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */

/** Odd, so that the threads' seeds differ from each other whatever the seed is. */
const SEED_STEP = 0x9e3779b1;

/**
 * @param {number} count ≥ 1
 * @returns {LoadThread}
 */
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
        onProgress?.(ended.reduce((sum, each) => sum + each, 0));
      };
      return mergeSamples(await Promise.all(threads.map((thread, index) => thread.go(tellSum(index)))));
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/**
 * @param {RoundPlan} plan its connections must be at least `count`
 * @param {number} index 0 … count - 1
 * @param {number} count
 * @returns {RoundPlan}
 */
export function partOf(plan, index, count) {
  const { connections, backgroundConnections, operations, targets, openLoop } = plan;
  /** @param {number} whole */
  const share = (whole) => Math.floor(whole / count) + (index < whole % count ? 1 : 0);
  // Where the connections of the parts before this one leave off.
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

/**
 * @param {RoundSample[]} samples at least one
 * @returns {RoundSample} `load` is that of the busiest thread, because one that is busy limits its part of the whole
 */
export function mergeSamples(samples) {
  /** @param {(sample: RoundSample) => number} value */
  const sum = (value) => samples.reduce((total, sample) => total + value(sample), 0);
  /** @param {(sample: RoundSample) => number} value */
  const most = (value) => Math.max(...samples.map(value));
  const histogram = mergeHistograms(samples.map((sample) => sample.histogram));
  /** @type {Record<string, number>} */
  const errors = {};
  for (const sample of samples) {
    for (const [kind, count] of Object.entries(sample.errors)) errors[kind] = (errors[kind] ?? 0) + count;
  }
  const reads = samples.flatMap((sample) => sample.reads ?? []);
  const background = samples.flatMap((sample) => sample.background ?? []);
  const open = samples.flatMap((sample) => sample.openLoop ?? []);
  return {
    seconds: most((sample) => sample.seconds),
    operations: sum((sample) => sample.operations),
    outcomes: {
      acked: sum(({ outcomes }) => outcomes.acked),
      underAcked: sum(({ outcomes }) => outcomes.underAcked),
      rejected: sum(({ outcomes }) => outcomes.rejected),
      unknown: sum(({ outcomes }) => outcomes.unknown),
    },
    errors,
    firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    lostConnections: sum(({ lostConnections = 0 }) => lostConnections),
    histogram: encodeHistogram(histogram),
    latencyNs: latencyOf(histogram),
    load: {
      cpu: samples.some(({ load }) => load.cpu === null) ? null : most(({ load }) => load.cpu ?? 0),
      eventLoopUtilization: most(({ load }) => load.eventLoopUtilization),
    },
    ...(reads.length > 0 && {
      reads: {
        answered: reads.reduce((total, one) => total + one.answered, 0),
        misses: reads.reduce((total, one) => total + one.misses, 0),
        failed: reads.reduce((total, one) => total + one.failed, 0),
      },
    }),
    ...(background.length > 0 && {
      background: {
        operations: background.reduce((total, one) => total + one.operations, 0),
        seconds: Math.max(...background.map((one) => one.seconds)),
      },
    }),
    ...(open.length > 0 && {
      openLoop: {
        due: open.reduce((total, one) => total + one.due, 0),
        dueSeconds: Math.max(...open.map((one) => one.dueSeconds)),
        sent: open.reduce((total, one) => total + one.sent, 0),
        sendingSeconds: Math.max(...open.map((one) => one.sendingSeconds)),
        serviceHistogram: encodeHistogram(mergeHistograms(open.map((one) => one.serviceHistogram))),
        latenessHistogram: encodeHistogram(mergeHistograms(open.map((one) => one.latenessHistogram))),
      },
    }),
  };
}
