/** @import { CaseFigures } from '../types.js' */
import { where } from '../../src/facts/query.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { lossOf } from '../pages/trials.js';
import { MODES, modeTitle, SAFE } from './modes.js';
import { SCENARIOS } from './scenarios.js';
import { VARIATIONS, WRITER } from './titles.js';

/** Modes with a column of their own. Others differ from one of them in a setting, which names the row. */
const COLUMN_MODES = Object.freeze([SAFE, 'after-sync', 'after-commit', 'async']);

/**
 * @typedef {CaseFigures & SemiSyncLoss & ReturnType<typeof lossOf>} SemiSyncLossRow
 *
 * @typedef {Object} SemiSyncLoss
 * @property {string} fault title of the failure, with what its case does otherwise
 * @property {string} title of the mode whose column has it
 * @property {boolean} plain no mistake of whoever fails over, which no mode protects from
 * @property {boolean} flushed with the flush settings of the mode that its column has
 */

/** @param {readonly CaseFigures[]} rows @returns {SemiSyncLossRow[]} one for each case of a failure */
export function lossRows(rows) {
  return where(rows, { writer: WRITER }).map((row) => ({
    ...row,
    ...placeOf(row),
    plain: isPlain(row.params),
    flushed: COLUMN_MODES.includes(row.mode),
    ...lossOf([row]),
  }));
}

/** @param {CaseFigures} row */
function placeOf({ experiment, mode, params }) {
  const base = COLUMN_MODES.find((each) => mode === each || mode.startsWith(`${each}-`)) ?? mode;
  const setting = mode === base ? [] : [MODES[mode]?.title.split(' + ').at(-1) ?? mode];
  const name = variationName(params);
  const way = name === '' ? [] : [VARIATIONS[name] ?? name];
  return { fault: [scenarioTitle(experiment), ...setting, ...way].join(', '), title: modeTitle({ mode: base }) };
}

/** @param {readonly SemiSyncLossRow[]} losses @returns {string[]} titles of the modes that were tried, the safest first */
export function modesOf(losses) {
  const titles = losses.map(({ title }) => title);
  return [...COLUMN_MODES.map((mode) => modeTitle({ mode })), ...titles].filter(
    (title, i, all) => titles.includes(title) && all.indexOf(title) === i,
  );
}

/** In failures without a mistake; most: its largest loss; null: not tried. @param {readonly SemiSyncLossRow[]} losses @param {string} mode */
export function lossOfMode(losses, mode) {
  const own = losses.filter((row) => row.mode === mode && row.plain);
  if (own.length === 0) return null;
  return {
    title: own[0].title,
    losing: own.filter(({ losing }) => losing > 0).length,
    tried: own.length,
    trials: Math.min(...own.map(({ trials }) => trials)),
    faults: own.map(({ fault }) => fault),
    most: mostOf(own),
  };
}

/** @param {readonly SemiSyncLossRow[]} losses @returns {SemiSyncLossRow | null} the largest loss; null: none */
export function mostOf(losses) {
  return [...losses].sort((a, b) => b.writes - a.writes).find(({ losing }) => losing > 0) ?? null;
}

/** @param {string} benchmark its name @returns {string} such as `primary killed` */
const scenarioTitle = (benchmark) => SCENARIOS.find(({ name }) => name === benchmark)?.title ?? benchmark;
