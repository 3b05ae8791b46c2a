/**
 * The rows of the decision: what each durability mode costs while all is well, what it lost in each fault, and what happens while nodes are away. A
 * query on facts; pages and `recommend` read it.
 * @import { CaseFigures, CaseParams, Fact, IntervalValue, Result } from '../types.js'
 * @import { DecisionFault, FaultId } from '../experiments/decision-faults.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { failoversOf } from '../../src/report/trials/timeline.js';
import { variationName } from '../../src/result/variation.js';
import { knownMedian } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { COLOCATED } from '../experiments/placement.js';
import { suiteTerms } from '../facts.js';
import { modeTitle, withNote } from '../modes.js';
import { lossOf, worstOfEach } from '../pages/trials.js';

/**
 * @typedef {1 | 100} Batch pipeline depth
 * @typedef {keyof typeof PAUSING} Survival
 * @typedef {NonNullable<ReturnType<typeof healthyAt>>} Healthy one connection, in a closed loop
 * @typedef {ReturnType<typeof faultRowOf>} FaultRow of a mode in a fault: of each trial the native writer that fared worst, of several lengths the worst one
 * @typedef {FaultRow['loss']} FaultLoss
 * @typedef {ReturnType<typeof rowOf>} DecisionRow one configuration. null: not measured; note: what differs from the mode itself, such as `sequential`;
 *   params: of one of its cases; healthy: by pipeline depth; crowd: at depth 1 with many connections; trials: one for each fault that it was tested in, in
 *   their order; beside: likewise, with one Sentinel beside each node; down: at the end of a freeze of replicas
 */

const HEALTHY = 'sweep-healthy';
export const PAUSING = Object.freeze({
  'one-replica-down': 'sweep-one-replica-paused',
  'both-replicas-down': 'sweep-both-replicas-paused',
});
/** As the table of modes in the suite `main` has. */
export const MANY_CONNECTIONS = 50;
export const BASELINE = 'async';
const DOWN_AFTER = 'down-after';
const ITSELF = Object.freeze({ median: 1, low: 1, high: 1 });

/** @param {Result} result @returns async first, then the cheapest at depth 1; rows without a throughput last, in the order of the cases */
export function decisionRows(result) {
  const rows = rowsOf(withFailovers(result), suiteTerms).filter(({ mode }) => mode !== '');
  const faults = FAULTS.flatMap((fault) =>
    where(rows, { writer: NATIVE, experiment: fault.benchmark })
      .filter((row) => Number(figure(row, 'acked', 'total')) > 0)
      .map((row) => ({ fault, row })),
  );
  const measured = where(rows, { experiment: [HEALTHY, ...Object.values(PAUSING)] });
  const ids = new Set([...measured, ...faults.map(({ row }) => row)].map(configurationOf));
  const found = [...ids].map((id) => {
    const mine = (/** @type {CaseFigures} */ row) => configurationOf(row) === id;
    return rowOf(
      id,
      measured.filter(mine),
      faults.filter(({ row }) => mine(row)),
    );
  });
  const isBaseline = (/** @type {DecisionRow} */ { id }) => Number(id === BASELINE);
  return found.sort((a, b) => isBaseline(b) - isBaseline(a) || cheaperFirst(1)(a, b));
}

/** @param {Result} result @returns {Result} without the trials in which a promotion was due and did not happen: they show nothing */
function withFailovers(result) {
  const promoting = FAULTS.filter(({ promotes }) => promotes).map(({ benchmark }) => benchmark);
  const benchmarks = result.benchmarks.map((each) => (promoting.includes(each.name) ? failoversOf(each) : each));
  return { ...result, benchmarks };
}

/** By throughput relative to async, as a slow minute hits both rounds of a pair; rows without one last. @param {Batch} batch @returns {(a: DecisionRow, b: DecisionRow) => number} */
export function cheaperFirst(batch) {
  const ratio = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.relative?.median ?? -1;
  const throughput = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.throughput.median ?? -1;
  return (a, b) => ratio(b) - ratio(a) || throughput(b) - throughput(a);
}

/** @param {DecisionRow} row of a mode itself that went through a fault */
export function isTested({ note, trials }) {
  return note === null && trials.length > 0;
}

/** @param {Pick<DecisionRow, 'trials'>} row @param {FaultId} fault @returns {FaultLoss | null} null: the mode was not tested in it */
export function lossIn({ trials }, fault) {
  return trials.find((row) => row.fault.id === fault)?.loss ?? null;
}

/** @param {readonly DecisionRow[]} rows @returns {FaultId[]} faults that at least one of the modes was tested in */
export function testedFaults(rows) {
  return FAULTS.map(({ id }) => id).filter((id) => rows.some((row) => lossIn(row, id) !== null));
}

/** They need two nodes on the side of a minority of the Sentinels, which is impossible with one Sentinel beside each of three nodes. @type {readonly FaultId[]} */
const NEED_APART = ['one-way', 'flapping'];

/** @param {DecisionRow} row @returns {DecisionRow | null} with the faults that were tried so, without those that cannot happen then; null: not tried */
export function withSentinelsBeside(row) {
  if (row.beside.length === 0) return null;
  const tried = row.beside.map(({ fault }) => fault.id);
  const others = row.trials.filter(({ fault: { id } }) => !tried.includes(id) && !NEED_APART.includes(id));
  return { ...row, trials: [...row.beside, ...others] };
}

/** @param {CaseFigures} row @returns {string} id of the configuration */
function configurationOf(row) {
  return [row.mode, noteOf(row)].filter((part) => part !== null).join(', ');
}

/** @param {CaseFigures} row @returns {string | null} what differs from the mode itself; null: nothing */
function noteOf({ experiment, params }) {
  const { waitMode, wait, waitLocal, setting, way, downAfterMs } = params;
  const variation = variationName({ setting, way });
  if (variation !== '')
    return setting?.startsWith(DOWN_AFTER) && downAfterMs !== undefined
      ? `${DOWN_AFTER} ${downAfterMs / 1000} s`
      : variation;
  const waits = wait > 0 || waitLocal !== undefined;
  return waits && waitMode === 'sequential' && experiment === HEALTHY ? 'sequential' : null;
}

/** @param {string} id @param {readonly CaseFigures[]} measured rounds, freezes @param {readonly {fault: DecisionFault, row: CaseFigures}[]} tested */
function rowOf(id, measured, tested) {
  const [first] = [...measured, ...tested.map(({ row }) => row)];
  const { params, mode } = first;
  const note = id === mode ? null : noteOf(first);
  // A placement that the user asked for is that of every case, and of the faults.
  const asked = tested.every(({ row }) => row.placement === COLOCATED);
  const isBeside = (/** @type {CaseFigures} */ row) => !asked && row.placement === COLOCATED;
  const [apart, beside] = [false, true].map((wanted) =>
    worstLengths(tested.filter(({ row }) => isBeside(row) === wanted).map(faultRowOf)),
  );
  const frozen = (/** @type {Survival} */ survival) =>
    where(measured, { experiment: PAUSING[survival], writer: NATIVE }).find(
      ({ of }) => of['confirmed-at-fault-end'] !== undefined,
    ) ?? null;
  return {
    id,
    title: note === null ? modeTitle(params) : withNote(modeTitle(params), note),
    mode,
    note,
    params,
    healthy: { 1: healthyAt(1, measured, id), 100: healthyAt(100, measured, id) },
    crowd: healthyAt(
      1,
      measured.filter(({ params }) => params.connections === MANY_CONNECTIONS),
      id,
    ),
    trials: apart,
    beside,
    down: { 'one-replica-down': frozen('one-replica-down'), 'both-replicas-down': frozen('both-replicas-down') },
  };
}

/** Null: not measured, or too few values. @param {Batch} batch @param {readonly CaseFigures[]} measured @param {string} id of the row */
function healthyAt(batch, measured, id) {
  // The fewest connections: more of them hide how long each waits.
  const [one] = where(measured, { experiment: HEALTHY })
    .filter(({ params, of }) => params.pipeline === batch && of.throughput !== undefined)
    .sort((a, b) => a.params.connections - b.params.connections);
  if (!one) return null;
  const { throughput, 'throughput-ratio': ratio, 'added-time': added, 'p99-service-time-all': p99 } = one.of;
  return {
    throughput: intervalOf(throughput),
    relative: ratio ? intervalOf(ratio) : id === BASELINE ? ITSELF : null,
    added: added ?? null,
    p99Ns: p99 ? intervalOf(p99, (ms) => Math.round(ms * NS_A_MS)) : null,
  };
}

/** @param {Fact} fact @param {(value: number) => number} [inUnit] @returns {IntervalValue} */
function intervalOf({ median: middle, low, high }, inUnit = (value) => value) {
  return { median: inUnit(middle), low: inUnit(low ?? middle), high: inUnit(high ?? middle) };
}

/** @param {FaultRow} row @returns {string} the median of the trials and their range, such as `150 ms (100 ms–200 ms)` */
export function outageText({ outage: { medianMs, lowMs, highMs } }) {
  const range = lowMs === highMs ? '' : ` (${milliseconds(lowMs)}–${milliseconds(highMs)})`;
  return `${milliseconds(medianMs)}${range}`;
}

/** @param {{fault: DecisionFault, row: CaseFigures}} tested outage: Infinity: to the end; untilHealed: it ended with the fault, in most trials */
function faultRowOf({ fault, row }) {
  const { median: middle, low, high } = row.of.outage;
  const healed = figure(row, 'outage-until-healed', 'total') ?? 0;
  // Removes the rounding error of the conversion.
  const inMs = (/** @type {number | null} */ seconds) => Number((Number(seconds) * MS_A_SECOND).toPrecision(12));
  return {
    fault,
    loss: { ...lossOf([row]), share: figure(row, 'lost-share', 'worst') ?? 0, usualSeconds: usualSeconds(row) },
    outage: { medianMs: inMs(middle), lowMs: inMs(low), highMs: inMs(high) },
    untilHealed: healed > Number(figure(row, 'outage', 'n')) / 2,
    downAfterMs: row.params.downAfterMs ?? null,
  };
}

/** @param {CaseFigures} row @returns {number} lost in the median of the trials with a loss; 0: its rate is unknown */
function usualSeconds({ of }) {
  const lost = of['lost-writes']?.values ?? [];
  const losing = (of['lost-seconds']?.values ?? []).filter((_, i) => lost[i] > 0);
  return knownMedian(losing) ?? 0;
}

/** @param {readonly FaultRow[]} rows of one mode @returns {FaultRow[]} of each fault the length with the largest loss, of these the longest outage */
const worstLengths = (rows) => worstOfEach(rows, ({ fault }) => fault.id, worseFirst);

/** @param {FaultRow} a @param {FaultRow} b */
function worseFirst(a, b) {
  const all = Number(b.loss.all) - Number(a.loss.all);
  return all || b.loss.writes - a.loss.writes || b.outage.medianMs - a.outage.medianMs || 0;
}

/** @param {readonly FaultRow[]} rows of a mode @returns {FaultRow | null} with the largest loss, beside those of everything; null: no such loss */
export function worstOf(rows) {
  const losing = rows.filter(({ loss }) => loss.writes > 0 && !loss.all);
  return losing.length === 0
    ? null
    : losing.reduce((worst, row) => (row.loss.writes > worst.loss.writes ? row : worst));
}

/** @param {readonly FaultRow[]} rows of a mode @returns {DecisionFault[]} in which it lost everything that was written before */
export function emptiedIn(rows) {
  return rows.flatMap(({ fault, loss }) => (loss.all ? [fault] : []));
}

/** A mode that never loses everything first, then the smaller loss. @param {Pick<DecisionRow, 'trials'>} a @param {Pick<DecisionRow, 'trials'>} b */
export function saferFirst(a, b) {
  const emptied = (/** @type {typeof a} */ { trials }) => Number(emptiedIn(trials).length > 0);
  const most = (/** @type {typeof a} */ { trials }) => worstOf(trials)?.loss.writes ?? 0;
  return emptied(a) - emptied(b) || most(a) - most(b);
}
