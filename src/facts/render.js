/**
 * Facts as text: CSV, as in `facts.csv` of a run, or JSON.
 * @import { Fact } from './fact.js'
 */
import { cleaned } from '../untrusted.js';
import { METRICS } from './metrics.js';

export const FACTS_FILE = 'facts.csv';

/** @param {Iterable<Fact>} facts @returns {Generator<string>} the header and a line for each fact; they end with CR LF */
export function* factsCsv(facts) {
  const { columns } = METRICS;
  yield csvLine(columns);
  for (const fact of facts) {
    const texts = { ...fact, conditions: JSON.stringify(fact.conditions) };
    yield csvLine(columns.map((column) => texts[column]));
  }
}

/**
 * @param {Iterable<Fact>} facts
 * @returns {Generator<string>} a JSON list, one fact a line; JSON has no infinite number, so an outage to the end is the text `Infinity`
 */
export function* factsJson(facts) {
  const plain = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
  let between = '[\n';
  for (const { values: _, ...fact } of facts) {
    yield `${between}${JSON.stringify(fact, plain)}`;
    between = ',\n';
  }
  yield '\n]\n';
}

/** Beginnings of formulas in spreadsheets; some spreadsheets accept the wide forms of these characters, too. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** By RFC 4180. @param {readonly (string | number | boolean | null | undefined)[]} cells @returns {string} it ends with CR LF */
function csvLine(cells) {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** @param {string | number | boolean | null | undefined} value null, undefined: an empty cell */
function cellText(value) {
  const text = typeof value === 'string' ? plainText(cleaned(value)) : String(value ?? '');
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {string} text @returns {string} that no spreadsheet reads as a formula; numbers stay numbers */
function plainText(text) {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
