/**
 * What docs/choose.md and README show: the modes to choose from, what each loses and costs, from the facts of published runs.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Fact } from '../../src/facts/fact.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { DecisionFault } from '../experiments/decision-faults.js'
 * @import { ModeName } from '../modes.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { ALL } from '../../src/format.js';
import { addedText } from '../../src/report/costs.js';
import { crossTable, FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { COLOCATED, SO_PLACED } from '../experiments/placement.js';
import { suiteTerms } from '../facts.js';
import { CHOSEN_MODES, MODES, modeTitle, WHOLE_MODES } from '../modes.js';
import { lossOf, worstCell } from '../pages/trials.js';

/** On loopback, and with the nodes apart. */
const COSTS_OF = ['durable-modes', 'distance'];
/** Distance of the nodes at which a cost is measured beside loopback, in ms. */
const APART_MS = 1;
/** It asks for one Sentinel beside each node. */
const [NORMAL] = WHOLE_MODES;

/**
 * @typedef {Object} Samples published runs
 * @property {Result} sweep losses, and what happens while a replica is away
 * @property {Result} main costs
 *
 * @typedef {Object} ModeChoice
 * @property {ModeName} mode
 * @property {string} title
 * @property {Losses} apart with Sentinels apart from the nodes
 * @property {Losses} beside with one Sentinel beside each node
 * @property {Fact | undefined} added milliseconds that a write waits longer, loopback
 * @property {Fact | undefined} addedApart the same, nodes 1 ms apart
 * @property {number | null} stopped seconds without a confirmed write when the machine of the primary is lost; Infinity: until it is back
 * @property {CaseFigures | undefined} away while one replica is frozen, at the end of that time
 * @property {string[]} breaks faults in which it lost a confirmed write, the worst first
 *
 * @typedef {Object} Losses over all faults
 * @property {{seconds: number, fault: string} | null} worst without losses of everything; null: none was lost
 * @property {string[]} emptied faults in which everything was lost
 * @property {number} yearly seconds of confirmed writes that a year is expected to take, without losses of everything
 * @property {number} yearlyAll how often a year is expected to take everything
 * @property {{fault: DecisionFault, row: CaseFigures}[]} found the worst length of each fault
 * @property {number} faults tried
 * @property {number} trials the fewest in a fault
 */

/** @param {Samples} samples @returns {TemplateData & {choices: ModeChoice[]}} */
export function chooseData({ sweep, main }) {
  const [losses, costs] = [sweep, main].map((result) => rowsOf(result, suiteTerms));
  const choices = CHOSEN_MODES.map((mode) => choiceOf(mode, { losses, costs })).filter(({ apart }) => apart.faults > 0);
  return {
    choices,
    byMode: Object.fromEntries(choices.map((choice) => [choice.mode, choice])),
    server: `${sweep.stack.server.name} ${sweep.stack.server.version}`,
    frequencies: FAULTS.filter(
      ({ perYear, benchmark }) => perYear > 0 && losses.some(({ experiment }) => experiment === benchmark),
    ).map(({ title, perYear }) => ({ title, perYear })),
    tables: {
      faults: faultTable(choices),
      choices: tableOf([...LOSSES.slice(0, 3), ...COSTS.slice(1, 4)], /** @type {any} */ (choices)),
      losses: tableOf(LOSSES, /** @type {any} */ (choices)),
      costs: tableOf(COSTS, /** @type {any} */ (choices)),
    },
  };
}

/**
 * @param {readonly ModeChoice[]} choices
 * @returns {TableBlock} what each mode lost in each fault, Sentinels apart from the nodes; the mode that asks for it also with one beside each node
 */
function faultTable(choices) {
  const rows = choices.flatMap(({ mode, title, apart, beside }) => [
    ...apart.found.map((each) => ({ column: title, ...each })),
    ...(mode === NORMAL ? beside.found.map((each) => ({ column: SO_PLACED, ...each })) : []),
  ]);
  return crossTable(
    {
      title: 'fault',
      down: FAULTS.map(({ title }) => title).filter((title) => rows.some(({ fault }) => fault.title === title)),
      across: choices.flatMap(({ mode, title }) => [title, ...(mode === NORMAL ? [SO_PLACED] : [])]),
      downOf: ({ fault }) => fault.title,
      acrossOf: ({ column }) => column,
      cell: ({ row }) => worstCell(lossOf([row])),
    },
    rows,
  );
}

/** @param {ModeName} mode @param {{losses: CaseFigures[], costs: CaseFigures[]}} rows @returns {ModeChoice} */
function choiceOf(mode, { losses, costs }) {
  const own = where(losses, { mode, writer: NATIVE });
  const beside = faultsOf(where(own, { placement: COLOCATED }));
  const apart = faultsOf(own.filter(({ placement }) => placement !== COLOCATED));
  // Where the placement of Sentinels does not matter, a fault was tried with one.
  const others = apart.filter(({ fault }) => !beside.some((each) => each.fault.id === fault.id));
  const cost = costs.filter(
    ({ experiment, params }) =>
      COSTS_OF.includes(experiment) && params.mode === mode && params.connections === 1 && params.pipeline === 1,
  );
  const [lost] = where(own, { experiment: 'sweep-machine-lost' });
  return {
    mode,
    title: MODES[mode].title ?? modeTitle(MODES[mode]),
    apart: lossesOf(apart),
    beside: lossesOf(beside.length > 0 ? [...beside, ...others] : []),
    added: cost.find(({ params }) => !params.linkLatencyMs)?.of['added-time'],
    addedApart: cost.find(({ params }) => params.linkLatencyMs === APART_MS)?.of['added-time'],
    stopped: lost === undefined ? null : stoppedIn(lost),
    away: where(own, { experiment: 'sweep-one-replica-paused' })[0],
    breaks: faultsOf(own)
      .filter(({ row }) => figure(row, 'lost-writes', 'trialsWithLoss'))
      .map(({ fault }) => fault.title),
  };
}

/** @param {CaseFigures} row @returns {number | null} seconds without a confirmed write; Infinity: until the trial ended the fault */
const stoppedIn = (row) => (figure(row, 'outage-until-healed') ? Infinity : figure(row, 'outage'));

/**
 * @param {readonly {fault: DecisionFault, row: CaseFigures}[]} given of one mode
 * @returns {Losses}
 */
function lossesOf(given) {
  const faults = given.toSorted((a, b) => worstFirst(a.row, b.row));
  const emptied = faults.filter(({ row }) => isEmptied(row));
  const others = faults.filter(({ row }) => !isEmptied(row));
  const [worst] = others;
  return {
    worst: worst && secondsIn(worst.row) > 0 ? { seconds: secondsIn(worst.row), fault: worst.fault.title } : null,
    emptied: emptied.map(({ fault }) => fault.title),
    yearly: sum(others.map(({ fault, row }) => fault.perYear * meanOf(row, 'lost-seconds'))),
    yearlyAll: sum(emptied.map(({ fault, row }) => fault.perYear * meanOf(row, 'total-loss'))),
    found: faults,
    faults: faults.length,
    trials: Math.min(...faults.map(({ row }) => figure(row, 'lost-writes', 'n') ?? 0)),
  };
}

/**
 * @param {readonly CaseFigures[]} rows of one mode
 * @returns {{fault: DecisionFault, row: CaseFigures}[]} the worst length of each fault, the worst fault first
 */
function faultsOf(rows) {
  const found = FAULTS.flatMap((fault) => {
    const [worst] = rows
      .filter(
        ({ experiment, way }) =>
          experiment === fault.benchmark ||
          (experiment === fault.scenario.benchmark && way === (fault.scenario.way ?? '')),
      )
      .sort(worstFirst);
    return worst === undefined ? [] : [{ fault, row: worst }];
  });
  return found.sort((a, b) => worstFirst(a.row, b.row));
}

/** @param {CaseFigures} a @param {CaseFigures} b */
const worstFirst = (a, b) => Number(isEmptied(b)) - Number(isEmptied(a)) || secondsIn(b) - secondsIn(a);
/** @param {CaseFigures} row */
const secondsIn = (row) => figure(row, 'lost-seconds', 'worst') ?? 0;
/** @param {CaseFigures} row */
const isEmptied = (row) => figure(row, 'total-loss', 'worst') === 1;

/**
 * @param {CaseFigures} row
 * @param {string} metric
 * @returns {number} over its trials; those without a loss count as 0
 */
function meanOf(row, metric) {
  const values = row.of[metric]?.values ?? [];
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** @param {Losses} losses @returns {string} such as `ALL (fast restart); 25.7 s (partition with a replica)` */
function worstText({ worst, emptied, faults }) {
  if (faults === 0) return NOT_MEASURED;
  const parts = [
    ...(emptied.length > 0 ? [`${ALL} (${emptied.join(', ')})`] : []),
    ...(worst ? [`${FORMATS.seconds(worst.seconds)} (${worst.fault})`] : []),
  ];
  return parts.join('; ') || '0';
}

/** @param {Losses} losses @returns {string} such as `ALL twice; 13.2 s` */
function yearlyText({ yearly, yearlyAll, faults }) {
  if (faults === 0) return NOT_MEASURED;
  const seconds = yearly > 0 ? FORMATS.seconds(yearly) : '0';
  return yearlyAll > 0 ? `${ALL} ${FORMATS.times(yearlyAll)}; ${seconds}` : seconds;
}

/** @param {string} title @param {(choice: ModeChoice) => string} text @returns {ColumnSpec} */
const right = (title, text) => ({ title, text, align: 'right' });

/** @type {readonly ColumnSpec[]} */
const LOSSES = [
  { title: 'mode', text: ({ title }) => title },
  { title: 'most lost, Sentinels apart', text: ({ apart }) => worstText(apart) },
  { title: 'most lost, a Sentinel beside each node', text: ({ beside }) => worstText(beside) },
  right('a year, apart', ({ apart }) => yearlyText(apart)),
  right('a year, beside', ({ beside }) => yearlyText(beside)),
];

/** @type {readonly ColumnSpec[]} */
const COSTS = [
  { title: 'mode', text: ({ title }) => title },
  right('added to a write', ({ added }) => addedText(added)),
  right('nodes 1 ms apart', ({ addedApart }) => addedText(addedApart)),
  right('primary lost: writes stop', ({ stopped }) =>
    stopped === Infinity ? 'until it is back' : FORMATS.seconds(stopped),
  ),
  right('replica away: confirmed', ({ away }) => shareText(away, 'confirmed-at-fault-end')),
  right('refused', ({ away }) => shareText(away, 'refused-at-fault-end')),
  right('never sent', ({ away }) => shareText(away, 'unsent-at-fault-end')),
  right('p99', ({ away }) => FORMATS.ms(away ? figure(away, 'p99-at-fault-end') : null)),
];

/** @param {CaseFigures | undefined} row @param {string} metric */
const shareText = (row, metric) => FORMATS.percent(row ? figure(row, metric) : null);
