/** Tables that can be sorted by each column, and scrolled by keyboard where they are wider than the page. */

import { element } from './elements.js';

/** @type {ResizeObserver | undefined} */
let scrollers;

/** @param {HTMLTableElement} table */
function enhanceTable(table) {
  const headers = [...(table.tHead?.rows[0]?.cells ?? [])];
  const body = table.tBodies[0];
  if (body && body.rows.length > 1) {
    const original = [...body.rows];
    for (const [column, header] of headers.entries()) addSortButton(header, () => sortBy(table, original, column));
  }
}

/** Lets the keyboard reach a wide table, names it, and marks that it continues. @param {HTMLElement} scroller with its name in `data-name` */
function watchScroller(scroller) {
  scrollers ??= new ResizeObserver((entries) => {
    for (const { target } of entries) markScroller(/** @type {HTMLElement} */ (target));
  });
  scrollers.observe(scroller);
  scroller.addEventListener('scroll', () => markEnd(scroller), { passive: true });
}

/** @param {HTMLElement} scroller */
function markScroller(scroller) {
  const wide = scroller.scrollWidth > scroller.clientWidth;
  scroller.classList.toggle('wide', wide);
  scroller.classList.toggle('fits', !wide);
  const attributes = { tabindex: '0', role: 'region', 'aria-label': scroller.dataset.name ?? 'Table' };
  for (const [name, value] of Object.entries(attributes)) {
    if (wide) scroller.setAttribute(name, value);
    else scroller.removeAttribute(name);
  }
  if (wide) markEnd(scroller);
}

/** @param {HTMLElement} scroller */
function markEnd(scroller) {
  const { scrollLeft, scrollWidth, clientWidth } = scroller;
  scroller.classList.toggle('end', scrollLeft + clientWidth >= scrollWidth - 1);
}

/** @param {HTMLTableCellElement} header @param {() => void} sort */
function addSortButton(header, sort) {
  if (header.textContent?.trim() === '') return;
  const button = element('button', { type: 'button' }, ...header.childNodes);
  button.addEventListener('click', sort);
  header.append(button);
}

/** Upwards, then downwards, then as it was. @param {HTMLTableElement} table @param {HTMLTableRowElement[]} original @param {number} column */
function sortBy(table, original, column) {
  const headers = [...(table.tHead?.rows[0].cells ?? [])];
  const before = headers[column].getAttribute('aria-sort');
  const order = before === null ? 'ascending' : before === 'ascending' ? 'descending' : null;
  for (const header of headers) header.removeAttribute('aria-sort');
  if (order === null) {
    emptyCells(original);
    table.tBodies[0].append(...original);
    return;
  }
  headers[column].setAttribute('aria-sort', order);
  fillCells(original);
  const values = new Map(original.map((row) => [row, sortValue(row.cells[column]?.textContent ?? '')]));
  const direction = order === 'ascending' ? 1 : -1;
  const sorted = [...original].sort((a, b) => compareValues(values.get(a) ?? null, values.get(b) ?? null, direction));
  table.tBodies[0].append(...sorted);
}

/** Only the first row of a group has the group's name. Sorted rows each need it. @param {HTMLTableRowElement[]} rows in their own order */
function fillCells(rows) {
  for (const [i, row] of rows.entries()) {
    const above = rows[i - 1];
    for (const [j, cell] of [...row.cells].entries()) {
      if (above === undefined || cell.textContent?.trim() !== '') break;
      cell.replaceChildren(...[...above.cells[j].childNodes].map((node) => node.cloneNode(true)));
      cell.dataset.filled = '';
    }
  }
}

/** @param {HTMLTableRowElement[]} rows */
function emptyCells(rows) {
  for (const row of rows) {
    for (const cell of row.querySelectorAll('[data-filled]')) {
      cell.replaceChildren();
      cell.removeAttribute('data-filled');
    }
  }
}

/** @param {ParentNode} root */
export function enhanceTables(root) {
  for (const table of root.querySelectorAll('table')) enhanceTable(table);
  for (const scroller of root.querySelectorAll('.scroll')) watchScroller(/** @type {HTMLElement} */ (scroller));
}

/** @type {Readonly<Record<string, number>>} */
const PREFIXES = Object.freeze({
  ...{ n: 1e-9, µ: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9 },
  ...{ Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 },
});
/** @type {Readonly<Record<string, number>>} */
const OTHER_UNITS = Object.freeze({ '': 1, '%': 0.01, '×': 1, min: 60, h: 3600 });

/** @param {string} unit @returns {number | undefined} factor to the base unit: a column has one kind of unit */
function factorOf(unit) {
  const [, prefix] = /^(\D??i?)(?:s|B|bit|B\/s|bit\/s|\/s)$/.exec(unit) ?? [];
  return OTHER_UNITS[unit] ?? PREFIXES[prefix];
}

const NUMBER = '[−-]?\\d[\\d,]*(?:\\.\\d+)?(?:e[+-]?\\d+)?';
/** A number, perhaps the end of a range, their unit, and further text: `46% (42–49%)`, `0 of 1,234`. */
const FIGURE_TEXT = new RegExp(
  `^([<>≤≥~]?) ?(${NUMBER}) ?([^\\s\\d(–−,;]*)(?:(?:–| to )${NUMBER} ?([^\\s\\d(–−,;]*))?(?:$| ?[(–,;]| of | on | / )`,
);

/** @param {string} text of a cell @returns {number | string | null} a number in its base unit; null: no value (empty, `–`) */
export function sortValue(text) {
  // Word joiners keep the two ends of an interval on one line.
  const trimmed = text.replaceAll('\u2060', '').trim().replace(/\s+/g, ' ');
  if (/^[–—-]?$/.test(trimmed)) return null;
  const found = FIGURE_TEXT.exec(trimmed);
  if (!found) return trimmed;
  const [, sign, number, unit, ofRange = ''] = found;
  const factor = factorOf(unit === '' ? ofRange : unit);
  if (factor === undefined) return trimmed;
  const value = Number(number.replaceAll(',', '').replace('−', '-')) * factor;
  // `<0.01%` is between 0 and 0.01%.
  if (sign === '<') return value * (1 - 1e-9);
  return sign === '>' ? value * (1 + 1e-9) : value;
}

/** Numbers come before texts, missing values last. @param {number | string | null} a @param {number | string | null} b @param {1 | -1} direction @returns {number} */
export function compareValues(a, b, direction) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  if (typeof a === 'string' && typeof b === 'string')
    return direction * a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' });
  return typeof a === 'number' ? -1 : 1;
}
