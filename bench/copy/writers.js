/** The writers of the sources: before, during and after the copy. */
import { mergeSamples, partOf, startLoadThread } from '../../src/load/load-thread.js';
import { startTraffic } from '../../src/load/traffic.js';
import { untilAborted } from '../../src/run/interruption.js';
import { latencyOf, mergeHistograms } from '../../src/stats/histogram.js';
import { addCounts, sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { allEnded } from '../../src/wait.js';
import { HEAVIEST, MODERATE } from './modes.js';

/** @import { OwnSample, Traffic } from '../types.js' */
/** @import { RoundPlan, RoundSample } from '../../src/load/types.js' */
/** @import { CopyPair } from './pairs.js' */

/** Timers fire on whole milliseconds, so a few writes are always due when the writers stop; more than that was held up. */
const DUE_AT_END = MODERATE.rate * 0.01;

/**
 * @typedef {Object} WrittenKeys by the writers of all pairs
 * @property {number} seconds
 * @property {number} writes acknowledged
 * @property {number} endedAt an instant before which they had not ended, on this thread's clock
 * @property {string} histogram base64, HdrHistogram V2 compressed, ns
 * @property {Record<string, number>} errors
 * @property {OwnSample['load']} load of the busiest thread
 *
 * @typedef {Object} Writers
 * @property {(seconds: number) => Promise<void>} ready seconds: the length of a loop that cannot be stopped
 * @property {() => Promise<void>} begin
 * @property {() => Promise<WrittenKeys>} end stops them, or waits for their end; call it once after each `begin`
 * @property {() => Promise<void>} close ends them at once; idempotent
 *
 * @typedef {{pairs: readonly CopyPair[], keyPrefix: string, keyspace: number, threads?: number, random: () => number, signal: AbortSignal}} WriterOptions
 *   keyspace: of each source; threads: of the heaviest writers, default 1
 */

/**
 * A closed loop of a length set before it begins. They write one value only, and to new keys each time, so that a write that was not copied is missing.
 * Each shard of a cluster has a thread of its own, whose keys belong to it.
 * @param {WriterOptions} options
 * @returns {Writers}
 */
export function heaviestWriters({ pairs, keyPrefix, keyspace, random, signal, threads: count = 1 }) {
  const targets = pairs.map(({ addresses: { source, credentials } }) => ({ ...source, credentials }));
  const sharded = pairs.some(({ shard }) => shard !== undefined);
  const threads = Array.from({ length: sharded ? pairs.length : count }, startLoadThread);
  /** @type {Promise<RoundSample[]> | null} */
  let going = null;
  let begunAt = 0;
  let times = 0;

  /** @param {number} seconds @returns {RoundPlan[]} one for each thread */
  function plansFor(seconds) {
    const { payloadBytes, pipeline } = HEAVIEST;
    const prefix = `${keyPrefix}${times++}:`;
    /** @type {RoundPlan} */
    const plan = {
      generator: 'writes',
      client: 'native',
      primary: targets[0],
      // No WAIT: the lag of the copies is what is measured.
      replicas: [],
      targets,
      shape: { payloadBytes, pipeline, waitReplicas: 0, waitTimeoutMs: 1000, waitMode: 'pipelined', keyPrefix: prefix },
      connections: HEAVIEST.connections * pairs.length,
      backgroundConnections: 0,
      keyspace,
      seconds,
      warmUpSeconds: 0,
      seed: Math.floor(random() * 2 ** 32),
    };
    const parts = threads.map((_, i) => partOf(plan, i, threads.length));
    if (!sharded) return parts;
    return parts.map((part, i) => {
      const shape = { ...part.shape, keyPrefix: `${pairs[i].addresses.keyTag}${prefix}` };
      return { ...part, primary: targets[i], targets: [targets[i]], shape };
    });
  }

  return {
    async ready(seconds) {
      const plans = plansFor(seconds);
      await untilAborted(Promise.all(threads.map((thread, i) => thread.prepare(plans[i]))), signal);
    },
    async begin() {
      begunAt = performance.now();
      going = Promise.all(threads.map((thread) => thread.go()));
      going.catch(() => {});
    },
    async end() {
      if (!going) throw new Error('the writers are not running');
      const samples = await untilAborted(going, signal);
      going = null;
      const written = writtenIn(samples);
      // The figures come when the threads have encoded their histograms.
      return { ...written, endedAt: begunAt + written.seconds * MS_A_SECOND };
    },
    async close() {
      going = null;
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** A moderate number of writes a second to each source, until stopped. @param {WriterOptions} options @returns {Writers} */
export function moderateWriters({ pairs, keyPrefix, keyspace, random, signal }) {
  /** @type {Traffic[]} */
  const traffic = [];

  async function close() {
    await Promise.all(traffic.splice(0).map((each) => each.close()));
  }

  return {
    // They connect at `begin`, which takes milliseconds and is not timed.
    ready: async () => signal.throwIfAborted(),
    async begin() {
      const starting = pairs.map(async ({ addresses: { source, credentials } }) => {
        const started = await startTraffic({
          target: { ...source, credentials },
          keyPrefix,
          pattern: 'regular',
          keys: keyspace,
          payloadBytes: MODERATE.payloadBytes,
          writeShare: 1,
          requestsPerSecond: MODERATE.rate,
          connections: MODERATE.connections,
          batch: MODERATE.pipeline,
          seed: Math.floor(random() * 2 ** 32),
        });
        traffic.push(started);
      });
      await allEnded(starting).catch(async (error) => {
        await close();
        throw error;
      });
    },
    async end() {
      const endedAt = performance.now();
      const samples = await untilAborted(Promise.all(traffic.map((each) => each.stop())), signal);
      await close();
      const unsent = sum(samples.map((sample) => (sample.unsent > DUE_AT_END ? sample.unsent : 0)));
      const rounds = samples.map((sample) => ({ ...sample, operations: sample.requests, firstError: null }));
      const written = writtenIn(/** @type {any} */ (rounds));
      return { ...written, errors: addCounts(written.errors, unsent > 0 ? { UNSENT: unsent } : {}), endedAt };
    },
    close,
  };
}

/** @param {RoundSample[]} samples at least one @returns {Omit<WrittenKeys, 'endedAt'>} */
function writtenIn(samples) {
  const { seconds, outcomes, histogram, errors, load } = mergeSamples(samples);
  const { cpu, eventLoopUtilization } = load;
  return { seconds, writes: outcomes.acked, histogram, errors, load: { cpu, eventLoopUtilization } };
}

/** @param {WrittenKeys} written */
export function describeWritten({ seconds, writes, histogram }) {
  const { p50, p99, max } = latencyOf(mergeHistograms([histogram]));
  return { seconds, writes, p50Ns: p50, p99Ns: p99, maxNs: max };
}
