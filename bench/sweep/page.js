/**
 * What page.md shows: tables, one chart, and the figures of its sentences.
 * @import { CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js'
 * @import { DecisionFault } from '../experiments/decision-faults.js'
 * @import { DecisionRow, FaultLoss } from './decision.js'
 * @import { YearlyLoss } from './risk.js'
 * @import { TextColumn } from '../../src/report/specs.js'
 */

import { ALL } from '../../src/format.js';
import { addedText } from '../../src/report/costs.js';
import { crossTable, FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { MS_A_SECOND } from '../../src/units.js';
import { FAULTS, faultNamed } from '../experiments/decision-faults.js';
import { SO_PLACED } from '../experiments/placement.js';
import { CHOSEN_MODES, USUAL_REPLICAS, WHOLE_MODES } from '../modes.js';
import { choiceTable, unprotectedBy } from '../pages/choices.js';
import { chosenCommands, pastedName } from '../pages/paste.js';
import { unseenShare, worstCell } from '../pages/trials.js';
import { decisionChart } from './chart.js';
import * as decisions from './decision.js';
import { recommend } from './recommend.js';
import { yearlyLosses } from './risk.js';

/** Rows of the tables; details.md has every mode. */
const MOST_ROWS = 5;
const DEFAULTS = 'defaults';
const [NORMAL] = WHOLE_MODES;

/** @param {Result} result @returns {TemplateData & {tables: Record<'choices' | 'worst' | 'losses', TableBlock>}} */
export function pageData(result) {
  const all = decisions.decisionRows(result);
  const rows = all.filter(decisions.isTested);
  const shown = shownOf(rows);
  const faults = decisions.testedFaults(rows);
  const losing = faults.filter((id) => rows.some((row) => (decisions.lossIn(row, id)?.losing ?? 0) > 0));
  const normal = rows.find(({ mode }) => mode === NORMAL);
  const name = pastedName(result.stack.masterName);
  const titlesOf = (/** @type {typeof faults} */ ids) => ids.map((id) => faultNamed(id).title);
  const worst = FAULTS.filter((fault) => shown.some((row) => isWorst(row, fault)));
  const cells = lossCells(shown);
  const trials = rows.flatMap((row) => row.trials.map(({ loss }) => loss.trials));
  return {
    modes: rows.length,
    ...answerOf(result, all),
    measured: all.length,
    trials: Math.min(...trials),
    unseen: unseenShare(Math.min(...trials)),
    safe: titlesOf(faults.filter((id) => !losing.includes(id))),
    explained: worst
      .filter(({ explained }) => explained !== undefined)
      .map(({ title, explained, avoid = null }) => ({ title, explained, avoid })),
    everything: rows.some(({ trials: tested }) => decisions.emptiedIn(tested).length > 0),
    beside: shown.some((row) => row.beside.length > 0),
    larger: replicasOf(result) > USUAL_REPLICAS,
    planned: rows.length > 0 && rows.every((row) => (decisions.lossIn(row, 'runbook')?.losing ?? 1) === 0),
    downAfter: rows.map(machineLost).find((lost) => lost !== undefined)?.downAfterMs ?? null,
    unprotected: unprotectedBy((mode) => lossesOf(rows, mode)),
    paste: normal === undefined ? null : chosenCommands(name),
    tables: {
      choices: choiceTable({
        has: (mode) => rows.some((row) => row.mode === mode),
        columns: choiceColumns(rows),
        stops: (mode) => textOf(rows, mode, stopText),
      }),
      worst: tableOf([...WORST, ...COSTS], decidingRows(shown)),
      losses: crossTable(
        {
          title: 'mode',
          down: losing.length === 0 ? [] : [...new Set(cells.map(({ title }) => title))],
          across: titlesOf(losing),
          downOf: ({ title }) => title,
          acrossOf: ({ fault }) => fault,
          cell: ({ text }) => text,
        },
        cells,
      ),
    },
    charts: { decision: decisionChart(shown) },
  };
}

/** @param {readonly DecisionRow[]} rows @param {string} mode @param {(row: DecisionRow) => string} text */
function textOf(rows, mode, text) {
  const row = rows.find((each) => each.mode === mode);
  return row === undefined ? NOT_MEASURED : text(row);
}

/** @param {readonly DecisionRow[]} rows @param {string} mode @returns the worst first; null: the mode was not tried */
function lossesOf(rows, mode) {
  const row = rows.find((each) => each.mode === mode);
  if (row === undefined) return null;
  const losing = (asAdvised(row) ?? row).trials.filter(({ loss }) => loss.losing > 0);
  const size = (/** @type {FaultLoss} */ { all, seconds, writes }) =>
    all ? Number.POSITIVE_INFINITY : (seconds ?? writes);
  return losing
    .toSorted((a, b) => size(b.loss) - size(a.loss))
    .map(({ fault, loss }) => ({ fault: fault.title, lost: worstCell(loss) }));
}

/** The mode for a normal service as advised, if that was tried. @param {readonly DecisionRow[]} rows @returns {TextColumn[]} */
function choiceColumns(rows) {
  return [
    figures('added to a write', ({ mode }) => textOf(rows, mode, (row) => addedCell(row, row.healthy[1]))),
    {
      title: 'most lost',
      text: ({ mode }) => textOf(rows, mode, (row) => worstText(asAdvised(row) ?? row)),
    },
  ];
}

/** @param {Result} result @param {readonly DecisionRow[]} all @returns for answer.md: the safest mode */
function answerOf(result, all) {
  const rows = all.filter(decisions.isTested);
  const { best, meets } = recommend(result, undefined, all);
  return {
    faults: decisions.testedFaults(rows).length,
    alone: rows.filter((row) => row.trials.every(({ loss }) => loss.losing === 0)).length === 1,
    best: best && meets.length > 0 ? summaryOf(best.row) : null,
    closest: best && meets.length === 0 ? summaryOf(best.row) : null,
  };
}

/** @param {DecisionRow} row of a mode */
function summaryOf(row) {
  const { title, trials } = row;
  const emptied = decisions.emptiedIn(trials);
  const worst = decisions.worstOf(trials);
  return {
    title,
    tried: trials.length,
    losing: trials.filter(({ loss }) => loss.losing > 0).length,
    all: emptied.length > 0 ? emptied.map((fault) => fault.title).join(', ') : null,
    most: worst && { lost: lostText(worst.loss), fault: worst.fault.title },
  };
}

/** @param {DecisionRow} row @returns {DecisionRow | null} the mode for a normal service, with a Sentinel beside each node; null: another mode, or not tried */
const asAdvised = (row) => (row.mode === NORMAL ? decisions.withSentinelsBeside(row) : null);

/** @param {readonly DecisionRow[]} rows @returns {DecisionRow[]} the smallest loss a year first, of equal ones the safer, then the cheaper */
function shownOf(rows) {
  const safer = rows.toSorted((a, b) => decisions.saferFirst(a, b) || decisions.cheaperFirst(1)(a, b));
  const sorted = yearlyLosses(safer).map(({ row }) => row);
  // What people have. Without it, what costs are compared with.
  const have = sorted.some(({ mode }) => mode === DEFAULTS) ? DEFAULTS : decisions.BASELINE;
  // People choose between those, whatever they lost.
  const always = sorted.filter(({ mode }) => CHOSEN_MODES.includes(mode) || mode === have);
  const others = sorted
    .filter((row) => !always.includes(row) && row.mode !== decisions.BASELINE)
    .slice(0, Math.max(0, MOST_ROWS - always.length));
  return sorted.filter((row) => always.includes(row) || others.includes(row));
}

/**
 * @typedef {Object} DecidingRow
 * @property {DecisionRow} row
 * @property {DecisionRow | null} beside with one Sentinel beside each node; null: not tried
 * @property {YearlyLoss} [year]
 * @property {YearlyLoss} [yearBeside]
 * @property {CaseFigures['of']} of facts of a freeze of one replica
 */

/** @param {readonly DecisionRow[]} rows @returns {any[]} a {@link DecidingRow} for each */
export function decidingRows(rows) {
  const years = yearlyLosses(rows);
  const placed = yearlyLosses(rows.flatMap((row) => decisions.withSentinelsBeside(row) ?? []));
  const of = (/** @type {readonly YearlyLoss[]} */ list, /** @type {DecisionRow} */ { id }) =>
    list.find(({ row }) => row.id === id);
  return rows.map((row) => ({
    row,
    beside: decisions.withSentinelsBeside(row),
    year: of(years, row),
    yearBeside: of(placed, row),
    of: row.down['one-replica-down']?.of ?? {},
  }));
}

/** @type {ColumnSpec} */
const MODE = { title: 'mode', text: ({ row }) => row.title };

/** @type {readonly ColumnSpec[]} */
const WORST = [
  MODE,
  { title: 'lost in the worst fault', text: ({ row }) => worstText(row) },
  { title: 'beside: lost in the worst', text: ({ beside }) => (beside === null ? NOT_MEASURED : worstText(beside)) },
  figures('lost a year', ({ year }) => yearText(year)),
  figures('beside: a year', ({ yearBeside }) => yearText(yearBeside)),
];

/** @type {readonly ColumnSpec[]} */
const COSTS = [
  figures('added to a write', ({ row }) => addedCell(row, row.healthy[1])),
  figures('50 connections', ({ row }) => addedCell(row, row.crowd)),
];

/** Of the terminal, which is narrow. @type {readonly ColumnSpec[]} */
const BRIEF = [
  MODE,
  figures('lost at most', ({ row }) => (decisions.emptiedIn(row.trials).length > 0 ? ALL : mostText(row))),
  ...[...WORST, ...COSTS].filter(({ title }) => ['lost a year', 'added to a write'].includes(title)),
  { title: 'one away', metric: 'confirmed-at-fault-end', format: 'percent' },
];

/** @param {readonly DecisionRow[]} rows @returns {TableBlock} of the modes, for terminals */
export function briefTable(rows) {
  return tableOf(BRIEF, decidingRows(rows.filter(({ note }) => note === null)));
}

/** @param {DecisionRow} row @param {DecisionRow['healthy'][1]} healthy */
function addedCell({ mode }, healthy) {
  if (healthy === null) return NOT_MEASURED;
  return mode === decisions.BASELINE ? '0' : addedText(healthy.added ?? undefined);
}

/** @param {DecisionRow} row */
const machineLost = ({ trials }) => trials.find(({ fault }) => fault.id === 'machine');

/** @param {DecisionRow} row @returns {string} how long confirmed writes stop when the machine of the primary is lost */
export function stopText(row) {
  const lost = machineLost(row);
  if (lost === undefined) return NOT_MEASURED;
  const { outage, untilHealed } = lost;
  return untilHealed || !Number.isFinite(outage.medianMs)
    ? 'until it is back'
    : FORMATS.seconds(outage.medianMs / MS_A_SECOND);
}

/** @param {DecisionRow} row @returns {string} such as `25.9 s, partition with a replica`; `ALL, power loss` */
function worstText(row) {
  const emptied = decisions.emptiedIn(row.trials).map(({ title }) => title);
  if (emptied.length > 0) return [ALL, ...emptied].join(', ');
  const worst = decisions.worstOf(row.trials);
  return worst === null ? '0' : `${lostText(worst.loss)}, ${worst.fault.title}`;
}

/** @param {DecisionRow} row @param {DecisionFault} fault @returns {boolean} the mode lost everything in it, or most and never everything */
function isWorst({ trials }, fault) {
  const emptied = decisions.emptiedIn(trials);
  return emptied.length > 0 ? emptied.includes(fault) : decisions.worstOf(trials)?.fault === fault;
}

/** @param {DecisionRow} row */
function mostText({ trials }) {
  if (trials.length === 0) return NOT_MEASURED;
  const worst = decisions.worstOf(trials);
  return worst === null ? '0' : lostText(worst.loss);
}

/** @param {FaultLoss} loss that is not of everything */
export function lostText({ seconds, writes }) {
  return seconds === null ? FORMATS.count(writes) : FORMATS.seconds(seconds);
}

/** @param {YearlyLoss | undefined} year @returns {string} such as `ALL 2.2×, 48.1 s` */
export function yearText(year) {
  if (year === undefined) return NOT_MEASURED;
  const { everything, seconds } = year;
  return [
    ...(everything > 0 ? [`${ALL} ${Number(everything.toPrecision(2))}×`] : []),
    ...(seconds > 0 || everything === 0 ? [seconds === 0 ? '0' : FORMATS.seconds(seconds)] : []),
  ].join(', ');
}

/** @param {readonly DecisionRow[]} rows @returns the loss of each mode in each fault; the mode for a normal service also as advised */
export function lossCells(rows) {
  const all = rows.flatMap((row) => {
    const placed = asAdvised(row);
    return placed === null ? [row] : [row, { ...placed, title: SO_PLACED }];
  });
  return all.flatMap(({ title, trials }) =>
    trials.map(({ fault, loss }) => ({ title, fault: fault.title, text: worstCell(loss) })),
  );
}

/** @param {Result} result */
function replicasOf({ stack: { nodes } }) {
  return nodes.filter(({ kind }) => kind === 'redis').length - 1;
}
