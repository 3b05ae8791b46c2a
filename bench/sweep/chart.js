/**
 * The decision as a chart: seconds of confirmed writes lost in the worst fault beside the time that the mode adds to a write, a mode a row.
 * @import { Chart } from '../types.js'
 * @import { DecisionRow } from './decision.js'
 */

import { categoryAxis, valueAxis } from '../../src/report/charts/parts.js';
import { cheaperFirst, emptiedIn, saferFirst, worstOf } from './decision.js';
import { WORDS } from './words.js';

const { lost, added, plots, names, series, ...SPEC } = WORDS.charts.decision;
const TOP = 70;
const ROW = 24;
const BOTTOM = 56;

/** @param {readonly DecisionRow[]} all @returns {Chart | null} null: fewer than two modes have a loss and a throughput, or none lost anything */
export function decisionChart(all) {
  const rows = all
    .filter((row) => row.healthy[1]?.relative && row.trials.some(({ loss }) => loss.seconds !== null))
    .toSorted((a, b) => saferFirst(a, b) || cheaperFirst(1)(a, b));
  if (rows.length < 2 || rows.every((row) => secondsOf(row) === 0 && !isEmptied(row))) return null;
  const full = roomFor(Math.max(...rows.map(secondsOf)) || 1);
  const height = rows.length * ROW;
  const axis = (/** @type {number} */ gridIndex, /** @type {'seconds' | 'milliseconds'} */ format) => ({
    ...valueAxis('', { format, across: true, min: 0 }),
    name: [lost, added][gridIndex],
    gridIndex,
  });
  return {
    ...SPEC,
    rows: rows.map((row) => cellsOf(row, full)),
    height: TOP + height + BOTTOM,
    option: {
      legend: { show: false },
      tooltip: { trigger: 'item' },
      grid: plots.map((/** @type {object} */ plot) => ({ ...plot, top: TOP, height })),
      xAxis: [{ ...axis(0, 'seconds'), max: full }, axis(1, 'milliseconds')],
      yAxis: [0, 1].map((gridIndex) => ({
        ...categoryAxis({ inverse: true }),
        gridIndex,
        data: rows.map(({ title }) => title),
        axisLabel: { show: gridIndex === 0, ...names },
      })),
      series,
    },
  };
}

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

/** @param {number} most seconds that a bar has; > 0 @returns where the axis ends, so that a label has room beyond the longest bar */
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
