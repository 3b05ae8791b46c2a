/**
 * The rows of a chart as columns of differences: they pack to half the size. The page in the browser uses this file, too.
 *
 * @import { Cell, Chart } from './chart.js'
 */

/**
 * @typedef {{decimals: number, steps: readonly (number | null)[]} | readonly Cell[]} PackedColumn steps: of numbers times 10^decimals, each
 *   the difference to the number before it; or the cells as they are
 * @typedef {Pick<Chart, 'id' | 'title' | 'columns' | 'option' | 'height'> & {cells: readonly PackedColumn[]}} PackedChart
 */

/** Numbers with more decimals stay as they are. */
const MOST_DECIMALS = 6;

/**
 * @param {Chart} chart
 * @returns {PackedChart} without the texts that are in the page already
 */
export function packChart({ id, title, columns, rows, option, height }) {
  const cells = columns.map((_, i) => packColumn(rows.map((row) => row[i] ?? null)));
  return { id, title, columns, option, height, cells };
}

/**
 * @param {PackedChart} packed
 * @returns {Omit<PackedChart, 'cells'> & Pick<Chart, 'rows'>}
 */
export function unpackChart({ cells, ...chart }) {
  const columns = cells.map(unpackColumn);
  const [first = []] = columns;
  return { ...chart, rows: first.map((_, row) => columns.map((column) => column[row])) };
}

/**
 * @param {readonly Cell[]} column
 * @returns {PackedColumn}
 */
function packColumn(column) {
  const decimals = Math.max(0, ...column.map(decimalsOf));
  if (decimals > MOST_DECIMALS) return column;
  const scale = 10 ** decimals;
  let before = 0;
  const steps = column.map((cell) => {
    if (typeof cell !== 'number') return null;
    const now = Math.round(cell * scale);
    const step = now - before;
    before = now;
    return step;
  });
  const packed = { decimals, steps };
  return unpackColumn(packed).every((cell, i) => Object.is(cell, column[i])) ? packed : column;
}

/** @param {Cell} cell @returns {number} digits after the point; Infinity: no number that can be packed */
function decimalsOf(cell) {
  if (cell === null) return 0;
  const text = String(cell);
  return typeof cell === 'string' || text.includes('e') ? Number.POSITIVE_INFINITY : (text.split('.')[1] ?? '').length;
}

/**
 * @param {PackedColumn} packed
 * @returns {readonly Cell[]}
 */
function unpackColumn(packed) {
  if (!('steps' in packed)) return packed;
  const scale = 10 ** packed.decimals;
  let now = 0;
  return packed.steps.map((step) => {
    if (step === null) return null;
    now += step;
    return now / scale;
  });
}
