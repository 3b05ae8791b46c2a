/**
 * The rows of the decision: what each durability mode costs while all is well, what it lost in each fault, and what happens while nodes are away. A
 * query on facts; pages and `recommend` read it.
 *
 * @import { Fact } from '../../src/facts/fact.js'
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Loss } from '../../src/audit/losses.js'
 * @import { CaseParams, IntervalValue, Result } from '../../src/result/schema.js'
 * @import { DecisionFault, FaultId } from '../experiments/decision-faults.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { failoversOf } from '../../src/report/trials/timeline.js';
import { variationName } from '../../src/result/variation.js';
import { median, sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { COLOCATED } from '../experiments/placement.js';
import { suiteTerms } from '../facts.js';
import { modeTitle, withNote } from '../modes.js';

/**
 * @typedef {1 | 100} Batch pipeline depth
 * @typedef {'one-replica-down' | 'both-replicas-down'} Survival
 *
 * @typedef {Object} Healthy one connection, in a closed loop
 * @property {IntervalValue} throughput acked writes a second
 * @property {IntervalValue | null} relative to async at the same depth, 1 for async itself; null: there is no ratio
 * @property {Fact | null} added milliseconds that the mode adds to a write or a pipeline; null: async itself, or there is no ratio
 * @property {IntervalValue | null} p99Ns of all rounds together; null: too few values lie beyond it
 *
 * @typedef {Object} FaultRow of a mode in a fault: of each trial the native writer that fared worst, of several lengths the worst one
 * @property {DecisionFault} fault
 * @property {Loss} loss
 * @property {{medianMs: number, lowMs: number, highMs: number}} outage Infinity: to the end
 * @property {boolean} untilHealed the outage ended when the harness ended the fault, in most trials
 *
 * @typedef {Object} DecisionRow one configuration. null: not measured
 * @property {string} id
 * @property {string} title such as `WAIT 1 + min-replicas 1`
 * @property {string} mode id of the mode
 * @property {string | null} note what differs from the mode itself: `sequential`, or a variant
 * @property {CaseParams} params of one of its cases
 * @property {Readonly<Record<Batch, Healthy | null>>} healthy by pipeline depth
 * @property {Healthy | null} crowd at depth 1 with many connections
 * @property {FaultRow[]} trials one for each fault that it was tested in, in the order of the faults
 * @property {FaultRow[]} beside likewise, with one Sentinel beside each node, where a fault was tried both ways
 * @property {Readonly<Record<Survival, CaseFigures | null>>} down at the end of a freeze of replicas
 */

const HEALTHY = 'sweep-healthy';
/** @type {Readonly<Record<Survival, string>>} */
export const PAUSING = Object.freeze({
  'one-replica-down': 'sweep-one-replica-paused',
  'both-replicas-down': 'sweep-both-replicas-paused',
});
/** As the table of modes in the suite `main` has. */
export const MANY_CONNECTIONS = 50;
export const BASELINE = 'async';
const DOWN_AFTER = 'down-after';
const ITSELF = Object.freeze({ median: 1, low: 1, high: 1 });

/**
 * @param {Result} result
 * @returns {DecisionRow[]} async first, then the cheapest at depth 1; rows without a throughput last, in the order of the cases
 */
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

/**
 * For sorting. Paired rounds decide before absolute throughput, because a slow minute hits both of a pair.
 * @param {Batch} batch
 * @returns {(a: DecisionRow, b: DecisionRow) => number} by throughput relative to async, then by throughput, highest first; rows without one last
 */
export function cheaperFirst(batch) {
  const ratio = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.relative?.median ?? -1;
  const throughput = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.throughput.median ?? -1;
  return (a, b) => ratio(b) - ratio(a) || throughput(b) - throughput(a);
}

/** @param {DecisionRow} row of a mode itself that went through a fault */
export function isTested({ note, trials }) {
  return note === null && trials.length > 0;
}

/** @param {Pick<DecisionRow, 'trials'>} row @param {FaultId} fault @returns {Loss | null} null: the mode was not tested in it */
export function lossIn({ trials }, fault) {
  return trials.find((row) => row.fault.id === fault)?.loss ?? null;
}

/** @param {readonly DecisionRow[]} rows @returns {FaultId[]} faults that at least one of the modes was tested in */
export function testedFaults(rows) {
  return FAULTS.map(({ id }) => id).filter((id) => rows.some((row) => lossIn(row, id) !== null));
}

/** They need two nodes on the side of a minority of the Sentinels, which is impossible with one Sentinel beside each of three nodes. @type {readonly FaultId[]} */
const NEED_APART = ['one-way', 'flapping'];

/**
 * @param {DecisionRow} row
 * @returns {DecisionRow | null} the same with one Sentinel beside each node: with the faults that were tried so, without those that cannot happen then; null:
 *   not tried
 */
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

/**
 * @param {string} id
 * @param {readonly CaseFigures[]} measured its rounds and its freezes
 * @param {readonly {fault: DecisionFault, row: CaseFigures}[]} tested
 * @returns {DecisionRow}
 */
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

/** @param {Batch} batch @param {readonly CaseFigures[]} measured @param {string} id of the row @returns {Healthy | null} */
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

/** @param {{fault: DecisionFault, row: CaseFigures}} tested @returns {FaultRow} */
function faultRowOf({ fault, row }) {
  const { median: middle, low, high } = row.of.outage;
  const healed = figure(row, 'outage-until-healed', 'total') ?? 0;
  // Removes the rounding error of the conversion.
  const inMs = (/** @type {number | null} */ seconds) => Number((Number(seconds) * MS_A_SECOND).toPrecision(12));
  return {
    fault,
    loss: lossOf(row),
    outage: { medianMs: inMs(middle), lowMs: inMs(low), highMs: inMs(high) },
    untilHealed: healed > Number(figure(row, 'outage', 'n')) / 2,
  };
}

/** @param {CaseFigures} row @returns {Loss} */
function lossOf(row) {
  const valuesOf = (/** @type {string} */ metric) => row.of[metric]?.values ?? [];
  const [lost, acked, share, seconds] = ['lost-writes', 'acked', 'lost-share', 'lost-seconds'].map(valuesOf);
  return {
    trials: lost.length,
    each: lost.map((each, i) => ({
      lost: each,
      acked: acked[i],
      share: share[i] ?? 0,
      seconds: seconds[i] ?? null,
    })),
    losing: lost.filter((each) => each > 0).length,
    lost: sum(lost),
    acked: sum(acked),
    most: Math.max(...lost),
    seconds: seconds.length > 0 ? Math.max(...seconds) : null,
    usual: median(lost),
    usualSeconds: seconds.length > 0 ? median(seconds) : null,
    everything: figure(row, 'total-loss', 'worst') === 1,
  };
}

/** @param {readonly FaultRow[]} rows of one mode @returns {FaultRow[]} of each fault the length with the largest loss, of these the longest outage */
function worstLengths(rows) {
  /** @type {Map<FaultId, FaultRow>} */
  const worst = new Map();
  for (const row of rows) {
    const known = worst.get(row.fault.id);
    if (known === undefined || worseFirst(row, known) < 0) worst.set(row.fault.id, row);
  }
  return [...worst.values()];
}

/** @param {FaultRow} a @param {FaultRow} b */
function worseFirst(a, b) {
  const all = Number(b.loss.everything) - Number(a.loss.everything);
  return all || b.loss.most - a.loss.most || b.outage.medianMs - a.outage.medianMs || 0;
}

/** @param {readonly FaultRow[]} rows of a mode @returns {FaultRow | null} with the largest loss, beside those of everything; null: no such loss */
export function worstOf(rows) {
  const losing = rows.filter(({ loss }) => loss.most > 0 && !loss.everything);
  return losing.length === 0 ? null : losing.reduce((worst, row) => (row.loss.most > worst.loss.most ? row : worst));
}

/** @param {readonly FaultRow[]} rows of a mode @returns {DecisionFault[]} in which it lost everything that was written before */
export function emptiedIn(rows) {
  return rows.flatMap(({ fault, loss }) => (loss.everything ? [fault] : []));
}

/**
 * @param {Pick<DecisionRow, 'trials'>} a
 * @param {Pick<DecisionRow, 'trials'>} b
 * @returns {number} for sorting: a mode that never loses everything first, then the smaller worst loss
 */
export function saferFirst(a, b) {
  const emptied = (/** @type {typeof a} */ { trials }) => Number(emptiedIn(trials).length > 0);
  const most = (/** @type {typeof a} */ { trials }) => worstOf(trials)?.loss.most ?? 0;
  return emptied(a) - emptied(b) || most(a) - most(b);
}
