/**
 * The same cases over many runs: a panel a case, its line broken where runs were not made alike.
 */

import { FORMATS } from '../charts/functions.js';
import { categoryAxis, intervalCells, intervalColumns, lineSeries, valueAxis } from '../charts/parts.js';
import { levelStyle } from '../charts/styles.js';
import { plural, range } from '../format.js';
import { FIGURES } from './history.js';

/**
 * @import { Chart, FormatName } from '../charts/types.js'
 * @import { BenchmarkHistory, Course, HistoryMetric, Run } from './history.js'
 */

/** Each has a panel of its own: their intervals would hide each other. */
const MOST_PANELS = 6;
/** From then on points would hide their line. */
const MANY_RUNS = 60;
/** More do not fit beside each other. */
const MANY_NAMES = 6;
/** Pixels: above all, of a panel, of its name, below it, and of the names of runs. */
const [TOP, PANEL, NAME, GAP, BOTTOM] = [48, 128, 30, 14, 92];

/** @type {Readonly<Record<HistoryMetric, FormatName>>} */
export const METRIC_FORMATS = Object.freeze({ throughput: 'rate', p50: 'duration', p99: 'duration', lost: 'percent' });

/**
 * Of the cases that are in most runs, those that changed most from run to run: where nothing changed, a panel tells nothing.
 *
 * @param {readonly Course[]} courses
 * @returns {Course[]} in their own order
 */
export function tellingCourses(courses) {
  const most = Math.max(...courses.map(({ points }) => points.length));
  const candidates = courses.filter(({ points }) => points.length === most);
  const chosen = new Set([...candidates].sort((a, b) => changeOf(b) - changeOf(a)).slice(0, MOST_PANELS));
  return candidates.filter((course) => chosen.has(course));
}

/**
 * @param {BenchmarkHistory} history
 * @returns {Chart | null} null: there is but one run, or nothing else than zeros
 */
export function historyChart({ benchmark, metric, runs, changes, courses }) {
  const shown = tellingCourses(courses);
  const values = shown.flatMap(({ points }) => points.map(({ value }) => value.median));
  if (runs.length < 2 || Math.max(...values) === 0) return null;
  const format = METRIC_FORMATS[metric];
  const labels = runLabels(runs);
  const cells = (/** @type {number} */ run) =>
    shown.flatMap(({ points }) => intervalCells(points.find((point) => point.run === run)?.value));
  const rows = runs.flatMap((_, run) => {
    const change = changes.findIndex((each) => each.run === run);
    // A row without figures breaks the lines: what lies on its two sides was not made alike.
    const gap = change === -1 ? [] : [[changeLabel(change), ...shown.flatMap(() => [null, null, null])]];
    return [...gap, [labels[run], ...cells(run)]];
  });
  const left = courses.length - shown.length;
  return {
    id: `${benchmark}.history`,
    title: `${benchmark}: ${FIGURES[metric]}, run by run`,
    alt: altText(shown, METRIC_FORMATS[metric], { runs: labels, changes: changes.length }),
    note: [
      metric === 'lost'
        ? 'Of all trials of a run together, with the least and the most of a trial.'
        : 'Median over the rounds with its 95% interval.',
      ...(changes.length > 0
        ? ['At a dashed line circumstances changed: figures on its two sides do not compare.']
        : []),
      ...(left > 0
        ? [`Drawn are the ${shown.length} cases that changed most; the other ${left} are in the table.`]
        : []),
    ].join(' '),
    columns: [{ name: 'run' }, ...shown.flatMap(({ name }) => intervalColumns(name, format))],
    rows,
    height: TOP + PANEL * shown.length + (rows.length > MANY_NAMES ? BOTTOM : BOTTOM / 3),
    option: {
      // The panels' left ends are one line, also where the page has less room: as text it is left as it is.
      grid: shown.map((_, i) => ({
        left: '76',
        outerBoundsMode: 'none',
        right: 24,
        top: TOP + PANEL * i + NAME,
        height: PANEL - NAME - GAP,
      })),
      xAxis: shown.map((_, i) => runAxis(i, { last: i === shown.length - 1, many: rows.length > MANY_NAMES })),
      yAxis: shown.map(({ name }, i) => ({
        ...valueAxis(name, { format }),
        gridIndex: i,
        splitNumber: 2,
        nameGap: 8,
        nameTextStyle: { align: 'left', color: '$ink', padding: [0, 0, 0, -60] },
      })),
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      series: shown.flatMap(({ name, params }, i) => {
        const style = levelStyle(params);
        const columns = { x: 'run', y: name, low: `${name}, low`, high: `${name}, high` };
        const [line, ...intervals] = lineSeries({ name, ...columns, style: { ...style, dash: 'solid' }, format });
        // Each run has its point, also one alone between two changes.
        const points = { showAllSymbol: true, symbolSize: rows.length > MANY_RUNS ? 4 : 8 };
        return [{ ...line, ...points, markLine: changeLines(changes.length) }, ...intervals].map((series) => ({
          ...series,
          xAxisIndex: i,
          yAxisIndex: i,
        }));
      }),
    },
  };
}

/**
 * @param {number} index of the panel
 * @param {{last: boolean, many: boolean}} options last: it has the names; many: they are turned to fit
 */
function runAxis(index, { last, many }) {
  const axis = categoryAxis();
  return {
    ...axis,
    gridIndex: index,
    axisLabel: { ...axis.axisLabel, show: last, hideOverlap: true, ...(many && { rotate: 45 }) },
  };
}

/** @param {number} changes how many */
function changeLines(changes) {
  return {
    silent: true,
    symbol: 'none',
    label: { show: false },
    lineStyle: { color: '$muted', type: 'dashed', width: 1 },
    data: Array.from({ length: changes }, (_, i) => ({ xAxis: changeLabel(i) })),
  };
}

/**
 * @param {readonly Run[]} runs
 * @returns {string[]} when each began, in minutes, and with a number where that is not enough
 */
export function runLabels(runs) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return runs.map(({ result: { startedAt } }) => {
    const minute = startedAt.slice(0, 16).replace('T', ' ');
    const number = (seen.get(minute) ?? 0) + 1;
    seen.set(minute, number);
    return number === 1 ? minute : `${minute} (${number})`;
  });
}

/** @param {number} index of the change */
const changeLabel = (index) => `change ${index + 1}`;

/** @param {Course} course */
function changeOf({ points }) {
  const values = points.map(({ value }) => value.median);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === 0 ? most : most / least;
}

/**
 * @param {Course[]} shown
 * @param {FormatName} format
 * @param {{runs: string[], changes: number}} history
 */
function altText(shown, format, { runs, changes }) {
  const read = FORMATS[format];
  const first = `${plural(runs.length, 'run')} from ${runs[0]} to ${runs[runs.length - 1]}, with ${plural(changes, 'change')} of circumstances.`;
  const lines = shown.map(({ name, points }) => {
    const { median, low, high } = points[points.length - 1].value;
    return `${name}: first ${read(points[0].value.median)}, last ${read(median)} (${range(low, high, read)}).`;
  });
  return [first, ...lines].join(' ');
}
