/** One table for Markdown, HTML and terminals: columns that make a cell of a row. @import { ChalkInstance } from 'chalk' */
import chalk from 'chalk';
import Table from 'cli-table3';

/**
 * @template Row
 * @typedef {Object} Column
 * @property {string} title @property {'left' | 'right'} [align] default: left
 * @property {(row: Row) => string} cell plain text; in reports code is between backticks
 * @property {string} [short] the title on a terminal; lines are parted by line breaks
 * @property {(row: Row) => string} [narrow] the cell on a terminal
 * @property {true} [group] only of the first column: rows with the same text belong together and show it once
 * @property {string} [strong] cells that begin with this text stand out
 * @property {(row: Row) => keyof typeof TONES | undefined} [tone] of the cell on a terminal
 * @property {number} [share] of a terminal’s width, 0 … 1; all columns have one, or none. Cells break their lines
 */

/**
 * @typedef {Omit<Column<any>, 'cell'> & {cell?: Column<any>['cell']}} GivenColumn without a cell: rows are arrays of cells
 * @typedef {{columns: Column<any>[], rows: any[]}} TableOf
 */

const TONES = /** @type {const} */ ({ good: 'green', bad: 'red', note: 'yellow' });

const PLAIN = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};
const INDENT = '  ';

/**
 * @template Row @param {string} title @param {(row: Row) => string} [cell] default: rows are arrays of cells
 * @param {Partial<Column<Row>>} [more] @returns {Column<Row>} of words
 */
export function left(title, cell, more) {
  return /** @type {Column<Row>} */ ({ title, align: 'left', cell, ...more });
}

/** Of figures. @type {typeof left} */
export const right = (title, cell, more) => left(title, cell, { align: 'right', ...more });

/** @param {readonly (GivenColumn | string)[]} columns a title alone: left-aligned @param {readonly any[]} rows */
export function makeTable(columns, rows) {
  return {
    columns: columns.map((column, i) => {
      const given = typeof column === 'string' ? { title: column } : column;
      return { ...given, cell: given.cell ?? ((/** @type {string[]} */ row) => row[i]) };
    }),
    rows: [...rows],
  };
}

/** @param {TableOf} table @returns {string[][]} a repeated group is an empty cell */
export function cellsOf({ columns, rows }) {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  return columns[0]?.group
    ? cells.map(([first, ...others], i) => [cells[i - 1]?.[0] === first ? '' : first, ...others])
    : cells;
}

/**
 * @param {TableOf} table
 * @param {{paint?: ChalkInstance, frame?: boolean, width?: number}} [options] paint: default: as standard output takes it. frame: lines
 *   around the cells. width: of the terminal, for columns that share it
 * @returns {string} lines. A group is a line above its rows; other first cells that repeat are empty
 */
export function terminalTable({ columns, rows }, { paint = chalk, frame = false, width = 0 } = {}) {
  const [first, ...others] = columns;
  const group = first?.group && first;
  const shown = group ? others : columns;
  const indent = group ? INDENT : '';
  const drawn = new Table({
    head: shown.map(({ title, short = title }, i) => paint.bold(`${i === 0 ? indent : ''}${short}`)),
    colAligns: shown.map(({ align = 'left' }) => align),
    ...(shown.every(({ share }) => share !== undefined) && {
      colWidths: shown.map(({ share = 0 }) => Math.floor(share * (width - shown.length - 1))),
      wordWrap: true,
    }),
    ...(!frame && { chars: PLAIN }),
    style: { head: [], border: [], ...(!frame && { 'padding-left': 0, 'padding-right': 0 }) },
  });
  let [place, before] = ['', ''];
  for (const row of rows) {
    const cells = shown.map((column) => cellOf(column, row, paint));
    if (group && group.cell(row) !== place) {
      place = group.cell(row);
      drawn.push([{ colSpan: shown.length, content: paint.bold(place), hAlign: 'left' }]);
    }
    const repeats = !group && shown.length > 1 && cells[0] === before;
    before = cells[0];
    drawn.push([repeats ? '' : `${indent}${cells[0]}`, ...cells.slice(1)]);
  }
  return drawn.toString().replaceAll(/ +$/gm, '');
}

/** @param {Column<any>} column @param {any} row @param {ChalkInstance} paint */
function cellOf({ cell, narrow = cell, strong, tone }, row, paint) {
  const text = narrow(row);
  if (strong !== undefined && text.startsWith(strong)) return paint.red.bold(text);
  const found = tone?.(row);
  return found ? paint[TONES[found]](text) : text;
}
