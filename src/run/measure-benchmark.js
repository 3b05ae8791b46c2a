/**
 * @import { BenchmarkResult } from '../result/schema.js'
 * @import { Keys } from '../stacks/types.js'
 * @import { Estimate, Piece } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Teller, Testbed } from './rounds.js'
 * @import { SuiteParameters, Case, Pace, Profile, RoundBenchmark as Benchmark } from './types.js'
 */
import { duration, rate } from '../format.js';
import { summarise } from '../stats/summary.js';
import { benchmarkDocument } from './document.js';
import { readOwn, withOwn } from './own-settings.js';
import { measureRounds, precisionOf } from './rounds.js';
import { primaryControl } from './testbed.js';

/** Of connecting, draining and sampling, roughly, for the first estimate. */
const ROUND_OVERHEAD_SECONDS = 0.04;

/** @typedef {{progress: Progress, estimate: Estimate, seed: number} & Pick<Teller, 'testbedOf'>} CasesOptions */

/**
 * @param {Testbed} run @param {Benchmark} benchmark @param {Case[]} cases
 * @param {Keys} keys removed at the end, but not if this rejects @param {CasesOptions & {parameters?: SuiteParameters}} options
 */
export async function measureBenchmark(run, benchmark, cases, keys, options) {
  const { estimate, parameters } = options;
  const testbed = { ...run, profile: { ...run.profile, ...paceOf(benchmark, run.profile) } };
  const more = benchmark.kind === 'load' ? benchmark.more : undefined;
  const removed = await testbed.tuning.willWrite(keys.prefix);
  // Before a case changes settings.
  const own = await readOwn(testbed.stack, await primaryControl(testbed));
  /** @type {BenchmarkResult['cases']} */
  const measured = [];
  const soFar = () => benchmarkDocument(benchmark, { cases: measured, parameters });
  for (let next = cases; next.length > 0; next = more?.(soFar(), { parameters }) ?? []) {
    if (next !== cases) estimate.plan(roundPiece(benchmark, testbed.profile), next.length * testbed.profile.rounds);
    const found = await measureCases(testbed, benchmark, next, keys, options);
    measured.push(...found.map((one) => ({ ...one, params: withOwn(one.params, own) })));
  }
  if (more) measured.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  // Settings first: one of them may refuse every write.
  await testbed.tuning.back();
  await testbed.stack.database.keys.remove(await primaryControl(testbed), keys);
  await removed();
  const pace = benchmark.pace && paceOf(benchmark, run.profile);
  const { headline, ...precision } = precisionOf(benchmark, run.profile) ?? {};
  return benchmarkDocument(benchmark, {
    cases: measured,
    ...(pace && { pace }),
    ...(headline && { precision: /** @type {BenchmarkResult['precision']} */ (precision) }),
    parameters,
  });
}

/**
 * @param {Testbed} testbed @param {Benchmark} benchmark @param {Case[]} cases measured interleaved; their baselines are among them
 * @param {Pick<Keys, 'prefix'>} keys @param {CasesOptions} options
 */
export async function measureCases(testbed, benchmark, cases, keys, { progress, estimate, seed, testbedOf }) {
  const { rounds, seconds } = testbed.profile;
  const piece = roundPiece(benchmark, testbed.profile);
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s, ${estimate.left()}`);
  const results = await measureRounds(testbed, benchmark, cases, keys.prefix, {
    onRound(round, next) {
      progress.now(`round ${round}${round <= rounds ? ` of ${rounds}` : ''}, ${next.map(({ id }) => id).join(', ')}`);
    },
    onRoundEnd({ id }, result) {
      estimate.ended(piece);
      const { throughput, latencyNs } = result;
      // Some rounds write nothing. The most important figure comes first: the end may be cut off.
      if (throughput > 0) progress.figures?.(`${rate(throughput)}, p99 ${duration(latencyNs.p99)}, ${id}`);
    },
    onMore: (more) => estimate.plan(piece, more),
    testbedOf,
  });
  const of = (id = '') => results.get(id) ?? { rounds: [] };
  return cases.map(({ id, params, baseline }) => {
    const { rounds: own, stop } = of(id);
    const summary = summarise(own, of(baseline).rounds, { baselineId: baseline, seed });
    return { id, params, rounds: own, summary, ...(stop && { stop }) };
  });
}

/** @param {Pick<Benchmark, 'name' | 'pace' | 'overheadSeconds'>} benchmark @param {Profile} profile @returns {Piece} a round */
export function roundPiece(benchmark, profile) {
  const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
  const overhead = benchmark.overheadSeconds ?? ROUND_OVERHEAD_SECONDS;
  return { of: benchmark.name, seconds: seconds + warmUpSeconds + overhead };
}

/** @param {Pick<Benchmark, 'pace'>} benchmark @param {Profile} profile @returns {Pace} */
export function paceOf({ pace }, profile) {
  const { rounds, seconds, warmUpSeconds } = pace?.(profile) ?? profile;
  return { rounds, seconds, warmUpSeconds };
}
