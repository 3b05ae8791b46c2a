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
 * @param {import('./rounds.js').Bench} bench
 * @param {Benchmark} benchmark
 * @param {import('./types.js').Case[]} cases
 * @param {import('./keys.js').Keys} keys removed at the end, but not when this rejects
 * @param {{progress: import('./progress.js').Progress, estimate: ReturnType<typeof import('./progress.js').createEstimate>, seed: number}} ui
 * @returns {Promise<BenchmarkResult>}
 */
export async function measureBenchmark(bench, benchmark, cases, keys, { progress, estimate, seed }) {
  const { rounds, seconds } = bench.profile;
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s`);
  const results = await measureRounds(bench, benchmark, cases, keys.prefix, (round, { id }) => {
    progress.now(`${benchmark.name}: round ${round} of ${rounds}, ${id}, ${estimate.left()}`);
    estimate.roundBegins();
  });
  await removeKeys(await primaryControl(bench), keys);
  const document = {
    ...notMeasured(benchmark, 'ok'),
    cases: cases.map(({ id, params, baseline }) => {
      const own = results.get(id) ?? [];
      const baselineRounds = (baseline !== undefined && results.get(baseline)) || null;
      return { id, params, rounds: own, summary: summarise(own, baselineRounds, { baselineId: baseline, seed }) };
    }),
  };
  document.checks = benchmark.checks(document);
  document.findings = benchmark.findings(document);
  return document;
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
