/**
 * What a cell of a table stands for when its column is sorted. Imports nothing: the page uses it as it stands.
 */

/** Units in the base of their kind; a column has one kind. @type {Readonly<Record<string, number>>} */
const UNITS = Object.freeze({
  '': 1,
  '%': 0.01,
  '×': 1,
  ns: 1e-9,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  min: 60,
  h: 3600,
  '/s': 1,
  'k/s': 1e3,
  'M/s': 1e6,
  'bit/s': 1,
  'kbit/s': 1e3,
  'Mbit/s': 1e6,
  'Gbit/s': 1e9,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  'B/s': 1,
  'KiB/s': 1024,
  'MiB/s': 1024 ** 2,
  'GiB/s': 1024 ** 3,
});
const NUMBER = '[−-]?\\d[\\d,]*(?:\\.\\d+)?(?:e[+-]?\\d+)?';
/** A number, perhaps the end of a range, the unit of both, and what is said about them: `46% (42–49%)`, `0 of 1,234`. */
const FIGURE_TEXT = new RegExp(
  `^([<>≤≥~]?) ?(${NUMBER}) ?([^\\s\\d(–−,;]*)(?:(?:–| to )${NUMBER} ?([^\\s\\d(–−,;]*))?(?:$| ?[(–,;]| of | on | / )`,
);

/**
 * @param {string} text of a cell
 * @returns {number | string | null} a number in the base of its unit; null: there is none (empty, `–`)
 */
export function sortValue(text) {
  const trimmed = text.trim().replace(/\s+/g, ' ');
  if (/^[–—-]?$/.test(trimmed)) return null;
  const found = FIGURE_TEXT.exec(trimmed);
  if (!found) return trimmed;
  const [, sign, number, own, ofRange = ''] = found;
  const factor = UNITS[own === '' ? ofRange : own];
  if (factor === undefined) return trimmed;
  const value = Number(number.replaceAll(',', '').replace('−', '-')) * factor;
  // `<0.01%` stands below 0.01%, and above nothing.
  if (sign === '<') return value * (1 - 1e-9);
  return sign === '>' ? value * (1 + 1e-9) : value;
}

/**
 * Numbers stand before texts; what there is none of stands last, upwards and downwards.
 *
 * @param {number | string | null} a
 * @param {number | string | null} b
 * @param {1 | -1} direction
 * @returns {number} as of a function for `sort`
 */
export function compareValues(a, b, direction) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  if (typeof a === 'string' && typeof b === 'string')
    return direction * a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' });
  return typeof a === 'number' ? -1 : 1;
}
