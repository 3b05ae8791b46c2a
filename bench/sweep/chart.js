/**
 * The decision as a chart: seconds of confirmed writes lost in the worst fault beside the time that the mode adds to a write, a mode a row.
 *
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { DecisionRow } from './decision.js'
 */

import { ALL } from '../../src/format.js';
import { categoryAxis, valueAxis } from '../../src/report/charts/parts.js';
import { cheaperFirst, emptiedIn, saferFirst, worstOf } from './decision.js';

const MODE = 'mode';
const ADDED = 'added to a write';
const LOW = 'added, low';
const HIGH = 'added, high';
const LOST = 'lost in the worst fault';
const EVERYTHING = 'lost everything';
const EMPTIED = 'lost everything in';

const TOP = 70;
const ROW = 24;
const BOTTOM = 56;
const NAME_WIDTH = 200;
/** Both plots have the same rows. Percentages fit every width of the page. */
const PLOTS = Object.freeze([
  { left: '30%', width: '30%', outerBoundsMode: 'none' },
  { left: '66%', width: '28%', outerBoundsMode: 'none' },
]);

/**
 * @param {readonly DecisionRow[]} all
 * @returns {Chart | null} null: fewer than two modes have a loss in seconds and a throughput, or none lost anything
 */
export function decisionChart(all) {
  const rows = all
    .filter((row) => row.healthy[1]?.relative && row.trials.some(({ loss }) => loss.seconds !== null))
    .toSorted((a, b) => saferFirst(a, b) || cheaperFirst(1)(a, b));
  if (rows.length < 2 || rows.every((row) => secondsOf(row) === 0 && !isEmptied(row))) return null;
  const full = roomFor(Math.max(...rows.map(secondsOf)) || 1);
  const height = rows.length * ROW;
  return {
    id: 'decision',
    title: 'Confirmed writes lost, and time added to a write, by mode',
    alt: 'Modes, the smallest worst loss on top: seconds of confirmed writes lost in the worst fault, and milliseconds added to a write. The table above has its figures.',
    columns: [
      { name: MODE },
      ...[ADDED, LOW, HIGH].map((name) => ({ name, format: /** @type {const} */ ('milliseconds') })),
      ...[LOST, EVERYTHING].map((name) => ({ name, format: /** @type {const} */ ('seconds') })),
      { name: EMPTIED },
    ],
    rows: rows.map((row) => cellsOf(row, full)),
    height: TOP + height + BOTTOM,
    option: {
      legend: { show: false },
      tooltip: { trigger: 'item' },
      grid: PLOTS.map((plot) => ({ ...plot, top: TOP, height })),
      xAxis: [
        {
          ...valueAxis('', { format: 'seconds', across: true, min: 0 }),
          max: full,
          name: `seconds lost in the worst fault; ${ALL}: everything`,
          gridIndex: 0,
        },
        {
          ...valueAxis('', { format: 'milliseconds', across: true, min: 0 }),
          name: 'added to a write, against async without RDB',
          gridIndex: 1,
        },
      ],
      yAxis: [0, 1].map((gridIndex) => ({
        ...categoryAxis({ inverse: true }),
        gridIndex,
        data: rows.map(({ title }) => title),
        axisLabel: {
          ...{
            show: gridIndex === 0,
            color: '$ink',
            width: NAME_WIDTH,
            overflow: 'break',
            lineHeight: 12,
            interval: 0,
          },
        },
      })),
      series: [...BARS, ...DOTS],
    },
  };
}

/** The left plot. */
const BARS = [
  {
    ...{ type: 'bar', name: LOST, xAxisIndex: 0, yAxisIndex: 0, barMaxWidth: 12 },
    encode: { x: LOST, y: MODE },
    itemStyle: { color: '$much' },
    label: { show: true, position: 'right', color: '$ink', fontSize: 11, formatter: `{@${LOST}}` },
  },
  {
    ...{ type: 'bar', name: EVERYTHING, xAxisIndex: 0, yAxisIndex: 0, barMaxWidth: 12, barGap: '-100%' },
    encode: { x: EVERYTHING, y: MODE, tooltip: [EMPTIED] },
    itemStyle: { color: '$all' },
    label: { show: true, position: 'insideLeft', color: '$onAll', fontSize: 11, formatter: ALL },
  },
];

/** The right plot: intervals below medians. */
const DOTS = [
  {
    ...{ type: 'custom', xAxisIndex: 1, yAxisIndex: 1, renderItem: '@intervalAcross', clip: true, silent: true },
    encode: { y: MODE, x: [LOW, HIGH] },
    itemStyle: { color: '$ink', opacity: 0.5 },
    tooltip: { show: false },
  },
  {
    ...{ type: 'scatter', xAxisIndex: 1, yAxisIndex: 1, symbolSize: 9 },
    encode: { x: ADDED, y: MODE, tooltip: [ADDED, LOW, HIGH] },
    itemStyle: { color: '$ink', opacity: 1 },
  },
];

/** @param {DecisionRow} row @param {number} full where the left axis ends */
function cellsOf(row, full) {
  const added = row.healthy[1]?.added;
  // No mode saves work, so a time below that of async is chance.
  const ms = (/** @type {number | null | undefined} */ value) => (value == null ? null : Math.max(0, value));
  const emptied = isEmptied(row);
  return [
    row.title,
    ...[ms(added?.median), ms(added?.low), ms(added?.high)],
    emptied ? null : Number(secondsOf(row).toPrecision(3)),
    emptied ? full : null,
    emptiedIn(row.trials)
      .map(({ title }) => title)
      .join(', '),
  ];
}

/**
 * @param {number} most seconds that a bar has; > 0
 * @returns {number} where the axis ends, so that a label has room beyond the longest bar
 */
function roomFor(most) {
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return Math.ceil((most * 1.3) / step) * step;
}

/** @param {DecisionRow} row */
function isEmptied({ trials }) {
  return emptiedIn(trials).length > 0;
}

/** @param {DecisionRow} row */
function secondsOf({ trials }) {
  return worstOf(trials)?.loss.seconds ?? 0;
}
