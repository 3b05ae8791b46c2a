/**
 * The rows of a chart as columns of differences: they pack to half the size. The page in the browser uses this file, too.
 *
 * @import { Cell, Chart } from './chart.js'
 */

/**
 * @typedef {number | null} Step
 * @typedef {{decimals: number, steps: readonly (Step | [Step, times: number])[]} | readonly Cell[]} PackedColumn steps: of numbers times
 *   10^decimals, each the difference to the number before it, equal ones joined; or the cells as they are
 * @typedef {Pick<Chart, 'id' | 'title' | 'columns' | 'option' | 'height'>} ChartFrame what a chart is drawn by, besides its rows
 * @typedef {{frames: readonly ChartFrame[], cells: readonly (readonly PackedColumn[])[]}} PackedCharts cells: of each chart. They come
 *   after all frames, because those are alike, and deflate looks back 32 KiB only
 */

/** Numbers with more decimals stay as they are. */
const MOST_DECIMALS = 6;
/** As many equal steps are joined. */
const LEAST_RUN = 3;

/**
 * @param {readonly Chart[]} charts
 * @returns {PackedCharts} without the texts that are in the page already
 */
export function packCharts(charts) {
  return {
    frames: charts.map(({ id, title, columns, option, height }) => ({ id, title, columns, option, height })),
    cells: charts.map(({ columns, rows }) => columns.map((_, i) => packColumn(rows.map((row) => row[i] ?? null)))),
  };
}

/**
 * @param {PackedCharts} packed
 * @returns {(ChartFrame & Pick<Chart, 'rows'>)[]}
 */
export function unpackCharts({ frames, cells }) {
  return frames.map((frame, i) => {
    const columns = cells[i].map(unpackColumn);
    const [first = []] = columns;
    return { ...frame, rows: first.map((_, row) => columns.map((column) => column[row])) };
  });
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
  const packed = { decimals, steps: joined(steps) };
  return unpackColumn(packed).every((cell, i) => Object.is(cell, column[i])) ? packed : column;
}

/**
 * @param {readonly Step[]} steps
 * @returns {(Step | [Step, number])[]}
 */
function joined(steps) {
  /** @type {(Step | [Step, number])[]} */
  const runs = [];
  for (let from = 0; from < steps.length; ) {
    let to = from + 1;
    while (to < steps.length && steps[to] === steps[from]) to++;
    if (to - from < LEAST_RUN) runs.push(...steps.slice(from, to));
    else runs.push([steps[from], to - from]);
    from = to;
  }
  return runs;
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
  const steps = packed.steps.flatMap((step) => (Array.isArray(step) ? Array(step[1]).fill(step[0]) : step));
  return steps.map((step) => {
    if (step === null) return null;
    now += step;
    return now / scale;
  });
}
