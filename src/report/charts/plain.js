/**
 * The chart of a benchmark that names none, or whose file is not there any more.
 */

import { bytes, plural, rate } from '../format.js';
import { isFailureBenchmark } from '../trials/totals.js';
import { percentileCurves } from './percentiles.js';
import { modeName, styleAt } from './styles.js';

/**
 * @import { BenchmarkResult, CaseParams } from '../../result/schema.js'
 * @import { Chart } from './types.js'
 */

/** What cases may differ in. @type {readonly ((params: CaseParams) => string)[]} */
const PARTS = [
  ({ client }) => client,
  modeName,
  ({ habit }) => habit,
  ({ pipeline }) => `batch ${pipeline}`,
  ({ payloadBytes }) => bytes(payloadBytes),
  ({ connections }) => plural(connections, 'connection'),
  (params) => (params.rate === undefined ? '' : rate(params.rate)),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null} null: there are too many cases, or latency is not what was measured
 */
export function plainChart(benchmark) {
  const { cases } = benchmark;
  const isLatency = cases.every(({ rounds }) => rounds.every(({ consistency, copy }) => !consistency && !copy));
  if (isFailureBenchmark(benchmark) || !isLatency) return null;
  const parts = PARTS.filter((part) => new Set(cases.map(({ params }) => part(params))).size > 1);
  const names = cases.map(({ params }) => parts.map((part) => part(params)).join(', '));
  const areNames = new Set(names).size === cases.length && !names.includes('');
  return percentileCurves(benchmark, {
    what: 'of each case',
    curves: cases.map((result, i) => ({ name: areNames ? names[i] : result.id, result, style: styleAt(i) })),
  });
}
