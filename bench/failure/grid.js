/**
 * Tables of modes and faults.
 *
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { rightAligned, table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { testedOf } from '../../src/report/trials/rows.js';

/** Columns of a table beside its first one. */
export const MOST_COLUMNS = 5;

/** @typedef {(cell: TrialRow) => string} Show a cell */

/**
 * @param {readonly string[]} names
 * @param {(name: string) => number} value
 * @param {number} [most]
 * @returns {string[]} those with the largest values, in their order
 */
export function largest(names, value, most = MOST_COLUMNS) {
  const kept = names.toSorted((a, b) => value(b) - value(a)).slice(0, most);
  return names.filter((name) => kept.includes(name));
}

/**
 * @param {readonly TrialRow[]} cells
 * @param {readonly string[]} faults titles
 * @param {Show} show
 * @returns {TableBlock} a mode a row, a fault a column; modes that went through none of the faults have no row
 */
export function modesByFaults(cells, faults, show) {
  const modes = [...new Set(cells.filter(({ fault }) => faults.includes(fault.title)).map(({ mode }) => mode))];
  return table(
    ['mode', ...rightAligned(faults)],
    modes.map((mode) => [mode, ...faults.map((fault) => cellOf(cells, { mode, fault }, show))]),
  );
}

/**
 * @param {readonly TrialRow[]} cells
 * @param {readonly string[]} faults titles
 * @param {readonly string[]} modes
 * @param {Show} show
 * @returns {TableBlock} a fault a row, a mode a column
 */
export function faultsByModes(cells, faults, modes, show) {
  return table(
    ['fault', ...rightAligned(modes)],
    faults.map((fault) => [fault, ...modes.map((mode) => cellOf(cells, { mode, fault }, show))]),
  );
}

/**
 * @param {readonly TrialRow[]} cells
 * @param {{mode: string, fault: string}} wanted titles
 * @param {Show} show
 */
function cellOf(cells, { mode, fault }, show) {
  const found = cells.find((cell) => cell.mode === mode && cell.fault.title === fault);
  return found ? show(found) : NOT_MEASURED;
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {readonly string[]} first modes that come first
 * @returns {string[]} modes for the columns of a table: these, then those that went through most faults
 */
export function mainModes(rows, first) {
  const tested = (/** @type {string} */ mode) => testedOf(rows, mode).length;
  const others = [...new Set(rows.map(({ mode }) => mode))].filter((mode) => !first.includes(mode));
  return [...first, ...others.toSorted((a, b) => tested(b) - tested(a))].slice(0, MOST_COLUMNS);
}
