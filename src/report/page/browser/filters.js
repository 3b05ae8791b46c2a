/** Shows one mode or one fault only, in every table and chart that tells them apart, and the sections of that fault. */
import { baseOf, COLUMNS } from './choice.js';
import { element } from './elements.js';

/** @import { Chosen, FilterName } from './choice.js' */

/** @typedef {{row: HTMLTableRowElement, value: string}} FilteredRow value: of the column, also where only the first row of a group shows it */

/** Rows of an article are no mode of the run. */
const THEIRS = /^(the article|theirs)/;

/** @param {(chosen: Chosen[]) => void} changed charts follow the tables */
export function startFilters(changed) {
  const controls = document.querySelector('.controls');
  const tables = /** @type {HTMLTableElement[]} */ ([...document.querySelectorAll('main table')]);
  /** @type {{what: FilterName, select: HTMLSelectElement, values: string[]}[]} */
  const filters = [];
  for (const what of /** @type {FilterName[]} */ (Object.keys(COLUMNS))) {
    const values = valuesOf(tables, what);
    if (values.length < 2) continue;
    const select = selectOf(what, values);
    filters.push({ what, select, values });
    controls?.append(select);
  }
  const apply = () => {
    const chosen = filters
      .filter(({ select }) => select.value !== '')
      .map(({ what, select, values }) => ({ what, value: select.value, values }));
    for (const table of tables) {
      filterRows(table, chosen);
      filterColumns(table, chosen);
    }
    filterFigures(chosen);
    filterSections(chosen);
    changed(chosen);
  };
  for (const { select } of filters) select.addEventListener('change', apply);
}

/** @typedef {Chosen & {values: readonly string[]}} Filter values: what the reader may choose */

/** In the order of the page. @param {readonly HTMLTableElement[]} tables @param {FilterName} what */
function valuesOf(tables, what) {
  const known = new Set(tables.flatMap((table) => entriesOf(table, what).map(({ value }) => value)));
  const inOrder = tables.flatMap((table) => [
    ...headersOf(table).map(baseOf),
    ...[...(table.tBodies[0]?.rows ?? [])].map(({ cells }) => baseOf(cells[0]?.textContent ?? '')),
  ]);
  return [...new Set([...inOrder.filter((value) => known.has(value)), ...known])].filter(
    (value) => value !== '' && !THEIRS.test(value),
  );
}

/** @param {FilterName} what @param {readonly string[]} values */
function selectOf(what, values) {
  const options = [new Option(`All ${what}s`, ''), ...values.map((value) => new Option(value, value))];
  const select = element('select', { ariaLabel: `Show one ${what}` }, ...options);
  select.dataset.control = what;
  return select;
}

/** @param {HTMLTableElement} table */
const headersOf = (table) =>
  [...(table.tHead?.rows[0]?.cells ?? [])].map(({ textContent }) => textContent?.trim() ?? '');

/** @param {HTMLTableElement} table @param {FilterName} what @returns {FilteredRow[]} empty: the table does not tell them apart */
function entriesOf(table, what) {
  const column = headersOf(table).findIndex((title) => COLUMNS[what].includes(title));
  if (column < 0) return [];
  let value = '';
  return [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const shown = baseOf(row.cells[column]?.textContent ?? '');
    if (shown !== '') value = shown;
    return { row, value };
  });
}

/** A heat map as a table has no title above its rows. @param {HTMLTableElement} table @param {Filter} filter @returns {FilteredRow[]} */
function rowsOf(table, { what, values }) {
  if (headersOf(table)[0] !== '') return entriesOf(table, what);
  return [...(table.tBodies[0]?.rows ?? [])]
    .map((row) => ({ row, value: baseOf(row.cells[0]?.textContent ?? '') }))
    .filter(({ value }) => values.includes(value));
}

/** @param {HTMLTableElement} table @param {readonly Filter[]} chosen */
function filterRows(table, chosen) {
  const hidden = new Set(
    chosen.flatMap((filter) =>
      rowsOf(table, filter)
        .filter((entry) => entry.value !== filter.value && !THEIRS.test(entry.value))
        .map(({ row }) => row),
    ),
  );
  for (const row of table.tBodies[0]?.rows ?? []) row.hidden = hidden.has(row);
}

/** Hides the columns of other modes or faults. @param {HTMLTableElement} table @param {readonly Filter[]} chosen */
function filterColumns(table, chosen) {
  const hidden = headersOf(table).map((title) =>
    chosen.some(({ value, values }) => baseOf(title) !== value && values.includes(baseOf(title))),
  );
  for (const row of table.rows) for (const [i, cell] of [...row.cells].entries()) cell.hidden = hidden[i];
}

/** Hides charts of a trial of another mode or fault, which their titles name. @param {readonly Filter[]} chosen */
function filterFigures(chosen) {
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('figure[data-chart]'))) {
    const named = (figure.querySelector('figcaption')?.textContent ?? '').split(/, |: /);
    figure.hidden = chosen.some(
      ({ value, values }) => named.some((each) => values.includes(each)) && !named.includes(value),
    );
  }
}

/** Hides folded sections of other faults. @param {readonly Filter[]} chosen */
function filterSections(chosen) {
  const fault = chosen.find(({ what }) => what === 'fault');
  for (const section of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details.section'))) {
    const title = baseOf(section.querySelector('h2')?.textContent ?? '');
    section.hidden = fault?.values.includes(title) === true && title !== fault.value;
  }
}
