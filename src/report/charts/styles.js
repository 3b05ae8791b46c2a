/**
 * Which colour, symbol and dash things have. They are the same in every chart of every report.
 * @import { Look } from '../../registry/types.js' @import { Style } from './chart.js' @import { Theme } from '../document.js'
 * @import { CaseParams } from '../../result/schema.js'
 */

import { findClient } from '../../registry/clients.js';
import { findWriter } from '../../registry/writers.js';
import { readYaml } from '../../yaml.js';

/** @type {Readonly<{series: readonly string[]} & Record<Theme, Readonly<Record<string, string>>>>} colours by name; series: names of those that series have */
export const PALETTES = readYaml(new URL('palettes.yaml', import.meta.url));

const SYMBOLS = /** @type {const} */ (['circle', 'rect', 'triangle', 'diamond']);
const DASHES = /** @type {const} */ (['solid', 'dashed', 'dotted']);

/** The look of everything without its own. @type {Look} */
const OTHER = Object.freeze({ colour: 'olive', symbol: 'diamond' });

/** By how many replicas WAIT asks for. @type {readonly Look[]} */
const WAITS = Object.freeze([{ colour: 'grey' }, { colour: 'sky' }, { colour: 'blue', symbol: 'rect' }]);
/** WAITAOF for the primary's own file only, and for that of a replica too. @type {Look} */
const WAITAOF_HERE = Object.freeze({ colour: 'purple', symbol: 'rect', dash: 'dashed' });
/** @type {Look} */
const WAITAOF = Object.freeze({ colour: 'purple' });

/** @param {Look} [look] @returns {Style} */
const styleOf = ({ colour, symbol = 'circle', dash = 'solid' } = OTHER) => ({ color: `$${colour}`, symbol, dash });

/** @param {string} name of a client of rounds, or of another load program */
export const clientStyle = (name) => styleOf(findClient(name)?.style);

/** @param {string} name of a writer */
export const writerStyle = (name) => styleOf(findWriter(name)?.style);

/** @param {CaseParams} params @returns {string} the case's durability mode, or its WAIT where it has no mode */
export function modeName({ mode, wait, waitLocal }) {
  if (mode !== undefined) return mode;
  if (waitLocal !== undefined) return `WAITAOF ${waitLocal} ${wait}`;
  return wait === 0 ? 'async' : `WAIT ${wait}`;
}

/** @param {CaseParams} params @returns {Style} of the case's WAIT; modes with settings have none of their own */
export function modeStyle({ mode, wait, waitLocal, waitMode }) {
  if (mode !== undefined) return styleOf();
  if (waitLocal !== undefined) return styleOf(wait === 0 ? WAITAOF_HERE : WAITAOF);
  const look = WAITS[wait] ?? OTHER;
  return styleOf(wait > 0 && waitMode === 'sequential' ? { ...look, dash: 'dashed' } : look);
}

/** For things without a colour of their own. Neighbours differ in colour and symbol. @param {number} index ≥ 0; the same thing has the same @returns {Style} */
export function styleAt(index) {
  const { series } = PALETTES;
  const turn = Math.floor(index / series.length);
  const colour = /** @type {Look['colour']} */ (series[index % series.length]);
  return styleOf({ colour, symbol: SYMBOLS[(index + turn) % SYMBOLS.length], dash: DASHES[turn % DASHES.length] });
}
