/**
 * Tables as data: a column names a figure of a row, and how it is shown.
 * @import { Fact } from '../facts/fact.js' @import { CaseFigures } from '../facts/query.js' @import { TableBlock } from './blocks.js'
 */

import { bitRate, bytes, count, duration, interval, percent, rate, times } from '../format.js';
import { left, right } from '../table.js';
import { MS_A_SECOND } from '../units.js';
import { table } from './blocks.js';
import { milliseconds, NOT_MEASURED } from './trials/figures.js';

/** What a column or a filter makes of a number. null: not measured. */
export const FORMATS = Object.freeze({
  /** @param {number | null} ms Infinity: to the end */
  ms: (ms) => milliseconds(ms),
  /** @param {number | null} seconds Infinity: to the end */
  seconds: (seconds) => milliseconds(seconds === null ? null : seconds * MS_A_SECOND),
  /** nanoseconds */
  duration: known(duration),
  rate: known(rate),
  count: known((value) => count(Math.round(value))),
  percent: known(percent),
  bytes: known(bytes),
  bits: known(bitRate),
  times: known(times),
});

/** @typedef {keyof typeof FORMATS} CellFormat */

/**
 * @typedef {{title: string, metric: string, format: CellFormat, show?: 'median' | 'worst' | 'total' | 'low' | 'high' | 'n' | 'trialsWithLoss',
 *   spread?: true, theirs?: string}} FigureColumn metric: of a fact; show: default: median; spread: with the range of the trials, or the interval;
 *   theirs: what an article has, in its row
 * @typedef {{title: string, text: (row: any) => string, align?: 'left' | 'right', kept?: true, theirs?: string}} TextColumn text: of a row;
 *   where a cell is more than one figure; align: default: left; kept: a column of zeros says something; theirs: what an article has, in its
 *   row
 * @typedef {FigureColumn | TextColumn} ColumnSpec
 */

/** @param {string} title @param {TextColumn['text']} text @param {Partial<TextColumn>} [more] @returns {TextColumn} of figures */
export const figures = (title, text, more) => ({ title, align: 'right', text, ...more });

/**
 * @param {readonly ColumnSpec[]} columns the first one names the row. Columns without any figure, or with zeros only, are left out
 * @param {readonly CaseFigures[]} rows
 * @returns {TableBlock} without rows: nothing was measured. With `theirs` in a column its first row is the article's
 */
export function tableOf(columns, rows) {
  const cells = rows.map((row) => columns.map((column) => cellOf(column, row)));
  const theirs = columns.some((column) => column.theirs !== undefined);
  const isTold = (/** @type {number} */ i) =>
    cells.some(
      (row) => row[i] !== NOT_MEASURED && (row[i] !== '0' || columns[i].theirs !== undefined || 'kept' in columns[i]),
    );
  const all = theirs && rows.length > 0 ? [columns.map((column) => column.theirs ?? NOT_MEASURED), ...cells] : cells;
  const kept = columns.flatMap((_, i) => (i === 0 || isTold(i) ? [i] : []));
  const heads = kept.map((i) => {
    const column = columns[i];
    return { title: column.title, align: 'text' in column ? (column.align ?? 'left') : /** @type {const} */ ('right') };
  });
  const shown = all.map((row) => kept.map((i) => row[i]));
  return table(heads, shown);
}

/**
 * A table of rows against columns, such as faults and modes. @template Row
 * @typedef {{title: string, down: readonly string[], across: readonly string[], downOf: (row: Row) => string, acrossOf: (row: Row) => string,
 *   cell: (row: Row) => string}} CrossSpec title: of the first column; down, across: titles of rows and columns
 */

/** @template Row @param {CrossSpec<Row>} spec @param {readonly Row[]} rows @returns {TableBlock} `–`: not measured */
export function crossTable({ title, down, across, downOf, acrossOf, cell }, rows) {
  const cellAt = (/** @type {string} */ d, /** @type {string} */ a) => {
    const found = rows.find((row) => downOf(row) === d && acrossOf(row) === a);
    return found === undefined ? NOT_MEASURED : cell(found);
  };
  const columns = across.map((each) =>
    // Two lines keep the column narrow.
    right(each, (/** @type {string} */ d) => cellAt(d, each), { short: each.replaceAll(/ (?=\+ |with )/g, '\n') }),
  );
  return table([left(title, String), ...columns], down);
}

/** @param {ColumnSpec} column @param {CaseFigures} row */
function cellOf(column, row) {
  if ('text' in column) return column.text(row);
  const { metric, show = 'median', format } = column;
  const fact = /** @type {Fact | undefined} */ (row.of[metric]);
  if (fact === undefined) return NOT_MEASURED;
  const read = FORMATS[format];
  const { median, low, high } = fact;
  // Equal as shown: the range would repeat the median.
  return !column.spread || low === null || high === null || read(low) === read(high)
    ? read(fact[show])
    : interval({ median, low, high }, read);
}

/** @param {(value: number) => string} format @returns {(value: number | null) => string} */
function known(format) {
  return (value) => (value === null ? NOT_MEASURED : format(value));
}
