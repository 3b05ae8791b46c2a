/**
 * Which charts a report has, and where.
 */
import { decisionCharts } from './decision.js';
import { failureOverview } from './failure-overview.js';
import { plainChart } from './plain.js';

/**
 * @typedef {import('../schema.js').Result} Result
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./types.js').Chart} Chart
 */

/**
 * @param {Result} result
 * @returns {Chart[]} what answers first, above all sections
 */
export function topCharts(result) {
  return [...decisionCharts(result), ...failureOverview(result)];
}

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
