/**
 * What the configuration sweep adds to details.md: the whole decision table, its notes, each configuration, and the recommendation.
 *
 * @import { CaseResult, Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { DecisionRow } from './decision.js'
 */

import { isPromotionDue, sawFailover } from '../../src/audit/judgement.js';
import { count, plural } from '../../src/format.js';
import { chart, heading, list, table, text } from '../../src/report/blocks.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { ALL_NOTE, worstLoss } from '../../src/report/trials/losses.js';
import { isPlain } from '../../src/result/variation.js';
import { left, right } from '../../src/table.js';
import { FAULTS, faultNamed, isAvailable } from '../experiments/decision-faults.js';
import { sweepRisk } from './chart.js';
import { CLIENT_MARK, COST_COLUMNS, MODE_COLUMN, measuredCell, NOT_ACKED_MARK } from './columns.js';
import { clientText, code, settingsText } from './configuration.js';
import { BATCHES, decisionRows, HEALTHY, RESPONSE, SWEEP } from './decision.js';
import { limitsOfTheTable } from './limits.js';
import { testedFaults } from './losses.js';
import { DEFAULT_OPTIONS, recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';

/**
 * @param {Result} result
 * @returns {Block[]} empty when the result has no configuration sweep
 */
export function sweepDetails(result) {
  const rows = decisionRows(result);
  if (rows.length === 0) return [];
  const limits = limitsOfTheTable(result, rows);
  const risk = sweepRisk(result);
  return [
    heading(2, 'The decision table'),
    ...(risk ? [chart(risk)] : []),
    table(COST_COLUMNS, rows),
    ...faultTables(rows),
    list(tableNotes(result, rows)),
    heading(3, 'What each configuration is'),
    table([MODE_COLUMN, left('set', settingsText), left('what the client does', clientText)], rows),
    heading(3, 'Recommendation'),
    ...recommendationBlocks(recommend(result), `\`${DEFAULT_OPTIONS}\``),
    text(
      'Other limits: `sentinel-bench recommend` with the folder of this run and, for instance, `--max-loss 1% --max-p99 5ms`.',
    ),
    ...(limits.length === 0 ? [] : [text('What this cannot show:'), list(limits)]),
  ];
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {Block[]} losses and outages of each mode in each fault; empty: none was tested
 */
function faultTables(rows) {
  const faults = testedFaults(rows);
  if (faults.length === 0) return [];
  const through = rows.filter(({ trials }) => trials.length > 0);
  const tableOf = (/** @type {(row: TrialRow) => string} */ cell) => {
    const columns = faults.map((id) =>
      right(faultNamed(id).title, (/** @type {DecisionRow} */ { trials }) =>
        measuredCell(
          trials.find(({ fault }) => fault.id === id),
          cell,
        ),
      ),
    );
    return table([left('mode', (/** @type {DecisionRow} */ { title }) => title), ...columns], through);
  };
  return [
    heading(3, 'Lost, by fault'),
    tableOf(({ loss }) => worstLoss(loss)),
    heading(3, 'Unavailable, by fault'),
    tableOf(unavailableCell),
  ];
}

/** @param {TrialRow} row */
function unavailableCell({ outage: { medianMs, lowMs, highMs } }) {
  return lowMs === highMs
    ? milliseconds(medianMs)
    : `${milliseconds(medianMs)} (${milliseconds(lowMs)}–${milliseconds(highMs)})`;
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows at least one
 * @returns {string[]} the notes of the table; code between backticks
 */
export function tableNotes(result, rows) {
  const { benchmarks } = result;
  const healthy = benchmarks.find(({ name }) => name === HEALTHY);
  return [
    ...(healthy && healthy.cases.length > 0 ? healthyNotes(healthy.cases, rows) : []),
    ...failureNotes(result, rows),
    ...persistenceNotes(result),
    `– : not measured, too few values, or no replica was promoted.${withoutFailover(result)}`,
    ...missingNotes(result),
  ];
}

/**
 * @param {readonly CaseResult[]} cases at least one
 * @param {readonly DecisionRow[]} rows
 */
function healthyNotes(cases, rows) {
  const figures = rows.flatMap(({ healthy }) => BATCHES.flatMap((batch) => healthy[batch] ?? []));
  if (figures.length === 0) return [];
  const [{ params }] = cases;
  const rounds = range(figures.map((each) => each.rounds));
  const spread = rounds === '1' ? 'one round each: no interval' : `median of ${rounds} rounds each`;
  const notes = [
    `depth 1, depth 100: acked writes a second at that pipeline depth, by ${plural(params.connections, 'connection')} with values of ${params.payloadBytes} B; ${spread}.`,
    'of async: relative to async at the same depth, paired by round.',
    'p99: service time of a pipeline, from sending to its last answer; of all rounds together.',
  ];
  if (figures.some(({ limitedBy }) => limitedBy === 'client'))
    notes.push(`${CLIENT_MARK} the load client, not Redis, limited this figure: the mode may be faster.`);
  if (figures.some(({ notAcked }) => notAcked > 0))
    notes.push(`${NOT_ACKED_MARK} some writes were not acked as asked although all was well; they are not counted.`);
  return notes;
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function failureNotes({ benchmarks, profile }, rows) {
  const losses = rows.flatMap(({ trials }) => trials).map(({ loss }) => loss);
  const pauses = rows.flatMap(({ down }) => Object.values(down)).filter((pause) => pause !== null);
  const failures = benchmarks.filter(({ name }) => ![HEALTHY, RESPONSE].includes(name) && SWEEP.includes(name));
  const notes = [];
  const trials = range([...losses, ...pauses].map((each) => each.trials));
  const over = trials === '1' ? '' : '; the worst trial, and trials with a loss/trials';
  const all = losses.some(({ everything }) => everything) ? ` ${ALL_NOTE}.` : '';
  const rates = new Set(
    failures.flatMap(({ cases }) => cases.map(({ params }) => params.rate ?? profile.writesPerSecond)),
  );
  const [rate] = rates;
  const load = rates.size === 1 && rate !== undefined ? `, each of ${count(rate)} writes a second` : '';
  if (losses.length > 0) {
    const acked = losses.flatMap(({ each }) => each.map((trial) => trial.acked));
    notes.push(
      `lost: acknowledged writes that are not on the primary after healing, of the writer that lost more (a sticky and a failover-aware one${load}); ${range(acked)} were acknowledged in a trial${over}.${all} Losses grow with the write rate and with the time in which two primaries take writes.`,
      `unavailable: longest time without an acknowledgement after the fault began, of the writer that waited longer${trials === '1' ? '' : '; median of the trials'}.${downAfterText(failures)} Acknowledgements count here even if the write was lost later.`,
    );
  }
  if (pauses.length > 0) {
    const shortest = Math.min(...pauses.map(({ lengthMs }) => lengthMs));
    notes.push(
      `one frozen, both frozen: share of the writes acked in the last 2 s of a freeze of ${milliseconds(shortest)} or longer, of the share that could be sent before it, and the most frequent other answer: refused (not applied) or short (applied, WAIT count too low)${trials === '1' ? '' : '; median of the trials, and their range'}.`,
    );
  }
  if (trials !== '')
    notes.push(
      trials === '1'
        ? 'Failures: one trial each, so no interval; a difference may be chance.'
        : `Failures: ${trials} trials each.`,
    );
  return notes;
}

/** @param {Result['benchmarks']} failures */
function downAfterText(failures) {
  const plain = failures.flatMap(({ cases }) => cases.filter(({ params }) => isPlain(params)));
  const [only, ...others] = new Set(plain.flatMap(({ params }) => params.downAfterMs ?? []));
  if (only === undefined || others.length > 0) return '';
  return ` The Sentinels’ down-after is ${milliseconds(only)} unless a row says otherwise.`;
}

/**
 * @param {Result} result
 * @returns {string[]} persistence of the modes that do not set it
 */
function persistenceNotes({ stack: { config } }) {
  const nodes = Object.values(config);
  const settingTexts = ['appendonly', 'save'].flatMap((name) => {
    const values = new Set(nodes.flatMap((settings) => settings[name] ?? []));
    return values.size === 0
      ? []
      : [...values].map((value) => code(`${name} ${value === '' ? '""' : value}`)).join(' or ');
  });
  return settingTexts.length === 0 ? [] : [`Unless a mode sets them, the nodes ran with ${settingTexts.join(', ')}.`];
}

/**
 * @param {Result} result
 * @returns {string} a sentence after a space; empty: each trial had a failover
 */
function withoutFailover({ benchmarks }) {
  const trials = benchmarks
    .filter(({ name }) => FAULTS.some(({ benchmark, promotes }) => promotes && benchmark === name))
    .flatMap(({ timeline = [] }) => timeline)
    .filter((trial) => !sawFailover(trial) && isPromotionDue(trial)).length;
  return trials === 0 ? '' : ` ${plural(trials, 'trial')} without a promotion ${trials === 1 ? 'is' : 'are'} left out.`;
}

/** @param {Result} result */
function missingNotes({ benchmarks, stack: { server } }) {
  const missing = SWEEP.flatMap((name) => {
    const found = benchmarks.find((benchmark) => benchmark.name === name);
    const fault = FAULTS.find(({ benchmark }) => benchmark === name);
    // The recommendation says that the server does not have it.
    if (found?.status === 'ok' || (fault && !isAvailable(fault.id, server))) return [];
    const why = found ? `${found.status}${found.reason ? `: ${found.reason.replace(/\.$/, '')}` : ''}` : 'not run';
    return `${name} (${why})`;
  });
  return missing.length === 0 ? [] : [`Not measured, or only in part: ${missing.join('; ')}.`];
}

/**
 * @param {readonly number[]} values
 * @returns {string} such as `5` or `3–5`; empty for no values
 */
function range(values) {
  if (values.length === 0) return '';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? count(low) : `${count(low)}–${count(high)}`;
}
