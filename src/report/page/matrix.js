/**
 * A heat map as a table, for phones: its rows and columns keep their names while it scrolls, and its texts stay readable.
 *
 * @import { Chart } from '../charts/chart.js'
 */
import { escapeHtml } from '../blocks.js';

/**
 * @typedef {Object} GradePiece a colour of a heat map, with its range of values
 * @property {string} label
 * @property {string} color such as `$little`
 * @property {number} [value] exactly this
 * @property {number} [gt]
 * @property {number} [gte]
 * @property {number} [lt]
 */

/** @param {Chart} chart @returns {string} HTML; empty: the chart is no heat map */
export function renderMatrix({ id, title, columns, rows, option }) {
  const [series] = [option.series ?? []].flat();
  if (series?.type !== 'heatmap') return '';
  const placeOf = (/** @type {string} */ name) => columns.findIndex((column) => column.name === name);
  const { x, y, value } = series.encode;
  const [across, down, graded, shown] = [x, y, value, series.encode.tooltip[1]].map(placeOf);
  /** @type {GradePiece[]} */
  const pieces = option.visualMap.pieces;
  const cells = new Map(
    rows.map((row) => [
      JSON.stringify([row[down], row[across]]),
      renderCell(pieces, Number(row[graded]), String(row[shown])),
    ]),
  );
  const header = option.xAxis.data.map((/** @type {string} */ name) => `<th scope="col">${escapeHtml(name)}</th>`);
  const body = option.yAxis.data.map((/** @type {string} */ name) => {
    const rowCells = option.xAxis.data.map(
      (/** @type {string} */ column) => cells.get(JSON.stringify([name, column])) ?? '<td></td>',
    );
    return `<tr><th scope="row">${escapeHtml(name)}</th>${rowCells.join('')}</tr>`;
  });
  const grades = pieces.map(({ label, color }) => `<li class="${classOf(color)}">${escapeHtml(label)}</li>`);
  return [
    '<div class="matrix">',
    `<ul class="grades">${grades.join('')}</ul>`,
    `<div class="scroll" data-name="${escapeHtml(`${title} as a table, ${id}`)}"><table>`,
    `<thead><tr><td></td>${header.join('')}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody>`,
    '</table></div>',
    '</div>',
  ].join('\n');
}

/** @param {readonly GradePiece[]} pieces @param {number} value @param {string} text one or two lines */
function renderCell(pieces, value, text) {
  const piece = pieces.find((each) =>
    each.value === undefined
      ? value > (each.gt ?? Number.NEGATIVE_INFINITY) &&
        value >= (each.gte ?? Number.NEGATIVE_INFINITY) &&
        value < (each.lt ?? Number.POSITIVE_INFINITY)
      : value === each.value,
  );
  const lines = text.split('\n').map(escapeHtml);
  return `<td class="${classOf(piece?.color ?? '')}">${lines.join('<br>')}</td>`;
}

/** @param {string} color of {@link GradePiece} */
function classOf(color) {
  return `grade-${color.slice(1)}`;
}
