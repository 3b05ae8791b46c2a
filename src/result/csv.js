/** Tables as CSV by RFC 4180. Text from servers is not trusted: no spreadsheet reads it as a formula. */
import { cleaned } from '../untrusted.js';

/** @typedef {string | number | boolean | null | undefined} CsvValue null, undefined: unknown, an empty cell */

/** Beginnings of formulas in spreadsheets; some spreadsheets accept the wide forms of these characters, too. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** @param {readonly (readonly CsvValue[])[]} lines the header and the rows @returns {string} lines end with CR LF */
export function csvText(lines) {
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

/** @param {CsvValue} value */
function cellText(value) {
  const text = typeof value === 'string' ? plainText(cleaned(value)) : String(value ?? '');
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {string} text @returns {string} that no spreadsheet reads as a formula; numbers stay numbers */
function plainText(text) {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
