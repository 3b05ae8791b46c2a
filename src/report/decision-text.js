/**
 * The table people decide by, and what follows from it, for a terminal.
 */
import chalk from 'chalk';
import Table from 'cli-table3';
import { decisionRows } from './decision.js';
import { narrowTable } from './decision-columns.js';
import { limitsOfTheTable } from './decision-limits.js';
import { CLIENT_MARK, NOISE_MARK, NOT_ACKED_MARK, tableNotes } from './decision-words.js';
import { PLAIN } from './load-table.js';
import { DEFAULT_OPTIONS, recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./recommend-text.js').Block} Block
 * @typedef {import('./recommend.js').Recommendation} Recommendation
 */

/** What terminals, chats and mails show without breaking lines. */
export const WIDTH = 110;

/**
 * @param {Result} result
 * @returns {string} the table, what it means, and the recommendation with the default limits; empty when there is no
 *   configuration sweep in the result
 */
export function decisionText(result) {
  const rows = decisionRows(result);
  if (rows.length === 0) return '';
  return [
    chalk.bold('What to decide by'),
    tableText(result),
    '',
    ...[...noiseNotes(result), ...tableNotes(result, rows)].map((note) => wrap(note, '- ')),
    '',
    recommendationText(result, recommend(result), `\`${DEFAULT_OPTIONS}\``),
  ].join('\n');
}

/**
 * @param {Result} result
 * @returns {string} at most {@link WIDTH} columns
 */
function tableText(result) {
  const { header, align, rows } = narrowTable(decisionRows(result));
  const table = new Table({
    head: header,
    colAligns: align,
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const cells of rows) table.push(cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * @param {Result} result
 * @returns {string[]} what the mark of the narrow table means, if it is there
 */
function noiseNotes(result) {
  const marked = narrowTable(decisionRows(result))
    .rows.flat()
    .some((cell) => cell.startsWith(NOISE_MARK));
  return marked
    ? [`${NOISE_MARK} not told from async: 100 % lies within the interval, which stands in report.md.`]
    : [];
}

/**
 * @param {Result} result
 * @returns {string} the table, with what its marks mean; what the columns mean stands in the report
 */
export function markedTableText(result) {
  const notes = tableNotes(result, decisionRows(result));
  const marks = notes.filter((note) => [CLIENT_MARK, NOT_ACKED_MARK].some((mark) => note.startsWith(mark)));
  return [
    tableText(result),
    '',
    ...[...noiseNotes(result), ...marks].map((note) => wrap(note, '')),
    'The columns are explained in report.md.',
  ].join('\n');
}

/**
 * @param {Result} result that it follows from
 * @param {Recommendation} recommendation
 * @param {string} [asked] as for {@link recommendationBlocks}
 * @returns {string}
 */
export function recommendationText(result, recommendation, asked) {
  const limits = limitsOfTheTable(result, decisionRows(result));
  return [
    ...recommendationBlocks(recommendation, asked).flatMap(blockText),
    ...(limits.length === 0 ? [] : ['What this cannot show:', ...limits.map((text) => wrap(text, '- '))]),
  ].join('\n');
}

/** @param {Block} block */
function blockText({ text, items, ordered }) {
  const lines = items.flatMap(({ name, text: told, details }, i) => [
    // Made bold once it is broken into lines: the codes for it have no width.
    wrap(`${name}: ${told}`, ordered ? `${i + 1}. ` : '- ').replace(name, chalk.bold(name)),
    ...details.map((detail) => wrap(detail, '     ')),
  ]);
  return [wrap(text, ''), ...lines, ''];
}

/**
 * @param {string} text
 * @param {string} begin of the first line; the others are set as far to the right
 * @returns {string} lines of at most {@link WIDTH} columns
 */
function wrap(text, begin) {
  const [first, ...words] = text.split(' ');
  const lines = [`${begin}${first}`];
  for (const word of words) {
    const last = lines[lines.length - 1];
    if (last.length + 1 + word.length > WIDTH) lines.push(`${' '.repeat(begin.length)}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
