/**
 * What the configuration sweep cannot show.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { DecisionRow } from './decision.js'
 */

import { faultOf, sawFailover } from '../../src/audit/judgement.js';
import { plural } from '../../src/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { placementText } from '../experiments/placement.js';
import { USUAL_REPLICAS } from '../modes.js';
import { BETWEEN_RUNS } from '../pages/published.js';
import { BATCHES } from './decision.js';
import { blindFaults, testedFaults } from './losses.js';

/** Faults that take the primary away for a while. */
const TAKING_AWAY = FAULTS.filter(
  ({ promotes, trial: { needs } }) => promotes && !needs.includes('failover') && !needs.includes('group-partition'),
);

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} sentences, with code between backticks
 */
export function limitsOfTheTable(result, rows) {
  return [...costLimits(result, rows), ...awayLimits(result), ...downAfterLimits(result), ...riskLimits(result, rows)];
}

/**
 * How long a fault lasted matters to the tables of details.md.
 *
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} sentences, with code between backticks
 */
export function limitsOfThePage(result, rows) {
  return [placementText(result), ...downAfterLimits(result), ...costLimits(result, rows), ...riskLimits(result, rows)];
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} sentences: losses that the run cannot rule out
 */
export function riskLimits(result, rows) {
  return [...blindLimits(rows), ...lossLimits(result, rows)];
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function costLimits({ stack, environment }, rows) {
  const figures = rows.flatMap(({ healthy }) => BATCHES.flatMap((batch) => healthy[batch] ?? []));
  if (figures.length === 0) return [];
  const busy = figures.filter(({ limitedBy }) => limitedBy === 'machine').length;
  const shared =
    busy === 0 || stack.backend === 'external'
      ? ''
      : ` The CPUs limited ${busy} of ${plural(figures.length, 'throughput')}: nodes and load share ${plural(environment.cores, 'core')}.`;
  const synced = rows.some(({ params }) => params.settings?.appendfsync === 'always');
  return [
    `Costs are those of this stack: WAIT waits for a round trip between nodes${synced ? ', `appendfsync always` for the disk of this machine' : ''}.${shared} ${BETWEEN_RUNS}.`,
  ];
}

/** @param {Result} result */
function awayLimits({ benchmarks }) {
  const lengths = benchmarks
    .filter(({ name }) => TAKING_AWAY.some(({ benchmark }) => benchmark === name))
    .flatMap(({ timeline = [] }) => timeline.filter(sawFailover))
    .flatMap((trial) => faultOf(trial) ?? [])
    .map(({ from, to }) => to - from)
    .filter(Number.isFinite);
  if (lengths.length === 0) return [];
  const [low, high] = [Math.min(...lengths), Math.max(...lengths)].map(milliseconds);
  return [
    `The failed primary was away for ${low === high ? low : `${low} to ${high}`}. Modes with too few replicas left, and sticky clients (they keep a connection until an error), were unavailable until it followed the new primary and was in sync.`,
    'An old primary that is back accepts writes until the Sentinels demote it, about ten seconds later. These writes are lost, too.',
  ];
}

/**
 * @param {Result} result
 * @returns {string[]} one sentence if some faults were tested with a longer down-after; the longer ones of a mode's variants do not count
 */
function downAfterLimits({ benchmarks }) {
  const delayOf = (/** @type {string} */ name) =>
    Math.min(
      ...(benchmarks.find((each) => each.name === name)?.cases ?? []).flatMap(({ params }) => params.downAfterMs ?? []),
    );
  const delays = FAULTS.map(({ title, benchmark }) => ({ title, ms: delayOf(benchmark) })).filter(({ ms }) =>
    Number.isFinite(ms),
  );
  const least = Math.min(...delays.map(({ ms }) => ms));
  const patient = delays.filter(({ ms }) => ms > least);
  if (patient.length === 0) return [];
  return [
    `Down-after was ${milliseconds(least)}, but ${milliseconds(patient[0].ms)} in ${patient.map(({ title }) => title).join(', ')}: there the primary must be back before a failover.`,
  ];
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} faults that show nothing here
 */
function blindLimits(rows) {
  const blind = blindFaults(rows).map(({ title, blind: why }) => `${title} (${why})`);
  return blind.length > 0
    ? [`These faults lost nothing in any mode, so they do not rank the modes: ${blind.join('; ')}.`]
    : [];
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function lossLimits({ stack }, rows) {
  const nothing = (/** @type {DecisionRow} */ row) => row.trials.some(({ loss }) => loss.lost === 0);
  if (!rows.some(nothing)) return [];
  const notes = [];
  const replicas = stack.nodes.filter(({ kind }) => kind === 'redis').length - 1;
  const isGroupTested = testedFaults(rows).includes('partition-with-replica');
  if (!isGroupTested && rows.some((row) => row.params.wait > 0 && row.params.wait < replicas && nothing(row)))
    notes.push(
      'No fault here hits two nodes. A write that only one replica confirmed is lost when a partition takes that replica along: see `sentinel-bench run partition-with-replica` and `search`.',
    );
  const few = rows.filter(
    ({ note, params: { wait }, trials }) =>
      note === null && wait > 0 && wait < replicas && trials.length > 0 && trials.every(({ loss }) => loss.lost === 0),
  );
  if (replicas > USUAL_REPLICAS && few.length > 0)
    notes.push(
      `This stack has ${replicas} replicas. ${few.map(({ title }) => title).join(', ')} lost nothing here, but a partition can take every replica that confirmed a write along with the primary: see \`sentinel-bench run topology\`. Only a WAIT for all ${replicas} rules that out.`,
    );
  return notes;
}
