/** Bar charts: the parts of a row are stacked, or beside each other. @import { Chart, ChartColumn, FormatName } from './chart.js' */
import { sum } from '../../stats/statistics.js';
import { FORMATS } from './chart.js';
import { binarySteps, categoryAxis, grid, LOOK, legend, valueAxis } from './parts.js';

/**
 * @typedef {{name: string, color: `$${string}`, striped?: boolean}} BarPart a colour within each row. striped: makes neighbours differ in
 *   more than their colour
 * @typedef {{title: string, values: readonly (number | null | undefined)[], more?: readonly (string | number | null)[]}} BarRow title:
 *   unique in the chart; values: of the parts, in their order; null: unknown; undefined: no such part; more: cells of further columns
 */

const BAR = 18;
/** Share of the width for the word behind the longest bar. */
const BEHIND = '11%';
const SLIM_BAR = 11;
const GAP = 16;
const AROUND = 140;
const LABEL_WIDTH = 260;
/** Width of a letter of the labels, in pixels. */
const LETTER = 6.6;
/** The alternative text leaves out smaller parts of a row, which are invisible in the chart. */
const SEEN = 0.01;
/** Grid lines at most. */
const MOST_STEPS = 8;

/**
 * @param {Object} options @param {string} options.id @param {string} options.title @param {string} options.note
 * @param {string} options.rowName what a row is, in words @param {readonly BarRow[]} options.rows from the top
 * @param {readonly BarPart[]} options.parts @param {string} options.axis with its unit
 * @param {FormatName} options.format @param {boolean} [options.stacked] the parts make a whole
 * @param {readonly ChartColumn[]} [options.more] further columns; the first one is written behind the bars
 * @returns {Chart | null} null: there is nothing to compare
 */
export function barChart({ id, title, note, rowName, rows, parts, axis, format, stacked = false, more = [] }) {
  const used = parts.map((_, i) => i).filter((i) => rows.some(({ values }) => values[i] != null));
  if (rows.length < 2 || used.length === 0) return null;
  const shown = used.map((i) => parts[i]);
  const bar = stacked || used.length === 1 ? BAR : SLIM_BAR;
  const row = GAP + (stacked ? bar : bar * used.length);
  return {
    id,
    title,
    alt: rows.map((each) => rowText(each, parts, { format, stacked })).join(' '),
    note,
    columns: [{ name: rowName }, ...shown.map(({ name }) => ({ name, format })), ...more],
    rows: rows.map(({ title, values, more: cells = [] }) => [title, ...used.map((i) => values[i] ?? null), ...cells]),
    height: AROUND + rows.length * row - (shown.length > 1 ? 0 : 28),
    option: {
      grid: { ...grid({ top: shown.length > 1 ? 72 : 44, left: 36 }), ...(more.length > 0 && { right: BEHIND }) },
      ...(shown.length > 1 && {
        legend: { ...legend(shown.map(({ name }) => name)), itemWidth: 14, itemHeight: 12, itemGap: 24 },
      }),
      xAxis: {
        ...valueAxis(axis, { format, across: true }),
        ...(format === 'bytes' && binarySteps(longest(rows, stacked), MOST_STEPS)),
      },
      yAxis: { ...categoryAxis({ inverse: true }), axisLabel: { ...LOOK.bars.labels, width: labelWidth(rows) } },
      series: shown.map(({ name, color, striped }, i) => ({
        type: 'bar',
        name,
        ...(stacked && { stack: 'all' }),
        barWidth: bar,
        barGap: '0%',
        encode: { x: name, y: rowName },
        itemStyle: { color, ...(striped && { decal: LOOK.bars.stripes }) },
        tooltip: { valueFormatter: `@${format}` },
        ...(more.length > 0 &&
          i === shown.length - 1 && {
            label: { ...LOOK.bars.behind, formatter: `{@${more[0].name}}` },
          }),
      })),
    },
  };
}

/** @param {readonly BarRow[]} rows @param {boolean} stacked @returns {number} the value of the longest bar */
function longest(rows, stacked) {
  const lengths = rows.map(({ values }) => values.map((value) => value ?? 0));
  return Math.max(...lengths.flatMap((each) => (stacked ? sum(each) : each)));
}

/** @param {readonly BarRow[]} rows */
function labelWidth(rows) {
  return Math.min(LABEL_WIDTH, Math.ceil(LETTER * Math.max(...rows.map(({ title }) => title.length))));
}

/** @param {BarRow} row @param {readonly BarPart[]} parts @param {{format: FormatName, stacked: boolean}} options */
function rowText({ title, values, more = [] }, parts, { format, stacked }) {
  const measured = values.flatMap((value, i) => (value == null ? [] : [{ name: parts[i].name, value }]));
  const whole = sum(measured.map(({ value }) => value));
  const seen = stacked ? measured.filter(({ value }) => value > SEEN * whole) : measured;
  const texts = seen.map(({ name, value }) => `${parts.length > 1 ? `${name} ` : ''}${FORMATS[format](value)}`);
  return `${title}: ${[...texts, ...more.filter((cell) => typeof cell === 'string' && cell !== '')].join(', ')}.`;
}
