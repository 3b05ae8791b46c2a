/**
 * Figures as a page shows them: numbers with their units, and tables of Markdown. Imports nothing of src/report, which writes the pages.
 */

/** In seconds, shares of 1, operations a second, and counts. */
const UNITS = Object.freeze(
  /** @type {Record<string, number>} */ ({
    '%': 0.01,
    '×': 1,
    ns: 1e-9,
    µs: 1e-6,
    ms: 1e-3,
    s: 1,
    '/s': 1,
    'k/s': 1e3,
    'M/s': 1e6,
  }),
);
const NUMBER = /(−?)(\d[\d,]*(?:\.\d+)?)(?:\s?(%|×|ns|µs|ms|k\/s|M\/s|\/s|s)(?![A-Za-z/]))?/g;
/** Products of decimal fractions differ by less. */
const ROUNDING = 1e-9;

/**
 * @typedef {{value: number, tolerance: number}} ShownNumber tolerance: half of its last digit
 *
 * @typedef {{heading: string, header: string[], rows: string[][]}} ShownTable heading: the last one above the table
 */

/**
 * @param {string} text such as `46% (42–49)`, `628 µs–1.10 ms`, `undecided: −8 to 43%`
 * @returns {ShownNumber[]} a number without a unit has that of the others
 */
export function numbersIn(text) {
  const found = [...text.matchAll(NUMBER)];
  const common = found.find(([, , , unit]) => unit !== undefined)?.[3];
  return found.map(([, sign, digits, unit = common]) => {
    const factor = unit === undefined ? 1 : UNITS[unit];
    const plain = digits.replaceAll(',', '');
    const decimals = plain.split('.')[1]?.length ?? 0;
    const value = Number(plain) * factor * (sign === '' ? 1 : -1);
    return { value, tolerance: 0.5 * 10 ** -decimals * factor };
  });
}

/** @param {ShownNumber} shown @param {number} computed @returns {boolean} it is the number, rounded */
export function isSame({ value, tolerance }, computed) {
  if (!Number.isFinite(computed)) return false;
  return Math.abs(value - computed) <= tolerance * (1 + ROUNDING) + ROUNDING * Math.abs(computed);
}

/** @param {string} markdown @returns {ShownTable[]} cells without padding */
export function tablesIn(markdown) {
  /** @type {ShownTable[]} */
  const tables = [];
  let heading = '';
  let inTable = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
    const isRow = line.startsWith('|');
    if (isRow && !inTable) tables.push({ heading, header: cellsOf(line), rows: [] });
    else if (isRow && !/^\|[ :|-]+$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
    inTable = isRow;
  }
  return tables;
}

/** @param {string} line */
function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
