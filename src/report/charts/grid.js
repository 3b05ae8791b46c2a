/** Heat maps: a square with a figure for each scenario and mode; the darker, the worse. @import { Chart, ChartColumn } from './chart.js' */

import { EVERYTHING, WIDTH } from './chart.js';
import { LOOK } from './parts.js';

/**
 * @typedef {Object} Grid
 * @property {string} id @property {string} title @property {string} alt @property {string} note
 * @property {Required<ChartColumn>} value @property {readonly ChartColumn[]} more
 * @property {readonly number[]} limits at which a darker colour begins; 0 has a colour of its own
 * @property {readonly string[]} names of the colours, from the least on; the last is of {@link EVERYTHING}, if a square has it
 * @property {{scenario: string, column: string, value: number, text: string, more: readonly (number | string | null)[]}[]} squares column: the
 *   durability mode; value: determines its colour; more: figures for the table
 * @property {readonly string[]} [order] of the columns; default: as they appear in the squares
 */

/** Height of the legend with the space above it. */
const LEGEND = 64;
const ROW = 24;
/** Left of the names of rows and between them and the squares, in pixels: some fonts are wider than others. */
const MARGIN = 40;
/** Width of the names of rows, in pixels; longer ones have two lines. */
const WIDEST_ROW = 200;
const BOTTOM = 16;
const RIGHT = 16;
const LABEL = 11;
/** Font size of the names of columns when a column is narrower than the widest name. */
const SMALL_LABEL = 9.5;
/** Width of a letter of the labels, in pixels. */
const LETTER = 6.2;
const SMALL_LETTER = 5.6;
const LINE = 12;
/** The slope of the names of columns, if a word is wider than its column. */
const DEGREES = 60;
/** Widest name of a column, and space between two names, in pixels. */
const WIDEST = 84;
const BETWEEN = 4;
const COLOURS = /** @type {const} */ (['$little', '$some', '$more', '$much', '$all']);
const SCENARIO = 'scenario';
const MODE = 'mode';
const SHOWN = 'shown';

/** @param {Grid} grid @returns {Chart | null} */
export function gridChart({ id, title, alt, note, value, more, limits, names, squares, order }) {
  const rows = [...new Set(squares.map(({ scenario }) => scenario))];
  const found = new Set(squares.map(({ column }) => column));
  const modes = order ? order.filter((name) => found.has(name)) : [...found];
  if (rows.length < 2 || modes.length < 2) return null;
  const left = Math.min(WIDEST_ROW, Math.ceil(Math.max(...rows.map((row) => row.length)) * LETTER)) + MARGIN;
  const pitch = Math.floor((WIDTH - left - RIGHT) / modes.length);
  const { label, height: labels } = columnNames(modes, pitch);
  const top = LEGEND + labels;
  const { heatmap } = LOOK;
  const columns = [{ name: SCENARIO }, { name: MODE }, value, { name: SHOWN }, ...more];
  return {
    id,
    title,
    alt,
    note,
    columns,
    rows: squares.map(({ scenario, column, value, text, more }) => [scenario, column, value, text, ...more]),
    height: top + rows.length * ROW + BOTTOM,
    option: {
      tooltip: { trigger: 'item' },
      grid: { top, left, right: RIGHT, bottom: BOTTOM },
      xAxis: { ...heatmap.columns, data: modes, axisLabel: { ...heatmap.columns.axisLabel, ...label } },
      yAxis: { ...heatmap.rows, data: rows, axisLabel: { ...heatmap.rows.axisLabel, width: WIDEST_ROW } },
      visualMap: {
        ...heatmap.grades,
        dimension: value.name,
        pieces: piecesOf(
          squares.some((square) => square.value === EVERYTHING) ? [...limits, EVERYTHING] : limits,
          names,
        ),
      },
      series: [
        {
          ...heatmap.squares,
          name: value.name,
          encode: { x: MODE, y: SCENARIO, value: value.name, tooltip: [MODE, SHOWN, ...more.map(({ name }) => name)] },
        },
      ],
    },
  };
}

/** Words stay whole: names break at spaces, or stand at an angle. @param {readonly string[]} names @param {number} pitch pixels from one column to the next */
function columnNames(names, pitch) {
  const wide = pitch >= WIDEST;
  const letter = wide ? LETTER : SMALL_LETTER;
  const fontSize = wide ? LABEL : SMALL_LABEL;
  const width = Math.min(WIDEST, pitch - BETWEEN);
  const widest = Math.max(...names.flatMap((name) => name.split(' ')).map((word) => word.length)) * letter;
  if (widest > width) {
    const longest = Math.max(...names.map((name) => name.length)) * letter;
    return {
      label: { fontSize, rotate: -DEGREES },
      height: Math.ceil(longest * Math.sin((DEGREES * Math.PI) / 180)) + LINE,
    };
  }
  const lines = Math.max(...names.map((name) => linesOf(name, Math.floor(width / letter))));
  return { label: { fontSize, lineHeight: LINE, width, overflow: 'break' }, height: lines * LINE + 8 };
}

/** @param {string} name @param {number} most letters in a line @returns {number} lines, if it breaks at spaces only */
function linesOf(name, most) {
  let [lines, used] = [1, 0];
  for (const { length } of name.split(' ')) {
    if (used > 0 && used + 1 + length > most) [lines, used] = [lines + 1, length];
    else used += length + (used > 0 ? 1 : 0);
  }
  return lines;
}

/** @param {readonly number[]} limits @param {readonly string[]} names */
function piecesOf(limits, names) {
  const ends = [0, ...limits];
  return [
    { value: 0, label: names[0], color: '$none' },
    ...ends.map((from, i) => ({
      ...(i === 0 ? { gt: 0 } : { gte: from }),
      ...(i + 1 < ends.length && { lt: ends[i + 1] }),
      label: names[i + 1],
      color: COLOURS[i],
    })),
  ];
}
