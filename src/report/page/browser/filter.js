/** Shows only the rows that have a text, such as one mode or one fault, in every table that has it. */

const NAME = 'Show rows with';

export function startFilter() {
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = `${NAME} …`;
  field.setAttribute('aria-label', NAME);
  document.querySelector('.controls')?.append(field);
  field.addEventListener('input', () => {
    const wanted = plain(field.value);
    for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll('main table')))
      filterRows(table, wanted);
  });
}

/** @param {HTMLTableElement} table stays whole where no row has the text @param {string} wanted */
function filterRows(table, wanted) {
  // Only the first row of a group has the group's name.
  let group = '';
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const name = row.cells[0]?.textContent ?? '';
    if (name.trim() !== '') group = name;
    return { row, found: plain(`${group} ${row.textContent}`).includes(wanted) };
  });
  const any = rows.some(({ found }) => found);
  for (const { row, found } of rows) row.hidden = any && !found;
}

/** @param {string} text @returns {string} without case, and without the characters that keep words and figures together */
function plain(text) {
  return text.replaceAll('\u2060', '').replaceAll('\u00a0', ' ').trim().toLowerCase();
}
