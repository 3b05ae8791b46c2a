/**
 * One benchmark: its rounds, and the document made of them.
 */

import { duration, firstSentences, rate } from '../report/format.js';
import { summarise } from '../stats/summary.js';
import { primaryControl } from './bench.js';
import { removeKeys } from './keys.js';
import { measureRounds } from './rounds.js';

/**
 * @import { BenchmarkResult } from '../result/schema.js'
 * @import { Estimate, Piece } from './estimate.js'
 * @import { Keys } from './keys.js'
 * @import { Progress } from './progress.js'
 * @import { Bench } from './rounds.js'
 * @import { Case, Pace, Profile, RoundBenchmark as Benchmark, Slo } from './types.js'
 */

/** What connecting, draining and sampling add to a round, roughly; only for the first estimate. */
const ROUND_OVERHEAD_SECONDS = 0.04;

/**
 * @typedef {Object} Ui
 * @property {Progress} progress
 * @property {Estimate} estimate
 *
 * @param {Bench} run
 * @param {Benchmark} benchmark
 * @param {Case[]} cases
 * @param {Keys} keys removed at the end, but not when this rejects
 * @param {Ui & {seed: number, slo?: Slo}} options
 * @returns {Promise<BenchmarkResult>}
 */
export async function measureBenchmark(run, benchmark, cases, keys, { progress, estimate, seed, slo }) {
  const bench = { ...run, profile: { ...run.profile, ...paceOf(benchmark, run.profile) } };
  const document = notMeasured(benchmark, 'ok');
  const more = benchmark.kind === 'load' ? benchmark.more : undefined;
  if (benchmark.pace) document.pace = paceOf(benchmark, run.profile);
  const removed = await bench.tuning.willWrite(keys.prefix);
  for (let next = cases; next.length > 0; next = more?.(document, { slo }) ?? []) {
    if (next !== cases) estimate.plan(roundPiece(benchmark, bench.profile), next.length * bench.profile.rounds);
    document.cases.push(...(await measureCases(bench, benchmark, next, keys, { progress, estimate, seed })));
  }
  // Cases that came later belong among the others.
  if (more) document.cases.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  // First, for a setting may refuse every write.
  await bench.tuning.back();
  await removeKeys(await primaryControl(bench), keys);
  await removed();
  document.checks = benchmark.checks(document);
  document.findings = benchmark.findings(document, { slo });
  return document;
}

/**
 * @param {Bench} bench
 * @param {Benchmark} benchmark
 * @param {Case[]} cases measured side by side; their baselines are among them
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
      // Some rounds are about no writes. First what is not to be cut off.
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

/**
 * @param {BenchmarkResult} document
 * @returns {string | null} its end, for whoever watches: what failed, else what was found first; null: it was not measured, which was
 *   told
 */
export function endLine({ name, status, checks, findings }) {
  if (status !== 'ok') return null;
  const failed = checks.find(({ ok }) => !ok);
  if (failed) return `${name}: FAILED: ${failed.name}: ${failed.detail}`;
  return `${name}: ${findings.length > 0 ? firstSentences(findings[0].text) : 'done'}`;
}

/**
 * @param {Pick<Benchmark, 'name' | 'question'>} benchmark
 * @param {BenchmarkResult['status']} status
 * @param {string} [reason]
 * @returns {BenchmarkResult}
 */
export function notMeasured({ name, question }, status, reason) {
  return { name, question, status, ...(reason !== undefined && { reason }), cases: [], findings: [], checks: [] };
}
