/**
 * Shows one mode or one fault only, in every table that tells them apart, and the sections of that fault.
 */

/** Titles of the columns by which tables tell them apart. */
const COLUMNS = Object.freeze({ mode: ['mode'], fault: ['fault', 'scenario'] });

/** @typedef {keyof typeof COLUMNS} What */
/** @typedef {{row: HTMLTableRowElement, value: string}} Entry value: of the column, also where only the first row of a group shows it */

export function startFilters() {
  const controls = document.querySelector('.controls');
  const tables = /** @type {HTMLTableElement[]} */ ([...document.querySelectorAll('main table')]);
  /** @type {{what: What, select: HTMLSelectElement}[]} */
  const filters = [];
  for (const what of /** @type {What[]} */ (Object.keys(COLUMNS))) {
    const found = tables.flatMap((table) => entriesOf(table, what).map(({ value }) => value));
    const values = [...new Set(found)].sort();
    if (values.length < 2) continue;
    const select = selectOf(what, values);
    filters.push({ what, select });
    controls?.append(select);
  }
  const apply = () => {
    const chosen = filters
      .filter(({ select }) => select.value !== '')
      .map(({ what, select }) => ({ what, value: select.value }));
    for (const table of tables) filterRows(table, chosen);
    const fault = filters.find(({ what }) => what === 'fault')?.select;
    if (fault) filterSections(fault);
  };
  for (const { select } of filters) select.addEventListener('change', apply);
}

/**
 * @param {What} what
 * @param {readonly string[]} values
 */
function selectOf(what, values) {
  const select = document.createElement('select');
  select.dataset.control = what;
  select.setAttribute('aria-label', `Show one ${what}`);
  select.append(new Option(`All ${what}s`, ''), ...values.map((value) => new Option(value, value)));
  return select;
}

/**
 * @param {HTMLTableElement} table
 * @param {What} what
 * @returns {Entry[]} empty: the table does not tell them apart
 */
function entriesOf(table, what) {
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])].map(({ textContent }) => textContent?.trim() ?? '');
  const column = titles.findIndex((title) => COLUMNS[what].includes(title));
  if (column < 0) return [];
  let value = '';
  return [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const shown = plain(row.cells[column]?.textContent ?? '');
    if (shown !== '') value = shown;
    return { row, value };
  });
}

/**
 * @param {HTMLTableElement} table
 * @param {readonly {what: What, value: string}[]} chosen
 */
function filterRows(table, chosen) {
  const hidden = new Set(
    chosen.flatMap(({ what, value }) =>
      entriesOf(table, what)
        .filter((entry) => entry.value !== value)
        .map(({ row }) => row),
    ),
  );
  for (const row of table.tBodies[0]?.rows ?? []) row.hidden = hidden.has(row);
}

/**
 * A folded section of another fault is not needed. One that is named after none stays.
 *
 * @param {HTMLSelectElement} select
 */
function filterSections(select) {
  const values = [...select.options].map(({ value }) => value).filter((value) => value !== '');
  for (const section of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details.section'))) {
    const title = plain(section.querySelector('h2')?.textContent ?? '');
    const named = values.filter((value) => title.startsWith(value));
    section.hidden = select.value !== '' && named.length > 0 && !named.includes(select.value);
  }
}

/** @param {string} text without what keeps words and figures together */
function plain(text) {
  return text.replaceAll('\u2060', '').replaceAll('\u00a0', ' ').trim();
}
