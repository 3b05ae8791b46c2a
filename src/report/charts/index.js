/**
 * Which charts a report has, and where.
 */

import { plainChart } from './plain.js';

/**
 * @import { BenchmarkResult, Result } from '../../result/schema.js'
 * @import { Benchmark } from '../../run/types.js'
 * @import { Chart } from './types.js'
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Benchmark, 'charts'> | undefined} presentation
 * @param {Result} result
 * @returns {Chart[]} of its section, in order
 */
export function chartsOf(benchmark, presentation, result) {
  if (benchmark.cases.length === 0) return [];
  const charts = presentation?.charts?.(benchmark, result) ?? [plainChart(benchmark)];
  return charts.filter((chart) => chart !== null);
}
