/**
 * The rounds of a benchmark: all its cases, interleaved in random order, and the document made of them.
 */

import { duration, rate } from '../report/format.js';
import { shuffle } from '../stats/random.js';
import { summarise } from '../stats/summary.js';
import { primaryControl } from './bench.js';
import { benchmarkDocument } from './document.js';
import { untilAborted } from './interruption.js';
import { keyspaceFor } from './keys.js';
import { timeRound } from './round.js';

/**
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundPlan } from '../load/types.js'
 * @import { BenchmarkResult, RoundResult } from '../result/schema.js'
 * @import { Cluster, Control, Keys, NodeInfo } from '../stacks/types.js'
 * @import { Tuning } from './bench.js'
 * @import { Estimate, Piece } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Case, CustomBenchmark, LoadBenchmark, Pace, Profile, RoundBenchmark, RoundBenchmark as Benchmark, Slo } from './types.js'
 */

/** For benchmarks with a rate: many independent users arrive at random. */
const ARRIVALS = 'poisson';
/** If it is 0 the monitor is off, and an empty list of events would say nothing. */
const LATENCY_THRESHOLD = 'latency-monitor-threshold';
/** Overdue operations may still be sent for so long after an open-loop round. */
const LONGEST_GRACE_SECONDS = 1;

/**
 * @typedef {Object} Bench everything that a round needs
 * @property {Cluster} cluster
 * @property {Map<string, Control>} controls a control connection for each node that holds data
 * @property {NodeInfo} [primary] set if there are no Sentinels to ask
 * @property {readonly NodeInfo[]} [replicas] set if it is fixed which ones run; else the Sentinels are asked
 * @property {(count: number) => Promise<Bench[]>} [others] of benchmarks with stacks of their own: this many more empty stacks like this one,
 *   started when first asked for; they are closed with this one
 * @property {LoadThread} loadThread
 * @property {Tuning} tuning
 * @property {Profile} profile
 * @property {() => number} random
 * @property {AbortSignal} signal
 * @property {(text: string) => void} [now] shown on the progress display
 */

/**
 * @param {Bench} bench
 * @param {RoundBenchmark} benchmark
 * @param {Case[]} cases
 * @param {string} keyPrefix
 * @param {(round: number, theCase: Case) => void} onRound called before each round; `round` counts from 1
 * @param {(theCase: Case, result: RoundResult) => void} [onRoundEnd]
 * @returns {Promise<Map<string, RoundResult[]>>} case id → its rounds, in order; the n-th rounds of all cases were interleaved,
 *   so they can be paired
 */
export async function measureRounds(bench, benchmark, cases, keyPrefix, onRound, onRoundEnd) {
  /** @type {Map<string, RoundResult[]>} */
  const results = new Map(cases.map(({ id }) => [id, []]));
  for (let round = 1; round <= bench.profile.rounds; round++) {
    for (const theCase of shuffle(cases, bench.random)) {
      onRound(round, theCase);
      const result =
        benchmark.kind === 'custom'
          ? await measureOwn(bench, benchmark, theCase, keyPrefix)
          : await measureRound(bench, benchmark, theCase, keyPrefix);
      results.get(theCase.id)?.push(result);
      onRoundEnd?.(theCase, result);
    }
  }
  return results;
}

/**
 * @param {Bench} bench
 * @param {CustomBenchmark} benchmark
 * @param {Case} theCase
 * @param {string} keyPrefix
 * @returns {Promise<RoundResult>}
 */
async function measureOwn(bench, benchmark, theCase, keyPrefix) {
  const { tuning, primary, replicas = [], signal } = bench;
  if (!primary) throw new Error(`${benchmark.name} needs stacks of its own`);
  await tuning.become(theCase.params, { primary: primary.id, replicas: replicas.map(({ id }) => id) });
  signal.throwIfAborted();
  return benchmark.measure({ bench, theCase, keyPrefix, now: bench.now ?? (() => {}) });
}

/**
 * @param {Bench} bench
 * @param {LoadBenchmark} benchmark
 * @param {Case} theCase
 * @param {string} keyPrefix
 * @returns {Promise<RoundResult>}
 */
async function measureRound(bench, benchmark, theCase, keyPrefix) {
  const { cluster, controls, loadThread, tuning, profile, random, signal } = bench;
  const { params } = theCase;
  const primary = await untilAborted(cluster.primary(), signal);
  const replicas = bench.replicas ?? (await untilAborted(cluster.replicas(), signal));
  // Not aborted half-way: a setting made during the clean-up would stay.
  await tuning.become(params, { primary: primary.id, replicas: replicas.map(({ id }) => id) });
  signal.throwIfAborted();
  if (params.settings) {
    for (const control of controls.values()) await cluster.system.backgroundWork?.settled(control, { signal });
  }
  const { credentials } = cluster;
  const targetOf = (/** @type {NodeInfo} */ { address }) => ({ ...address, credentials });
  /** @type {RoundPlan} */
  const plan = {
    generator: benchmark.load ?? 'writes',
    client: params.client,
    ...(params.operation && { operation: params.operation }),
    primary: targetOf(primary),
    replicas: replicas.map(targetOf),
    ...(params.readFrom === 'replicas' && { targets: replicas.map(targetOf) }),
    shape: {
      payloadBytes: params.payloadBytes,
      pipeline: params.pipeline,
      waitReplicas: params.wait,
      ...(params.waitLocal !== undefined && { waitLocal: params.waitLocal }),
      waitTimeoutMs: params.waitTimeoutMs,
      habit: params.habit,
      keyPrefix,
    },
    connections: params.connections,
    backgroundConnections: params.backgroundConnections ?? 0,
    keyspace: keyspaceFor(params),
    seconds: profile.seconds,
    warmUpSeconds: profile.warmUpSeconds,
    ...(params.rate !== undefined && {
      openLoop: {
        rate: params.rate,
        arrivals: ARRIVALS,
        graceSeconds: Math.min(profile.seconds, LONGEST_GRACE_SECONDS),
      },
    }),
    seed: Math.floor(random() * 2 ** 32),
  };
  const timed = () =>
    timeRound({
      loadThread,
      plan,
      system: cluster.system,
      controls,
      primaryId: primary.id,
      signal,
      stats: cluster.can.has('stats') ? cluster.stats : undefined,
      latencyEvents: Number(benchmark.stacks?.settings?.[LATENCY_THRESHOLD] ?? 0) > 0,
    });
  if (params.during === undefined) return timed();
  const { backgroundWork } = cluster.system;
  if (!backgroundWork) throw new Error(`${cluster.system.name} has no work in the background`);
  const busy = await backgroundWork.keepBusy(primary.address, params.during, { credentials, signal });
  try {
    const round = await timed();
    return { ...round, duringShare: (await busy.stop()).share };
  } catch (error) {
    // The first failure is the one to report.
    await busy.stop().catch(() => {});
    throw error;
  }
}

/**
 * One benchmark: its rounds, and the document made of them.
 */

/** What connecting, draining and sampling add to a round, roughly. The first estimate uses it. */
const ROUND_OVERHEAD_SECONDS = 0.04;

/**
 * @typedef {Object} Ui
 * @property {Progress} progress
 * @property {Estimate} estimate
 *
 * @param {Bench} run
 * @param {Benchmark} benchmark
 * @param {Case[]} cases
 * @param {Keys} keys removed at the end, but not if this rejects
 * @param {Ui & {seed: number, slo?: Slo}} options
 * @returns {Promise<BenchmarkResult>}
 */
export async function measureBenchmark(run, benchmark, cases, keys, { progress, estimate, seed, slo }) {
  const bench = { ...run, profile: { ...run.profile, ...paceOf(benchmark, run.profile) } };
  const more = benchmark.kind === 'load' ? benchmark.more : undefined;
  const removed = await bench.tuning.willWrite(keys.prefix);
  /** @type {BenchmarkResult['cases']} */
  const measured = [];
  const soFar = () => benchmarkDocument(benchmark, { cases: measured, slo });
  for (let next = cases; next.length > 0; next = more?.(soFar(), { slo }) ?? []) {
    if (next !== cases) estimate.plan(roundPiece(benchmark, bench.profile), next.length * bench.profile.rounds);
    measured.push(...(await measureCases(bench, benchmark, next, keys, { progress, estimate, seed })));
  }
  // Cases that came later belong among the others.
  if (more) measured.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  // Settings first: one of them may refuse every write.
  await bench.tuning.back();
  await bench.cluster.system.keys.remove(await primaryControl(bench), keys);
  await removed();
  const pace = benchmark.pace && paceOf(benchmark, run.profile);
  return benchmarkDocument(benchmark, { cases: measured, ...(pace && { pace }), slo });
}

/**
 * @param {Bench} bench
 * @param {Benchmark} benchmark
 * @param {Case[]} cases measured interleaved; their baselines are among them
 * @param {Keys} keys
 * @param {Ui & {seed: number}} options
 * @returns {Promise<BenchmarkResult['cases']>}
 */
export async function measureCases(bench, benchmark, cases, keys, { progress, estimate, seed }) {
  const { rounds, seconds } = bench.profile;
  const piece = roundPiece(benchmark, bench.profile);
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s, ${estimate.left()}`);
  let ended = () => {};
  const results = await measureRounds(
    bench,
    benchmark,
    cases,
    keys.prefix,
    (round, { id }) => {
      progress.now(`round ${round} of ${rounds}, ${id}`);
      ended = estimate.begin(piece);
    },
    ({ id }, result) => {
      ended();
      const { throughput, latencyNs } = result;
      // Some rounds write nothing. The most important figure comes first: the end may be cut off.
      if (throughput > 0) progress.figures?.(`${rate(throughput)}, p99 ${duration(latencyNs.p99)}, ${id}`);
    },
  );
  return cases.map(({ id, params, baseline }) => {
    const own = results.get(id) ?? [];
    const baselineRounds = (baseline !== undefined && results.get(baseline)) || null;
    return { id, params, rounds: own, summary: summarise(own, baselineRounds, { baselineId: baseline, seed }) };
  });
}

/**
 * @param {Pick<Benchmark, 'name' | 'pace'>} benchmark
 * @param {Profile} profile
 * @returns {Piece} a round
 */
export function roundPiece(benchmark, profile) {
  const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
  return { kind: 'rounds', of: benchmark.name, seconds: seconds + warmUpSeconds + ROUND_OVERHEAD_SECONDS };
}

/**
 * @param {Pick<Benchmark, 'pace'>} benchmark
 * @param {Profile} profile
 * @returns {Pace}
 */
export function paceOf({ pace }, profile) {
  const { rounds, seconds, warmUpSeconds } = pace?.(profile) ?? profile;
  return { rounds, seconds, warmUpSeconds };
}
