/**
 * The chart of a comparison: the figure of B as a multiple of A, case by case, with its interval and the threshold.
 */

import { percent, plural } from '../../format.js';
import { categoryAxis, grid, intervalSeries, legend, valueAxis } from '../charts/parts.js';
import { changeText, METRICS } from './compare.js';

/**
 * @import { Verdict } from '../../stats/comparison.js'
 * @import { Chart, Style } from '../charts/chart.js'
 * @import { ComparedCase, Comparison } from './compare.js'
 */

/** @type {Readonly<Record<Verdict, Style>>} */
const VERDICT_STYLES = Object.freeze({
  worse: { color: '$bad', symbol: 'diamond', dash: 'solid' },
  better: { color: '$good', symbol: 'triangle', dash: 'solid' },
  'no difference': { color: '$grey', symbol: 'circle', dash: 'solid' },
});
const VERDICTS = /** @type {(keyof typeof VERDICT_STYLES)[]} */ (Object.keys(VERDICT_STYLES));

const AROUND = 130;
/** Room for a name of two lines. */
const ROW = 27;
/** Beyond this ratio the axis is logarithmic: half as much is then as far from 1 as twice as much. */
const FAR = 2;
const MARGIN = 0.02;
/** The first parts of a case's id: client, pipeline depth, connections, payload. */
const SETTING_PARTS = 4;

/**
 * @param {Comparison} comparison
 * @param {string} benchmark
 * @returns {Chart | null} null: no case has a ratio
 */
export function comparisonChart({ metric, threshold, cases }, benchmark) {
  const drawn = cases.filter((one) => one.benchmark === benchmark && one.ratio);
  if (drawn.length === 0) return null;
  const ends = drawn.flatMap(({ ratio }) => (ratio ? [ratio.low, ratio.high] : []));
  const { names, common } = shortNames(drawn.map(({ id }) => id));
  const [least, most] = [Math.min(1 - threshold, ...ends), Math.max(1 + threshold, ...ends)];
  const log = least > 0 && (least < 1 / FAR || most > FAR);
  const axis = valueAxis('B / A', {
    format: 'times',
    across: true,
    log,
    ...(log
      ? { min: down2(least), max: up2(most) }
      : { min: Math.max(0, hundredth(least - MARGIN)), max: hundredth(most + MARGIN) }),
  });
  return {
    id: `${benchmark}.comparison`,
    title: `${benchmark}: ${METRICS[metric].what} of B as a multiple of A`,
    alt: altText(drawn, cases.filter((one) => one.benchmark === benchmark).length),
    note: `Median with its 95% interval. Inside the band, the threshold of ${percent(threshold)}, nothing counts as a difference. ${
      METRICS[metric].higherIsBetter ? 'More' : 'Less'
    } is better.${common === '' ? '' : ` All cases: ${common}.`}`,
    columns: [
      { name: 'case' },
      ...[...VERDICTS, 'low', 'high'].map((name) => ({ name, format: /** @type {const} */ ('times') })),
    ],
    rows: drawn.map(({ ratio, verdict }, i) => [
      names[i],
      ...VERDICTS.map((each) => (verdict === each && ratio ? ratio.median : null)),
      ratio?.low ?? null,
      ratio?.high ?? null,
    ]),
    height: AROUND + ROW * drawn.length,
    option: {
      // Without a browser, ECharts underestimates the width of names.
      grid: grid({ left: 48 }),
      legend: legend(VERDICTS),
      xAxis: { ...axis, ...(log && { logBase: 2 }) },
      yAxis: withWholeNames(categoryAxis({ inverse: true })),
      series: [
        {
          ...intervalSeries({
            name: '95% interval',
            at: 'case',
            low: 'low',
            high: 'high',
            style: { ...VERDICT_STYLES['no difference'], color: '$muted' },
            across: true,
          }),
          z: 2,
        },
        ...VERDICTS.map((name, i) => ({
          type: 'scatter',
          name,
          encode: { x: name, y: 'case' },
          symbol: VERDICT_STYLES[name].symbol,
          symbolSize: 11,
          itemStyle: { color: VERDICT_STYLES[name].color, opacity: 1 },
          tooltip: { valueFormatter: '@times' },
          z: 4,
          ...(i === 0 && markers(threshold)),
        })),
      ],
    },
  };
}

/** @param {number} threshold */
function markers(threshold) {
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      label: { show: false },
      lineStyle: { color: '$ink', type: 'solid', width: 1 },
      data: [{ xAxis: 1 }],
    },
    markArea: {
      silent: true,
      itemStyle: { color: '$line', opacity: 0.4 },
      data: [[{ xAxis: 1 - threshold }, { xAxis: 1 + threshold }]],
    },
  };
}

/** @param {Record<string, any>} axis */
function withWholeNames(axis) {
  return { ...axis, axisLabel: { ...axis.axisLabel, width: 300, fontSize: 11, interval: 0 } };
}

/**
 * @param {ComparedCase[]} drawn
 * @param {number} all cases of the benchmark
 */
function altText(drawn, all) {
  const counts = VERDICTS.map((verdict) => `${drawn.filter((one) => one.verdict === verdict).length} ${verdict}`);
  const furthest = drawn.reduce((a, b) => (distance(b) > distance(a) ? b : a));
  const missing = all > drawn.length ? ` Not drawn, without an interval: ${all - drawn.length}.` : '';
  return `Of ${plural(drawn.length, 'case')} ${counts.join(', ')}.${missing} Furthest from 1: ${furthest.id}, ${changeText(furthest)}.`;
}

/**
 * @param {string[]} ids such as `native-batch1-conn1-64B-wait1`
 * @returns {{names: string[], common: string}} names: without the parts that all ids have at the same place; common: those parts
 */
function shortNames(ids) {
  const parts = ids.map((id) => id.split('-'));
  const shared = parts[0].map((part, i) => i < SETTING_PARTS && parts.every((other) => other[i] === part));
  const names = parts.map((caseParts) => caseParts.filter((_, i) => !shared[i]).join('-'));
  if (ids.length < 2 || names.includes('') || new Set(names).size < ids.length) return { names: ids, common: '' };
  return { names, common: parts[0].filter((_, i) => shared[i]).join(', ') };
}

/** @param {ComparedCase} one */
function distance({ ratio }) {
  return ratio ? Math.abs(Math.log(Math.max(ratio.median, Number.MIN_VALUE))) : 0;
}

/** @param {number} value */
const hundredth = (value) => Math.round(value * 100) / 100;
/** @param {number} value */
const down2 = (value) => 2 ** Math.floor(Math.log2(value));
/** @param {number} value */
const up2 = (value) => 2 ** Math.ceil(Math.log2(value));
