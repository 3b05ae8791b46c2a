/**
 * What the configuration sweep adds to details.md: every mode and variant, with its cost, its losses and outages in each fault, and what it sets.
 * @import { Block, ColumnSpec, Result } from '../types.js'
 * @import { Batch, DecisionRow, FaultLoss, Survival } from './decision.js'
 */

import { duration, interval, percent, rate } from '../../src/format.js';
import { heading, list, table } from '../../src/report/blocks.js';
import { crossTable, tableOf } from '../../src/report/specs.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left } from '../../src/table.js';
import { MS_A_SECOND } from '../../src/units.js';
import { faultNamed } from '../experiments/decision-faults.js';
import { mostText } from '../pages/trials.js';
import { clientText, settingsText } from './configuration.js';
import { decisionRows, outageText, testedFaults } from './decision.js';
import { WORDS } from './words.js';

/** @param {Result} result @returns {Block[]} empty when the result has no configuration sweep */
export function sweepDetails(result) {
  const rows = decisionRows(result);
  if (rows.length === 0) return [];
  return [
    heading(2, 'The decision table'),
    tableOf(COSTS, /** @type {any} */ (rows)),
    ...faultTables(rows),
    list(WORDS.details),
    heading(3, 'What each configuration is'),
    table(
      [
        left('mode', (/** @type {DecisionRow} */ { title }) => title),
        left('set', settingsText),
        left('what the client does', clientText),
      ],
      rows,
    ),
  ];
}

/** @param {Batch} depth @returns {ColumnSpec[]} */
function costColumns(depth) {
  const text =
    (/** @type {(healthy: NonNullable<DecisionRow['healthy'][1]>) => string | null} */ cell) =>
    (/** @type {DecisionRow} */ { healthy }) =>
      (healthy[depth] && cell(healthy[depth])) ?? NOT_MEASURED;
  return [
    { title: `depth ${depth}: writes/s`, align: 'right', text: text(({ throughput }) => interval(throughput, rate)) },
    { title: 'of async', align: 'right', text: text(({ relative }) => relative && interval(relative, percent)) },
    { title: 'p99', align: 'right', text: text(({ p99Ns }) => p99Ns && duration(p99Ns.median)) },
  ];
}

/** @param {string} title @param {Survival} survival @returns {ColumnSpec} */
function frozenColumn(title, survival) {
  return {
    title,
    align: 'right',
    text: (/** @type {DecisionRow} */ { down }) => {
      const share = down[survival]?.of['confirmed-at-fault-end'];
      if (share === undefined) return NOT_MEASURED;
      const { median, low, high } = share;
      return low === high || low === null || high === null ? percent(median) : interval({ median, low, high }, percent);
    },
  };
}

/** @type {readonly ColumnSpec[]} */
const COSTS = [
  { title: 'mode', text: ({ title }) => title },
  ...costColumns(1),
  ...costColumns(100),
  frozenColumn('acked, one frozen', 'one-replica-down'),
  frozenColumn('acked, both frozen', 'both-replicas-down'),
];

/** @param {readonly DecisionRow[]} rows @returns {Block[]} losses and outages of each mode in each fault; empty: none was tested */
function faultTables(rows) {
  const across = testedFaults(rows).map((id) => faultNamed(id).title);
  if (across.length === 0) return [];
  const through = rows.filter(({ trials }) => trials.length > 0);
  const cells = through.flatMap(({ title, trials }) => trials.map((tested) => ({ title, tested })));
  const spec = {
    ...{ title: 'mode', down: through.map(({ title }) => title), across },
    downOf: (/** @type {typeof cells[number]} */ { title }) => title,
    acrossOf: (/** @type {typeof cells[number]} */ { tested }) => tested.fault.title,
  };
  return [
    heading(3, 'Lost, by fault'),
    crossTable({ ...spec, cell: ({ tested }) => lossText(tested.loss) }, cells),
    heading(3, 'Unavailable, by fault'),
    crossTable({ ...spec, cell: ({ tested }) => outageText(tested) }, cells),
  ];
}

/** @param {FaultLoss} loss @returns {string} the worst trial, such as `17,952 (18.0 s)` or `ALL 1,501`, over several trials `17,952 (18.0 s), 3/5`; `0, 0/5` */
function lossText({ losing, trials, ...loss }) {
  const { all, seconds } = loss;
  const time = seconds && !all ? ` (${milliseconds(seconds * MS_A_SECOND)})` : '';
  return `${mostText(loss)}${time}${trials > 1 ? `, ${losing}/${trials}` : ''}`;
}
