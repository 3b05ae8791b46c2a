/** The table that a page begins with: which mode for which situation, and what the run measured of it. */
/** @import { TableBlock } from '../types.js' */
/** @import { Choice } from '../choices.js' */
/** @import { ColumnSpec, TextColumn } from '../../src/report/specs.js' */
/** @import { LossOfRows } from './trials.js' */
import { tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { CHOICES } from '../choices.js';
import { MODES, modeTitle } from '../modes.js';
import { worstText } from './trials.js';

/**
 * @typedef {Object} ChoiceFigures of a run
 * @property {(mode: string) => boolean} has it measured this mode
 * @property {readonly TextColumn[]} columns a row has the id of its mode in `mode`
 * @property {(mode: string) => string} [stops] how long writes stopped when the primary was lost; `–`: not measured
 * @property {(mode: string) => string} [titleOf]
 * @property {readonly Choice[]} [choices] default: those of Redis
 */

/** More losses are not read. */
const MOST_NAMED = 4;

/**
 * @template Loss @param {(mode: string) => readonly Loss[] | null} lossesOf in which a mode lost writes, the worst first; null: it was not tried
 * @returns what the mode of each situation does not protect from. more: losses that are not named
 */
export function unprotectedBy(lossesOf) {
  return CHOICES.flatMap(({ situation, modes }) => {
    const losses = modes.map(lossesOf).find((found) => found !== null);
    if (!losses) return [];
    const more = Math.max(0, losses.length - MOST_NAMED);
    return { situation, losses: losses.slice(0, MOST_NAMED), more };
  });
}

/** @type {ColumnSpec} */
export const SITUATION = { title: 'for', text: ({ situation }) => situation };

/** What writes do. @type {readonly ColumnSpec[]} */
export const AWAY = [
  { title: 'a replica away: writes', text: ({ replica }) => replica },
  { title: 'both away', text: ({ both }) => both },
];

/**
 * @param {(mode: string) => readonly (LossOfRows & {fault: string})[]} lossesOf the faults that a mode went through, the worst first
 * @returns {TextColumn}
 */
export function mostLost(lossesOf) {
  const text = (/** @type {{mode: string}} */ { mode }) => {
    const [worst] = lossesOf(mode);
    if (worst === undefined) return NOT_MEASURED;
    return worst.losing === 0 ? '0' : `${worstText(worst)}, ${worst.fault}`;
  };
  return { title: 'most lost', text };
}

/** @param {ChoiceFigures} measured @returns {TableBlock} a row for each situation */
export function choiceTable({
  has,
  columns,
  stops,
  titleOf = (mode) => modeTitle({ mode, ...MODES[mode] }),
  choices = CHOICES,
}) {
  const rows = choices.map((choice) => ({ ...choice, mode: choice.modes.find(has) ?? choice.modes[0] }));
  const stopped = (/** @type {typeof rows[number]} */ { mode, primary }) => {
    const seen = stops?.(mode) ?? NOT_MEASURED;
    return seen === NOT_MEASURED ? primary : seen;
  };
  return tableOf(
    [
      SITUATION,
      { title: 'mode', text: ({ mode, place = '' }) => `${titleOf(mode)}${place}` },
      ...columns,
      ...AWAY,
      { title: 'primary lost: writes stop', text: stopped },
    ],
    /** @type {any} */ (rows),
  );
}
