/** The table that a page begins with: which mode for which situation, and what the run measured of it. */
/** @import { TableBlock } from '../types.js' */
/** @import { TextColumn } from '../../src/report/specs.js' */
import { tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { readYaml } from '../../src/yaml.js';
import { MODES, modeTitle } from '../modes.js';

/**
 * @typedef {Object} Choice
 * @property {string} situation
 * @property {readonly string[]} modes ids; the first one that was measured is shown
 * @property {string} [place] what the title of the mode does not say
 * @property {string} [loses] when writes are lost, for a run that did not measure it
 * @property {string} replica what writes do while a replica is away
 * @property {string} both what they do while both are
 * @property {string} primary how long they stop when the primary is lost
 *
 * @typedef {Object} Measured by a run
 * @property {(mode: string) => boolean} has it measured this mode
 * @property {readonly TextColumn[]} columns a row has the id of its mode in `mode`
 * @property {(mode: string) => string} [stops] how long writes stopped when the primary was lost; `–`: not measured
 * @property {(mode: string) => string} [titleOf]
 * @property {readonly Choice[]} [choices] default: those of Redis
 */

/** @type {readonly Choice[]} */
export const CHOICES = readYaml(new URL('choices.yaml', import.meta.url));

/** @param {Measured} measured @returns {TableBlock} a row for each situation */
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
      { title: 'for', text: ({ situation }) => situation },
      { title: 'mode', text: ({ mode, place = '' }) => `${titleOf(mode)}${place}` },
      ...columns,
      { title: 'a replica away: writes', text: ({ replica }) => replica },
      { title: 'both away', text: ({ both }) => both },
      { title: 'primary lost: writes stop', text: stopped },
    ],
    /** @type {any} */ (rows),
  );
}
