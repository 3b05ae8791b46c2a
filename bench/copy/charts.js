/**
 * The charts of the benchmark `copy`: speed, keeping up with writes, and what writers notice.
 */

import { duration, percent, plural } from '../../src/format.js';
import { medianNote } from '../../src/report/charts/against.js';
import { barChart } from '../../src/report/charts/bars.js';
import { categoryAxis, fittedAxis, grid, legend, lineSeries } from '../../src/report/charts/parts.js';
import { SYMBOLS, styleAt } from '../../src/report/charts/styles.js';
import { differencesText, figuresOf, isFinished, isIncremental, p99Of, rateOf, typical } from './figures.js';

/**
 * @import { Chart, Style } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 */

const PHASES = /** @type {const} */ (['before', 'during', 'after']);
const PHASE = 'copying';

/**
 * @param {BenchmarkResult} benchmark the benchmark `copy`
 * @returns {Chart[]}
 */
export function copyCharts({ name, cases }) {
  const copied = cases.filter((one) => figuresOf(one).length > 0);
  return [fullChart(name, copied), keepingUpChart(name, copied), p99Chart(name, copied)].filter(
    (chart) => chart !== null,
  );
}

/**
 * @param {string} name of the benchmark
 * @param {readonly CaseResult[]} cases
 */
function fullChart(name, cases) {
  const full = cases.filter((one) => !isIncremental(one) && isFinished(one));
  return barChart({
    id: `${name}.full`,
    title: 'How fast a data set was copied',
    note: `All pairs together. Behind each bar: whether source and copy were equal afterwards, or the differences.${medianNote(full)}`,
    rowName: 'mode',
    rows: full.map((one) => ({
      title: titleOf(one),
      values: [rateOf(one)],
      more: [differencesText(one) === '0' ? 'equal' : `different: ${differencesText(one)}`],
    })),
    parts: [{ name: 'keys copied a second', color: '$blue' }],
    axis: 'keys copied a second',
    format: 'rate',
    more: [{ name: 'differences' }],
  });
}

/**
 * @param {string} name of the benchmark
 * @param {readonly CaseResult[]} cases
 */
function keepingUpChart(name, cases) {
  const incremental = cases.filter(isIncremental);
  return barChart({
    id: `${name}.keeping-up`,
    title: 'Writes of the source, and writes copied in the same time',
    note: `Writers send as fast as they are answered. If the second bar is shorter, the copy fell behind while they wrote.${medianNote(incremental)}`,
    rowName: 'mode',
    rows: incremental.map((one) => {
      const source = typical(one, ({ sourceRate }) => sourceRate);
      const copy = typical(one, ({ copyRate }) => copyRate);
      return {
        title: titleOf(one),
        values: [source, copy],
        more: [isFinished(one) ? (source && copy !== null ? percent(copy / source) : '') : 'never finished'],
      };
    }),
    parts: [
      { name: 'written to the source', color: '$grey' },
      { name: 'copied', color: '$blue', striped: true },
    ],
    axis: 'writes a second',
    format: 'rate',
    more: [{ name: 'copied of written' }],
  });
}

/**
 * @param {string} name of the benchmark
 * @param {readonly CaseResult[]} cases
 * @returns {Chart | null} null: fewer than two modes have it
 */
function p99Chart(name, cases) {
  const single = cases.filter(({ params }) => (params.pairs ?? 1) === 1);
  const lines = single.flatMap((one, i) => {
    const values = PHASES.map((phase) => p99Of(one, phase));
    return values.filter((value) => value !== null).length > 1
      ? [{ title: titleOf(one), values, style: styleOf(one, i) }]
      : [];
  });
  if (lines.length < 2) return null;
  return {
    id: `${name}.p99`,
    title: 'p99 of the writers of the source: before, during and after',
    alt: lines
      .map(({ title, values }) => {
        const phaseTexts = PHASES.flatMap((phase, i) =>
          values[i] === null ? [] : [`${duration(values[i])} ${phase}`],
        );
        return `${title}: ${phaseTexts.join(', ')}.`;
      })
      .join(' '),
    note: `One pair. Solid: writes at a fixed rate, response time. Dashed: writes as fast as they are answered, service time. Do not compare the two.${medianNote(single)}`,
    columns: [
      { name: PHASE },
      ...lines.map(({ title }) => ({ name: title, format: /** @type {const} */ ('duration') })),
    ],
    rows: PHASES.map((phase, i) => [phase, ...lines.map(({ values }) => values[i])]),
    height: 440,
    option: {
      grid: grid({ top: 40 + 28 * Math.ceil(lines.length / 4) + 24 }),
      legend: { ...legend(lines.map(({ title }) => title)), right: 12 },
      xAxis: categoryAxis(),
      yAxis: fittedAxis('p99', { format: 'duration', values: lines.flatMap(({ values }) => values), log: true }),
      series: lines.flatMap(({ title, style }) =>
        lineSeries({ name: title, x: PHASE, y: title, style, format: 'duration' }),
      ),
    },
  };
}

/**
 * @param {CaseResult} one
 * @param {number} index
 * @returns {Style} dashed: the heaviest writing
 */
function styleOf(one, index) {
  return { ...styleAt(index), symbol: SYMBOLS[index % SYMBOLS.length], dash: isIncremental(one) ? 'dashed' : 'solid' };
}

/** @param {CaseResult} one */
function titleOf({ params: { copyMode = '', pairs = 1 } }) {
  return pairs === 1 ? copyMode : `${copyMode}, ${plural(pairs, 'pair')}`;
}
