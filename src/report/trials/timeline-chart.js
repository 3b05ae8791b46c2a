/**
 * The timeline of one trial: outcomes of writes, response times, and marks.
 *
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { TrialResult } from '../../result/failure-schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Chart } from '../charts/chart.js'
 * @import { Bins } from './timeline-parts.js'
 */

import { lostSteps } from '../../audit/lost-steps.js';
import { count, plural } from '../../format.js';
import { sum } from '../../stats/statistics.js';
import { MS_A_SECOND } from '../../units.js';
import { legend, valueAxis } from '../charts/parts.js';
import { OUTCOME_STYLES, writerStyle } from '../charts/styles.js';
import { milliseconds, PLAIN_TITLES } from './figures.js';
import {
  backdrop,
  bandLegend,
  binsOf,
  LOST,
  linesOf,
  lostArea,
  lostNote,
  OTHERS,
  silentSpans,
  timeAxis,
  WIDTHS,
  widthsNote,
  zeroOf,
} from './timeline-parts.js';

/**
 * @typedef {Object} Part a panel
 * @property {string} name of its axis
 * @property {'rate' | 'milliseconds'} format
 * @property {number} top
 * @property {number} height
 */

/** Writers with lines of their own. */
const MOST_WRITERS = 8;
/** Points of a line. A screen shows no more, and a page has dozens of trials. */
const MOST_BINS = 1200;
const TIME = 'since the fault';
const LEFT = 72;
const RIGHT = 24;
/** @type {readonly Part[]} */
const PARTS = [
  { name: 'acked writes a second', format: 'rate', top: 96, height: 170 },
  { name: 'other outcomes a second', format: 'rate', top: 306, height: 90 },
  { name: 'p99 response time', format: 'milliseconds', top: 436, height: 90 },
];
const [ACKED, OTHER, P99] = [0, 1, 2];
const HEIGHT = 620;
const DASHES = /** @type {const} */ (['solid', 'dashed']);
/** The lower end of the logarithmic axis, below any response time. */
const LEAST_MS = 0.001;

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {{trial: TrialResult, title?: string, titles?: Titles}} what title: of the benchmark; default: its name
 * @returns {Chart | null} null: no steps
 */
export function trialChart(benchmark, one, { trial, title = benchmark.name, titles = PLAIN_TITLES }) {
  if (trial.writers.every(({ acked }) => acked.length === 0)) return null;
  const lost = lostSteps(benchmark, trial);
  const { times, writers: all, stepsABin, binMs } = binsOf(trial, { most: MOST_BINS, lost });
  const writers = mostHarmed(all);
  const left = all.length - writers.length;
  const binned = stepsABin > 1;
  const bands = bandLegend([trial], lost.size > 0);
  const lines = writers.flatMap((bins, place) =>
    linesOfWriter(bins, { name: titles.writer(bins.writer), place, binned }),
  );
  const areas = writers.flatMap((bins) =>
    bins.lost === null ? [] : [{ column: `${titles.writer(bins.writer)}, ${LOST.name}`, values: bins.lost }],
  );
  return {
    id: `${benchmark.name}.${one.id}.timeline`,
    title: `${title}, ${titles.case(one.params)}: timeline of trial ${trial.round}`,
    alt: altOf(trial, titles),
    note: [
      left > 0
        ? `Of ${plural(all.length, 'writer')} those ${count(writers.length)} that lost most, then those without acknowledgements for longest.`
        : '',
      marksText(trial),
      noteOf(binMs, binned),
      lostNote([trial], lost.size > 0),
      left > 0 ? '' : widthsNote([trial], titles),
    ]
      .filter((text) => text !== '')
      .join(' '),
    columns: [
      { name: TIME, format: 'seconds' },
      ...lines.map(({ column, panel }) => ({ name: column, format: PARTS[panel].format })),
      ...areas.map(({ column }) => ({ name: column, format: PARTS[ACKED].format })),
    ],
    rows: times.map((time, i) => [time, ...[...lines, ...areas].map(({ values }) => values[i])]),
    height: HEIGHT,
    option: {
      legend: { ...legend(), data: [...new Set(lines.map(({ name }) => name)), ...bands.legend] },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      grid: PARTS.map(({ top, height }) => ({ left: LEFT, right: RIGHT, top, height })),
      xAxis: PARTS.map((_, panel) => timeAxis({ panel, last: panel === P99, from: 'dataMin', to: 'dataMax' })),
      yAxis: PARTS.map(({ name, format }, panel) => ({
        ...valueAxis(name, { format, log: panel === P99, ...(panel !== P99 && { min: 0 }) }),
        gridIndex: panel,
        axisLine: { show: false, onZero: false },
        splitNumber: panel === ACKED ? 4 : 2,
      })),
      dataZoom: [
        { type: 'inside', xAxisIndex: [ACKED, OTHER, P99], filterMode: 'none' },
        {
          type: 'slider',
          xAxisIndex: [ACKED, OTHER, P99],
          filterMode: 'none',
          bottom: 12,
          height: 22,
          textStyle: { color: '$muted' },
          labelFormatter: '@seconds',
        },
      ],
      series: [
        ...bands.series,
        ...PARTS.map((_, panel) => backdrop(trial, { panel, labelled: panel === ACKED })),
        ...areas.map(({ column }) => lostArea({ x: TIME, y: column, panel: ACKED })),
        ...lines.map(({ column, name, panel, style }) => ({
          type: 'line',
          name,
          xAxisIndex: panel,
          yAxisIndex: panel,
          encode: { x: TIME, y: column },
          showSymbol: false,
          symbol: 'circle',
          itemStyle: { color: style.color },
          lineStyle: style,
          tooltip: { valueFormatter: `@${PARTS[panel].format}` },
          emphasis: { disabled: true },
        })),
      ],
    },
  };
}

/**
 * @param {readonly Bins[]} all
 * @returns {readonly Bins[]} those that a reader looks for, in their order: more lines cannot be told apart
 */
function mostHarmed(all) {
  if (all.length <= MOST_WRITERS) return all;
  const lostOf = (/** @type {Bins} */ { lost }) => sum((lost ?? []).map((value) => value ?? 0));
  const silentOf = (/** @type {Bins} */ { ackedMean }) => ackedMean.filter((value) => value === 0).length;
  const first = all.toSorted((a, b) => lostOf(b) - lostOf(a) || silentOf(b) - silentOf(a)).slice(0, MOST_WRITERS);
  return all.filter((bins) => first.includes(bins));
}

/**
 * @param {Bins} bins of a writer
 * @param {{name: string, place: number, binned: boolean}} how place: the first writer has broad, solid lines, the second narrow, dashed
 *   ones
 * @returns {{column: string, name: string, panel: number, style: Record<string, any>, values: (number | null)[]}[]} only outcomes that
 *   happened have a line
 */
function linesOfWriter({ writer, ackedMean, ackedLow, others, p99Ms }, { name, place, binned }) {
  const { color } = writerStyle(writer);
  const width = WIDTHS[place] ?? WIDTHS[0];
  const acked = `${name}, acked`;
  return [
    { column: acked, name, panel: ACKED, style: { color, width }, values: ackedMean },
    ...(binned
      ? [
          {
            column: `${acked}, lowest step`,
            name,
            panel: ACKED,
            style: { color, width: 0.75, type: 'dotted' },
            values: ackedLow,
          },
        ]
      : []),
    ...OTHERS.filter((outcome) => others[outcome].some((value) => value !== null && value > 0)).map((outcome) => ({
      column: `${name}, ${outcome}`,
      name: `${name}: ${outcome}`,
      panel: OTHER,
      style: { color: OUTCOME_STYLES[outcome].color, width, type: DASHES[place % DASHES.length] },
      values: others[outcome],
    })),
    {
      column: `${name}, p99`,
      name,
      panel: P99,
      style: { color, width },
      values: p99Ms.map((value) => (value === null ? null : Math.max(LEAST_MS, value))),
    },
  ];
}

/**
 * @param {TrialResult} trial
 * @param {Titles} titles
 */
function altOf(trial, titles) {
  const silent = silentSpans(trial).reduce((sum, [from, to]) => sum + to - from, 0);
  const zero = zeroOf(trial);
  const marks = linesOf(trial).map(
    ({ afterMs, text }) => `${text} at ${((afterMs - zero) / MS_A_SECOND).toFixed(1)} s`,
  );
  const acked = trial.writers.map(
    ({ writer, acked }) => `${titles.writer(writer)} ${count(acked.reduce((sum, each) => sum + each, 0))}`,
  );
  return (
    `Writes acked: ${acked.join(', ')}${silent === 0 ? '' : `; none for ${milliseconds(silent)}`}. ` +
    `${marks.join(', ')}${marks.length === 0 ? '' : '.'}`
  ).trim();
}

/**
 * @param {TrialResult} trial
 * @returns {string} what the letters above the marks mean, such as `F 0.0 s: fault begun redis-1: kill.`; empty without marks
 */
function marksText(trial) {
  const zero = zeroOf(trial);
  return linesOf(trial)
    .map(({ afterMs, letter, text }) => `${letter} ${((afterMs - zero) / MS_A_SECOND).toFixed(1)} s: ${text}.`)
    .join(' ');
}

/**
 * @param {number} pointMs
 * @param {boolean} binned
 */
function noteOf(pointMs, binned) {
  return binned
    ? `A point is ${milliseconds(pointMs)}: mean rates, the highest p99 of a step; dotted: acked writes in its lowest step.`
    : `A point is a step of ${milliseconds(pointMs)}.`;
}
