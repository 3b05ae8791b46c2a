/** @import { CaseFigures } from '../types.js' */
import { figure, where } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { addedText, costText } from '../../src/report/costs.js';
import { FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { lossOf, worstCell } from '../pages/trials.js';
import { MODES, modeTitle, SAFE, VARIATIONS, WRITER } from './modes.js';
import { SCENARIOS } from './scenarios.js';

/** Modes with a column of their own. Others differ from one of them in a setting, which names the row. */
const COLUMN_MODES = Object.freeze([SAFE, 'after-sync', 'after-commit', 'async']);

/** @typedef {CaseFigures & SemiSyncLoss & ReturnType<typeof lossOf>} SemiSyncLossRow */
/**
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

/** In failures without a mistake, the worst first. @param {readonly SemiSyncLossRow[]} losses @param {string} mode */
export const lossesOf = (losses, mode) =>
  losses.filter((row) => row.mode === mode && row.plain).sort((a, b) => b.writes - a.writes);

/** In failures without a mistake; most: its largest loss; null: not tried. @param {readonly SemiSyncLossRow[]} losses @param {string} mode */
export function lossOfMode(losses, mode) {
  const own = lossesOf(losses, mode);
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

/** Modes with a price. The timeout costs nothing while replicas answer. */
const PRICED = Object.freeze(['after-commit', 'after-sync']);
const CONNECTIONS = Object.freeze([1, 50]);

/** @param {readonly SemiSyncLossRow[]} losses @returns faults: with a loss, the largest first; safe: without one */
export function lossTable(losses) {
  const modes = modesOf(losses);
  const of = (/** @type {string} */ fault) => losses.filter((row) => row.fault === fault);
  const most = (/** @type {string} */ fault) => Math.max(...of(fault).map(({ writes }) => writes));
  const faults = [...new Set(losses.map(({ fault }) => fault))].sort((a, b) => most(b) - most(a));
  const lossy = faults.filter((fault) => most(fault) > 0);
  const cell = (/** @type {string} */ fault, /** @type {string} */ mode) => {
    const row = of(fault).find(({ title }) => title === mode);
    return row === undefined ? NOT_MEASURED : worstCell(row);
  };
  const columns = [
    {
      title: 'fault',
      text: (/** @type {string} */ fault) => (of(fault).every(({ plain }) => plain) ? fault : `${fault} ‡`),
    },
    ...modes.map((mode) => figures(mode.replace('semi-sync ', ''), (fault) => cell(fault, mode), { kept: true })),
    figures('longest outage', (fault) =>
      FORMATS.seconds(Math.max(...of(fault).map((row) => figure(row, 'outage') ?? 0))),
    ),
  ];
  return {
    table: tableOf(columns, /** @type {any} */ (lossy)),
    modes,
    faults: lossy,
    safe: faults.filter((fault) => !lossy.includes(fault)),
  };
}

/** @param {readonly CaseFigures[]} rows @param {string} mode @param {number} connections @returns its cost in a closed loop */
export function costAt(rows, mode, connections) {
  return where(rows, { experiment: 'semi-sync-cost', mode }).find(
    ({ params }) => params.connections === connections && params.rate === undefined,
  );
}

/** @param {readonly CaseFigures[]} rows */
export function costTable(rows) {
  const measured = PRICED.filter((mode) => CONNECTIONS.some((each) => costAt(rows, mode, each)));
  const columns = CONNECTIONS.flatMap((connections) => {
    const of = (/** @type {string} */ mode) => costAt(rows, mode, connections)?.of ?? {};
    return [
      figures(`${plural(connections, 'connection')}: added`, (mode) => addedText(of(mode)['added-time'])),
      figures('costs', (mode) => costText(of(mode).cost)),
    ];
  });
  return tableOf(
    [{ title: 'mode', text: (/** @type {string} */ mode) => modeTitle({ mode }) }, ...columns],
    /** @type {any} */ (measured),
  );
}
