/**
 * Which charts a report has, and where.
 */

import { plainChart } from './plain.js';

/**
 * @typedef {import('../../result/schema.js').Result} Result
 * @typedef {import('../../result/schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./types.js').Chart} Chart
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<import('../../run/types.js').Benchmark, 'charts'> | undefined} presentation
 * @param {Result} result
 * @returns {Chart[]} of its section, in order
 */
export function chartsOf(benchmark, presentation, result) {
  if (benchmark.cases.length === 0) return [];
  const charts = presentation?.charts?.(benchmark, result) ?? [plainChart(benchmark)];
  return charts.filter((chart) => chart !== null);
}
