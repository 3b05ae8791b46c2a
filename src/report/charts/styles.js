/**
 * Which colour, symbol and dash things have. They are the same in every chart of every report.
 */

import { findClient } from '../../registry/clients.js';
import { findWriter } from '../../registry/writers.js';
import { SERIES } from './palettes.js';

/**
 * @import { Look } from '../../registry/types.js'
 * @import { ColourName, Style } from './chart.js'
 * @import { CaseParams } from '../../result/schema.js'
 */

export const SYMBOLS = /** @type {const} */ (['circle', 'rect', 'triangle', 'diamond']);
const DASHES = /** @type {const} */ (['solid', 'dashed', 'dotted']);

/** By the ids of durability modes. @type {Readonly<Record<string, Style>>} */
const MODE_STYLES = Object.freeze({
  async: style('grey'),
  wait1: style('sky'),
  wait2: style('blue', 1),
  'wait1-min1': style('sky', 3, 1),
  'wait1-min1-aof': style('green', 3, 1),
  min1: style('orange', 0),
  'min1-lag5': style('orange', 1, 1),
  'min1-lag1': style('orange', 2, 2),
  min2: style('red', 0),
  'min2-lag5': style('red', 1, 1),
  'min2-lag1': style('red', 2, 2),
  aof: style('green', 0),
  'aof-no': style('green', 1, 1),
  'aof-always': style('green', 2, 2),
  'waitaof-local': style('purple', 1, 1),
  waitaof: style('purple', 0),
  rdb: style('grey', 1, 1),
  'waitaof-local-everysec': style('purple', 2, 2),
  'waitaof-everysec': style('purple', 3, 1),
  none: style('green', 2, 2),
  'after-commit': style('sky', 1),
  'after-sync': style('blue', 3),
  'after-sync-no-fallback': style('purple', 1),
});
const OTHER_MODE = style('olive', 3);

/** Of what has no look of its own. @type {Look} */
const OTHER = Object.freeze({ colour: 'olive', symbol: 'diamond' });

/**
 * @param {Look} look
 * @returns {Style}
 */
function styleOf({ colour, symbol = 'circle', dash = 'solid' }) {
  return { color: `$${colour}`, symbol, dash };
}

/**
 * @param {string} name of a client of rounds, or of another load program
 * @returns {Style}
 */
export function clientStyle(name) {
  return styleOf(findClient(name)?.style ?? OTHER);
}

/**
 * @param {string} name of a writer
 * @returns {Style}
 */
export function writerStyle(name) {
  return styleOf(findWriter(name)?.style ?? OTHER);
}

/** @type {Readonly<Record<'acked' | 'underAcked' | 'rejected' | 'unknown' | 'unsent', Style>>} */
export const OUTCOME_STYLES = Object.freeze({
  acked: style('grey'),
  underAcked: style('sky'),
  rejected: style('orange'),
  unknown: style('red'),
  unsent: style('purple'),
});

/**
 * @param {CaseParams} params
 * @returns {string} the case's durability mode, or its WAIT where it has no mode
 */
export function modeName({ mode, wait, waitLocal }) {
  if (mode !== undefined) return mode;
  if (waitLocal !== undefined) return `WAITAOF ${waitLocal} ${wait}`;
  return wait === 0 ? 'async' : `WAIT ${wait}`;
}

/**
 * @param {CaseParams} params
 * @returns {Style} of the case's durability mode, or of its WAIT where it has no mode
 */
export function modeStyle({ mode, wait, waitLocal, waitMode }) {
  if (mode !== undefined) return MODE_STYLES[mode] ?? OTHER_MODE;
  if (waitLocal !== undefined) return MODE_STYLES[wait === 0 ? 'waitaof-local' : 'waitaof'];
  const own = MODE_STYLES[wait === 0 ? 'async' : `wait${wait}`] ?? OTHER_MODE;
  return wait > 0 && waitMode === 'sequential' ? { ...own, dash: 'dashed' } : own;
}

/**
 * A style for things without a colour of their own. Neighbours differ in colour and symbol; after all colours, symbols and dashes
 * change.
 *
 * @param {number} index ≥ 0; the same thing always has the same index
 * @returns {Style}
 */
export function styleAt(index) {
  const turn = Math.floor(index / SERIES.length);
  return style(/** @type {ColourName} */ (SERIES[index % SERIES.length]), index + turn, turn);
}

/**
 * @param {ColourName} colour
 * @param {number} [symbol]
 * @param {number} [dash]
 * @returns {Style}
 */
function style(colour, symbol = 0, dash = 0) {
  return { color: `$${colour}`, symbol: SYMBOLS[symbol % SYMBOLS.length], dash: DASHES[dash % DASHES.length] };
}
