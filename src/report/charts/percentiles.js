/** Latency by percentile, with the axis of HdrHistogram plots: 90%, 99%, 99.9% are equally far apart. */

import { duration } from '../../format.js';
import { mergeHistograms } from '../../stats/histogram.js';
import { ENOUGH_BEYOND } from '../../stats/summary.js';
import { say } from './against.js';
import { FORMATS } from './chart.js';
import { fittedAxis, grid, legend, lineSeries, moreLegend, valueAxis } from './parts.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { Chart, Style } from './chart.js'
 * @typedef {{name: string, result: CaseResult, style: Style}} Curve name: name of the case, unique in the chart
 */

/** Readers cannot tell more curves apart. */
const MOST_CURVES = 8;
/** Nearly even steps on a logarithmic axis, with readable percentiles: 0, 20, 37.5, 50, … 90, 92 … */
const IN_A_DECADE = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8];
const DECADES = 7;
const POINTS = Array.from({ length: DECADES }, (_, decade) => IN_A_DECADE.map((x) => x * 10 ** decade)).flat();
const X = 'percentile';
/** Points of each curve in the alternative text. */
const TEXT_POINTS = [2, 100, 1000];

/**
 * @param {Pick<BenchmarkResult, 'name'>} benchmark @param {Object} options @param {readonly Curve[]} options.curves
 * @param {string} options.what the cases in words, for the title: `of 64 B values through native`
 * @returns {Chart | null} null: no case has enough values for a curve, or there are more than {@link MOST_CURVES}
 * @throws {Error} when a histogram cannot be read
 */
export function percentileCurves({ name }, { curves, what }) {
  // Checked before decoding, which is slow.
  if (curves.length > MOST_CURVES) return null;
  const drawn = curves
    .map((curve) => ({ ...curve, values: percentilesOf(curve.result) }))
    .filter(({ values }) => values.length > 1);
  if (drawn.length === 0) return null;
  const points = POINTS.slice(0, Math.max(...drawn.map(({ values }) => values.length)));
  const all = drawn.flatMap(({ values }) => values);
  const names = drawn.map((curve) => curve.name);
  const more = moreLegend(names);
  const open = drawn.every(({ result }) => result.rounds.some(({ openLoop }) => openLoop));
  return {
    id: `${name}.percentiles`,
    title: say('percentiles', 'title', { open, what }),
    alt: drawn.map((curve) => `${curve.name}: ${pointsText(curve.values)}.`).join(' '),
    note: say('percentiles', 'note', { enough: ENOUGH_BEYOND }),
    columns: [
      { name: X, format: 'percentile' },
      ...drawn.map((curve) => ({ name: curve.name, format: /** @type {const} */ ('duration') })),
    ],
    rows: points.map((x, i) => [x, ...drawn.map(({ values }) => values[i] ?? null)]),
    height: 420 + more,
    option: {
      grid: grid({ top: 84 + more }),
      legend: legend(names),
      xAxis: percentileAxis(points[points.length - 1]),
      yAxis: fittedAxis(say('percentiles', 'axis', { open }), { format: 'duration', values: all }),
      series: drawn.map(({ name, style }) =>
        lineSeries({ name, x: X, y: name, style, format: 'duration', symbolSize: 5 }),
      ),
    },
  };
}

/** @param {number} max its end, even between two labels */
function percentileAxis(max) {
  const axis = valueAxis('percentile', { format: 'percentile', log: true, across: true, min: 1, max });
  const customValues = POINTS.filter((x) => Number.isInteger(Math.log10(x)) && x <= max);
  return { ...axis, axisTick: { show: false, customValues }, axisLabel: { ...axis.axisLabel, customValues } };
}

/**
 * The writes of a batch complete together, so they are one independent value.
 * @param {CaseResult} result @returns {number[]} at each of {@link POINTS} with enough values beyond it
 */
function percentilesOf({ params, rounds, summary }) {
  const furthest = summary.samples / Math.max(1, params.pipeline) / ENOUGH_BEYOND;
  const points = POINTS.filter((x) => x <= furthest * (1 + Number.EPSILON));
  if (points.length < 2) return [];
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  // The library returns the highest value of a bucket, which can exceed the highest recorded one.
  return points.map((x) => Math.min(merged.getValueAtPercentile(100 * (1 - 1 / x)), merged.maxValue));
}

/** @param {readonly number[]} values at the first of {@link POINTS} */
function pointsText(values) {
  const reached = TEXT_POINTS.filter((x) => POINTS.indexOf(x) < values.length);
  return reached.map((x) => `${duration(values[POINTS.indexOf(x)])} at ${FORMATS.percentile(x)}`).join(', ');
}
