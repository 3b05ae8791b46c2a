/**
 * The figures of the page: charts that are drawn when they come into view, with their data as a table.
 * @import { Cell, Chart, FormatName } from '../../charts/chart.js' @import { Chosen } from './choice.js'
 * @import { Redraw } from './drawing.js'
 * @typedef {Omit<Chart, 'alt' | 'note'>} DrawnChart the page has the texts already
 */
import { FORMATS } from '../../charts/chart.js';
import { draw } from './drawing.js';
import { element } from './elements.js';
import { enhanceTables } from './tables.js';

/** A chart is drawn this far before it comes into view, in CSS pixels. */
const AHEAD = 400;

/**
 * @param {readonly DrawnChart[]} charts
 * @returns {{redraw: (chosen?: readonly Chosen[]) => void, drawVisible: () => void}} redraw: draws all drawn charts again, with the chosen mode
 *   and fault; drawVisible: draws all charts that are not folded
 */
export function showFigures(charts) {
  /** @type {Map<Element, Redraw>} */
  const drawings = new Map();
  /** @type {readonly Chosen[]} */
  let chosen = [];
  const byId = new Map(charts.map((chart) => [chart.id, chart]));
  const places = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('figure[data-chart] .drawing')]);
  const chartAt = (/** @type {Element} */ place) => {
    const chart = byId.get(/** @type {HTMLElement} */ (place.closest('figure'))?.dataset.chart ?? '');
    if (!chart) throw new Error('a figure names an unknown chart');
    return chart;
  };
  const show = (/** @type {HTMLElement} */ place) => {
    if (drawings.has(place) || !place.checkVisibility()) return;
    const chart = chartAt(place);
    const legend = element('ul', { className: 'legend', ariaLabel: `Legend of ${chart.title}` });
    drawings.set(place, draw(chart, { place, legend, chosen }));
    const plot = /** @type {HTMLElement} */ (place.parentElement);
    if (legend.childElementCount > 0) plot.before(legend);
  };
  const redraw = (wanted = chosen) => {
    chosen = wanted;
    for (const drawAgain of drawings.values()) drawAgain(chosen);
  };
  const inSight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) show(/** @type {HTMLElement} */ (target));
    },
    { rootMargin: `${AHEAD}px` },
  );
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const drawn = target.querySelector('svg');
      if (drawn && target.clientWidth > 0 && drawn.clientWidth !== target.clientWidth) drawings.get(target)?.(chosen);
    }
  });
  for (const place of places) {
    inSight.observe(place);
    resized.observe(place);
    place.closest('figure')?.append(dataTable(chartAt(place)));
  }
  return { redraw, drawVisible: () => places.forEach(show) };
}

/** @param {DrawnChart} chart */
function dataTable({ id, title, columns, rows }) {
  const details = element('details', { className: 'data' }, element('summary', {}, 'Data as a table'));
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('table')) return;
    const table = element('table');
    const header = table.createTHead().insertRow();
    for (const { name, format } of columns) header.append(cell('th', name, format !== undefined));
    const body = table.createTBody();
    for (const values of rows) {
      const row = body.insertRow();
      for (const [i, { format }] of columns.entries())
        row.append(cell('td', cellText(values[i], format), format !== undefined));
    }
    const scroll = element('div', { className: 'scroll' }, table);
    // Several charts may have the same title.
    scroll.dataset.name = `Data of ${title}, ${id}`;
    details.append(scroll);
    enhanceTables(details);
  });
  return details;
}

/** @param {Cell} value @param {FormatName | undefined} format */
function cellText(value, format) {
  if (value === null || value === undefined) return '–';
  return format === undefined || typeof value === 'string' ? String(value) : FORMATS[format](value);
}

/** @param {'th' | 'td'} tag @param {string} text @param {boolean} right */
function cell(tag, text, right) {
  return element(tag, right ? { className: 'r' } : {}, text);
}
