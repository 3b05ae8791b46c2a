/** The tables of page.md: losses and costs. Those of the article are in article.js. */
/** @import { CaseFigures } from '../types.js' */
/** @import { SemiSyncLossRow } from './losses.js' */
import { figure, where } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { addedText, costText } from '../../src/report/costs.js';
import { FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { worstCell } from '../pages/trials.js';
import { modesOf } from './losses.js';
import { modeTitle } from './modes.js';

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
