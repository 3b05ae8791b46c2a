/**
 * The charts of a benchmark: those that its suite draws, or else its latency by percentile.
 */

import { isFailureBenchmark } from '../../audit/of-trials.js';
import { bytes, plural, rate } from '../../format.js';
import { percentileCurves } from './percentiles.js';
import { modeName, styleAt } from './styles.js';

/**
 * @import { Chart } from './chart.js'
 * @import { BenchmarkResult, CaseParams, Result } from '../../result/schema.js'
 * @import { Benchmark } from '../../run/types.js'
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

/** The parameters that may tell cases apart. @type {readonly ((params: CaseParams) => string)[]} */
const PARTS = [
  ({ client }) => client,
  modeName,
  ({ waitMode }) => waitMode,
  ({ pipeline }) => `depth ${pipeline}`,
  ({ payloadBytes }) => bytes(payloadBytes),
  ({ connections }) => plural(connections, 'connection'),
  (params) => (params.rate === undefined ? '' : rate(params.rate)),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null} null: too many cases, or the benchmark did not measure latency
 */
function plainChart(benchmark) {
  const { cases } = benchmark;
  const isLatency = cases.every(({ rounds }) => rounds.every(({ consistency }) => !consistency));
  if (isFailureBenchmark(benchmark) || !isLatency) return null;
  const parts = PARTS.filter((part) => new Set(cases.map(({ params }) => part(params))).size > 1);
  const names = cases.map(({ params }) => parts.map((part) => part(params)).join(', '));
  const areNames = new Set(names).size === cases.length && !names.includes('');
  return percentileCurves(benchmark, {
    what: 'of each case',
    curves: cases.map((result, i) => ({ name: areNames ? names[i] : result.id, result, style: styleAt(i) })),
  });
}
