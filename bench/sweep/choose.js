/**
 * What docs/choose.md and README show: the modes to choose from, what each loses and costs, from published runs.
 * @import { ColumnSpec, Result, TemplateData } from '../types.js'
 * @import { DecidingRow } from './page.js'
 */
import { rowsOf } from '../../src/facts/query.js';
import { ALL } from '../../src/format.js';
import { addedText } from '../../src/report/costs.js';
import { crossTable, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { CHOICES } from '../choices.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { suiteTerms } from '../facts.js';
import { CHOSEN_MODES } from '../modes.js';
import { AWAY, SITUATION } from '../pages/choices.js';
import { modeRows } from '../pages/mode-rows.js';
import { decisionRows, emptiedIn, isTested, testedFaults, worstOf } from './decision.js';
import { decidingRows, lossCells, lostText, stopText, yearText } from './page.js';

/**
 * @typedef {Object} Samples published runs
 * @property {Result} sweep losses, and what happens while a replica is away
 * @property {Result} main costs
 */

/** @param {Samples} samples @returns {TemplateData} */
export function chooseData({ sweep, main }) {
  const tested = decisionRows(sweep).filter(isTested);
  const rows = CHOSEN_MODES.flatMap((mode) => tested.find((row) => row.mode === mode) ?? []);
  const costs = modeRows(rowsOf(main, suiteTerms));
  const choices = decidingRows(rows).map((each) => ({
    ...each,
    ...CHOICES.find(({ modes }) => modes.includes(each.row.mode)),
    cost: costs.find(({ mode }) => mode === each.row.mode),
  }));
  const faults = testedFaults(rows);
  const cells = lossCells(rows);
  return {
    byMode: Object.fromEntries(rows.map(({ mode, trials }) => [mode, summaryOf(trials)])),
    server: `${sweep.stack.server.name} ${sweep.stack.server.version}`,
    frequencies: FAULTS.filter(({ id, perYear }) => perYear > 0 && faults.includes(id)),
    tables: {
      faults: crossTable(
        {
          title: 'fault',
          down: FAULTS.filter(({ id }) => faults.includes(id)).map(({ title }) => title),
          across: [...new Set(cells.map(({ title }) => title))],
          downOf: ({ fault }) => fault,
          acrossOf: ({ title }) => title,
          cell: ({ text }) => text,
        },
        cells,
      ),
      choices: tableOf([SITUATION, ...LOSSES.slice(0, 3), ...COSTS.slice(1, 3), ...AWAY, COSTS[3]], choices),
      losses: tableOf(LOSSES, choices),
      costs: tableOf(COSTS, choices),
    },
  };
}

/** @param {DecidingRow['row']['trials']} trials of one mode */
function summaryOf(trials) {
  return {
    faults: trials.length,
    trials: Math.min(...trials.map(({ loss }) => loss.trials)),
    breaks: trials.flatMap(({ fault, loss }) => (loss.losing > 0 ? [fault.title] : [])),
  };
}

/** @param {DecidingRow['beside']} row @returns {string} such as `ALL (fast restart); 25.7 s (partition with a replica)` */
function worstText(row) {
  if (row === null) return NOT_MEASURED;
  const emptied = emptiedIn(row.trials).map(({ title }) => title);
  const worst = worstOf(row.trials);
  const parts = [
    ...(emptied.length > 0 ? [`${ALL} (${emptied.join(', ')})`] : []),
    ...(worst ? [`${lostText(worst.loss)} (${worst.fault.title})`] : []),
  ];
  return parts.join('; ') || '0';
}

/** @type {readonly ColumnSpec[]} */
const LOSSES = [
  { title: 'mode', text: ({ row }) => row.title },
  { title: 'most lost, Sentinels apart', text: ({ row }) => worstText(row) },
  { title: 'most lost, a Sentinel beside each node', text: ({ beside }) => worstText(beside) },
  figures('a year, apart', ({ year }) => yearText(year)),
  figures('a year, beside', ({ yearBeside }) => yearText(yearBeside)),
];

/** @type {readonly ColumnSpec[]} */
const COSTS = [
  { title: 'mode', text: ({ row }) => row.title },
  figures('added, one machine', ({ cost }) => addedText(cost?.here?.of['added-time'])),
  figures('added, nodes 1 ms apart', ({ cost }) => addedText(cost?.apart?.of['added-time'])),
  figures('primary lost: writes stop', ({ row }) => stopText(row)),
  { title: 'replica away: confirmed', metric: 'confirmed-at-fault-end', format: 'percent' },
  { title: 'refused', metric: 'refused-at-fault-end', format: 'percent' },
  { title: 'never sent', metric: 'unsent-at-fault-end', format: 'percent' },
  { title: 'p99', metric: 'p99-at-fault-end', format: 'ms' },
];
