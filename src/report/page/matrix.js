/**
 * A heat map as a table, for phones: its rows and columns keep their names while it scrolls, and its texts stay readable.
 * @import { Chart } from '../charts/chart.js'
 */

/**
 * @typedef {{label: string, color: string, value?: number, gt?: number, gte?: number, lt?: number}} GradePiece a colour of a heat map, with
 *   its range of values. color: such as `$little`; value: exactly this
 */

/**
 * @param {Chart} chart
 * @returns {{grades: {name: string, label: string}[], across: string[], rows: {name: string, cells: {grade: string | null, text: string}[]}[]} | null} null:
 *   the chart is no heat map
 */
export function matrixOf({ columns, rows, option }) {
  const [series] = [option.series ?? []].flat();
  if (series?.type !== 'heatmap') return null;
  const placeOf = (/** @type {string} */ name) => columns.findIndex((column) => column.name === name);
  const { x, y, value } = series.encode;
  const [across, down, graded, shown] = [x, y, value, series.encode.tooltip[1]].map(placeOf);
  /** @type {GradePiece[]} */
  const pieces = option.visualMap.pieces;
  const squares = new Map(rows.map((row) => [JSON.stringify([row[down], row[across]]), row]));
  /** @type {string[]} */
  const names = option.xAxis.data;
  return {
    grades: pieces.map(({ label, color }) => ({ label, name: color.slice(1) })),
    across: names,
    rows: option.yAxis.data.map((/** @type {string} */ name) => ({
      name,
      cells: names.map((column) => {
        const row = squares.get(JSON.stringify([name, column]));
        if (row === undefined) return { grade: null, text: '' };
        const piece = pieces.find((each) => holds(each, Number(row[graded])));
        return { grade: piece?.color.slice(1) ?? '', text: String(row[shown]) };
      }),
    })),
  };
}

/** @param {GradePiece} piece @param {number} graded */
function holds({ value, gt = Number.NEGATIVE_INFINITY, gte = gt, lt = Number.POSITIVE_INFINITY }, graded) {
  return value === undefined ? graded > gt && graded >= gte && graded < lt : graded === value;
}
