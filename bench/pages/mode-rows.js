/** What the modes cost that a run measured while all was well: a row for each mode. */
/** @import { CaseFigures } from '../types.js' */
import { where } from '../../src/facts/query.js';
import { APART_MS } from '../mode-costs.js';
import { modeTitle } from '../modes.js';

/**
 * @typedef {Object} ModeRow of the table of modes: its cases on loopback and with the nodes apart, with one connection, with 50, and at a fixed rate
 * @property {string} title
 * @property {string | undefined} mode
 * @property {CaseFigures} [here]
 * @property {CaseFigures} [hereCrowd]
 * @property {CaseFigures} [herePaced]
 * @property {CaseFigures} [apart]
 * @property {CaseFigures} [apartCrowd]
 * @property {CaseFigures} [apartPaced]
 */

/** @param {readonly CaseFigures[]} rows @returns {ModeRow[]} */
export function modeRows(rows) {
  const measured = where(rows, { experiment: ['durable-modes', 'distance'] }).filter(
    ({ params }) => params.pipeline === 1,
  );
  const modes = new Map(measured.flatMap(({ mode, params }) => (mode === '' ? [] : [[mode, modeTitle(params)]])));
  return [...modes].map(([mode, title]) => {
    const own = where(measured, { mode });
    return { title, mode, ...placeOf(own, 0, 'here'), ...placeOf(own, APART_MS, 'apart') };
  });
}

/** @param {readonly CaseFigures[]} rows of a mode @param {number} added milliseconds between nodes @param {'here' | 'apart'} name */
function placeOf(rows, added, name) {
  const there = rows.filter(({ params }) => (params.linkLatencyMs ?? 0) === added);
  const closed = there.filter(({ params }) => params.rate === undefined);
  const closedWith = (/** @type {number} */ connections) =>
    closed.find(({ params }) => params.connections === connections);
  return {
    [name]: closedWith(1),
    [`${name}Crowd`]: closedWith(50),
    [`${name}Paced`]: there.find(({ params }) => params.rate),
  };
}
