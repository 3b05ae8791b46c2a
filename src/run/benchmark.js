/**
 * One benchmark: its rounds, and the document made of them.
 */
import { summarise } from '../measure/summary.js';
import { primaryControl } from './bench.js';
import { removeKeys } from './keys.js';
import { measureRounds } from './rounds.js';

/**
 * @typedef {import('./types.js').Benchmark} Benchmark
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 */

/**
 * @typedef {Object} Ui
 * @property {import('./progress.js').Progress} progress
 * @property {ReturnType<typeof import('./progress.js').createEstimate>} estimate
 *
 * @param {import('./rounds.js').Bench} bench
 * @param {Benchmark} benchmark
 * @param {import('./types.js').Case[]} cases
 * @param {import('./keys.js').Keys} keys removed at the end, but not when this rejects
 * @param {Ui & {seed: number, slo?: import('./types.js').Slo}} options
 * @returns {Promise<BenchmarkResult>}
 */
export async function measureBenchmark(bench, benchmark, cases, keys, { progress, estimate, seed, slo }) {
  const document = notMeasured(benchmark, 'ok');
  for (let next = cases; next.length > 0; next = benchmark.more?.(document, { slo }) ?? []) {
    if (next !== cases) estimate.add(next.length * bench.profile.rounds);
    document.cases.push(...(await measureCases(bench, benchmark, next, keys, { progress, estimate, seed })));
  }
  // Cases that came later belong among the others.
  if (benchmark.more) document.cases.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  await removeKeys(await primaryControl(bench), keys);
  document.checks = benchmark.checks(document);
  document.findings = benchmark.findings(document, { slo });
  return document;
}

/**
 * @param {import('./rounds.js').Bench} bench
 * @param {Benchmark} benchmark
 * @param {import('./types.js').Case[]} cases measured side by side; their baselines are among them
 * @param {import('./keys.js').Keys} keys
 * @param {Ui & {seed: number}} options
 * @returns {Promise<BenchmarkResult['cases']>}
 */
async function measureCases(bench, benchmark, cases, keys, { progress, estimate, seed }) {
  const { rounds, seconds } = bench.profile;
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s`);
  const results = await measureRounds(bench, benchmark, cases, keys.prefix, (round, { id }) => {
    progress.now(`${benchmark.name}: round ${round} of ${rounds}, ${id}, ${estimate.left()}`);
    estimate.roundBegins();
  });
  return cases.map(({ id, params, baseline }) => {
    const own = results.get(id) ?? [];
    const baselineRounds = (baseline !== undefined && results.get(baseline)) || null;
    return { id, params, rounds: own, summary: summarise(own, baselineRounds, { baselineId: baseline, seed }) };
  });
}

/**
 * @param {Benchmark} benchmark
 * @param {BenchmarkResult['status']} status
 * @param {string} [reason]
 * @returns {BenchmarkResult}
 */
export function notMeasured({ name, question }, status, reason) {
  return { name, question, status, ...(reason !== undefined && { reason }), cases: [], findings: [], checks: [] };
}
