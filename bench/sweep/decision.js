/**
 * The rows of the decision table: what each durability mode costs when all is well, and what it saves when things break.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, IntervalValue, Result } from '../../src/result/schema.js'
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { Loss } from '../../src/report/trials/losses.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { DecisionFault, FaultId } from '../experiments/decision-faults.js'
 */
import { notAckedShare, p99, p99Interval, TOO_FEW } from '../../src/report/columns.js';
import { trialsOf } from '../../src/report/trials/figures.js';
import { testedOf } from '../../src/report/trials/rows.js';
import { median } from '../../src/stats/statistics.js';
import { isSustained } from '../../src/stats/summary.js';
import { OWN_WRITERS, ownAudits } from '../experiments/cases.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { modeTitle, withNote } from '../modes.js';
import { configurationOf, faultTrials, noteOf } from './trials.js';

/**
 * @typedef {1 | 100} Batch pipeline depth
 * @typedef {'one-replica-down' | 'both-replicas-down'} Survival
 *
 * @typedef {Object} Healthy
 * @property {string} case
 * @property {number} rounds
 * @property {IntervalValue} throughput acked writes a second
 * @property {IntervalValue | null} relative to async at the same depth, 1 for async itself; null: there is no ratio
 * @property {IntervalValue | null} p99Ns of all rounds together; null: too few values lie beyond it
 * @property {number} notAcked share of the writes, 0 … 1
 * @property {CaseResult['summary']['limitedBy']} limitedBy
 *
 * @typedef {Object} Response
 * @property {number} rate writes a second, of all connections together
 * @property {number} connections
 * @property {number} rounds
 * @property {IntervalValue | null} p99Ns of response times; null: the mode did not sustain the rate
 *
 * @typedef {Object} Spread over the trials; of each trial the writer with the smaller share
 * @property {number} median 0 … 1
 * @property {number} low 0 … 1
 * @property {number} high 0 … 1
 *
 * @typedef {Object} Pause
 * @property {number} trials
 * @property {number} lengthMs of the shortest trial
 * @property {Spread} ackedAtEnd share of due writes acked in the last 2 s of the pause, divided by the share that was sent before the pause, at
 *   most 1. The division takes out the delay of a busy machine
 * @property {'rejected' | 'underAcked' | 'unknown' | 'unsent' | null} instead the most frequent answer to the other writes of the
 *   last 2 s; null: all were acked
 *
 * @typedef {'acked' | 'underAcked' | 'rejected' | 'unknown' | 'unsent'} Outcome
 *
 * @typedef {Object} DecisionRow one configuration. null: not measured
 * @property {string} id
 * @property {string} title such as `WAIT 1 + min-replicas 1`
 * @property {string} mode id of the mode
 * @property {string | null} note what differs from the mode itself: `sequential`, or a variant
 * @property {CaseParams} params of one of its cases
 * @property {number | null} downAfterMs of the Sentinels in its failures; null: no failure was tested
 * @property {Readonly<Record<Batch, Healthy | null>>} healthy by pipeline depth
 * @property {Response | null} response at the rate that all modes got
 * @property {TrialRow<DecisionFault>[]} trials one for each fault that it was tested in, in the order of the faults
 * @property {Readonly<Record<Survival, Pause | null>>} down
 */

export const HEALTHY = 'sweep-healthy';
export const RESPONSE = 'sweep-response-time';
/** @type {Readonly<Record<Survival, string>>} */
export const PAUSING = Object.freeze({
  'one-replica-down': 'sweep-one-replica-paused',
  'both-replicas-down': 'sweep-both-replicas-paused',
});
export const SWEEP = Object.freeze([
  HEALTHY,
  RESPONSE,
  ...FAULTS.map(({ benchmark }) => benchmark),
  ...Object.values(PAUSING),
]);
/** @type {readonly Batch[]} */
export const BATCHES = Object.freeze([1, 100]);

const BASELINE = 'async';
const ITSELF = Object.freeze({ median: 1, low: 1, high: 1 });

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @param {readonly TrialRow<DecisionFault>[]} [trials] default: the trials of the result
 * @returns {DecisionRow[]} async first, then the cheapest at depth 1; rows without a throughput last, in the order of the cases
 */
export function decisionRows({ benchmarks }, trials = faultTrials({ benchmarks })) {
  /** @type {Map<string, CaseResult[]>} */
  const groups = new Map();
  const add = (/** @type {string} */ id, /** @type {CaseResult} */ one) =>
    groups.set(id, [...(groups.get(id) ?? []), one]);
  for (const { cases } of benchmarks.filter((each) => SWEEP.includes(each.name)))
    for (const one of cases) if (one.params.mode !== undefined) add(configurationOf(one.params), one);
  // A run of another suite has cases of its own.
  for (const { mode, one } of trials) if (!groups.get(mode)?.includes(one)) add(mode, one);
  const named = (/** @type {string} */ name) => benchmarks.find((benchmark) => benchmark.name === name);
  const rows = [...groups].map(([id, cases]) => rowOf(id, cases, { named, trials: testedOf(trials, id) }));
  const isBaseline = (/** @type {DecisionRow} */ { id }) => Number(id === BASELINE);
  return rows.sort((a, b) => isBaseline(b) - isBaseline(a) || cheaperFirst(1)(a, b));
}

/**
 * For sorting. Paired rounds decide before absolute throughput, because a slow minute hits both of a pair.
 *
 * @param {Batch} batch
 * @returns {(a: DecisionRow, b: DecisionRow) => number} by throughput relative to async, then by throughput, highest first; rows
 *   without one last
 */
export function cheaperFirst(batch) {
  const ratio = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.relative?.median ?? -1;
  const throughput = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.throughput.median ?? -1;
  return (a, b) => ratio(b) - ratio(a) || throughput(b) - throughput(a);
}

/**
 * @param {string} id
 * @param {CaseResult[]} cases at least one
 * @param {{named: (name: string) => BenchmarkResult | undefined, trials: DecisionRow['trials']}} measured
 * @returns {DecisionRow}
 */
function rowOf(id, cases, { named, trials }) {
  const [{ params }] = cases;
  const healthyCases = (named(HEALTHY)?.cases ?? []).filter((one) => cases.includes(one));
  const paced = named(RESPONSE)?.cases.find((one) => cases.includes(one));
  const pauseIn = (/** @type {Survival} */ survival) => {
    const benchmark = named(PAUSING[survival]);
    const one = benchmark?.cases.find((each) => cases.includes(each) && ownAudits(benchmark, each).length > 0);
    return benchmark && one ? pauseOf(trialsOf(benchmark, one)) : null;
  };
  // The variants of another suite are faults here.
  const note = id === params.mode ? null : noteOf(params);
  return {
    id,
    title: note === null ? modeTitle(params) : withNote(modeTitle(params), note),
    mode: /** @type {string} */ (params.mode),
    note,
    params,
    downAfterMs: cases.find(({ params: { downAfterMs } }) => downAfterMs !== undefined)?.params.downAfterMs ?? null,
    healthy: { 1: healthyAt(1, healthyCases, id), 100: healthyAt(100, healthyCases, id) },
    response: paced ? responseOf(paced) : null,
    trials,
    down: {
      'one-replica-down': pauseIn('one-replica-down'),
      'both-replicas-down': pauseIn('both-replicas-down'),
    },
  };
}

/**
 * @param {DecisionRow} row
 * @param {FaultId} fault
 * @returns {Loss | null} null: the mode was not tested in it
 */
export function lossIn({ trials }, fault) {
  return trials.find((row) => row.fault.id === fault)?.loss ?? null;
}

/**
 * @param {Batch} batch
 * @param {readonly CaseResult[]} cases
 * @param {string} id of the row
 * @returns {Healthy | null}
 */
function healthyAt(batch, cases, id) {
  // The fewest connections: more of them hide how long each waits.
  const [one] = cases
    .filter(({ params, rounds }) => params.pipeline === batch && rounds.length > 0)
    .sort((a, b) => a.params.connections - b.params.connections);
  if (!one) return null;
  const { summary, rounds } = one;
  return {
    case: one.id,
    rounds: rounds.length,
    throughput: summary.throughput,
    relative: summary.relativeToBaseline?.throughput ?? (id === BASELINE ? ITSELF : null),
    p99Ns: p99.cell(one) === TOO_FEW ? null : p99Interval(summary),
    notAcked: notAckedShare(one),
    limitedBy: summary.limitedBy,
  };
}

/**
 * @param {CaseResult} one
 * @returns {Response | null} null: it has no rounds
 */
function responseOf({ params: { rate = 0, connections }, rounds, summary }) {
  if (rounds.length === 0) return null;
  return { rate, connections, rounds: rounds.length, p99Ns: isSustained(rounds) ? summary.p99Ns : null };
}

/** Long enough to even out the wait of a connection (WAIT's timeout is 1 s), short enough to be the end of a pause. */
const END_MS = 2000;
/** The undoing of a fault takes some time before its mark. */
const UNDOING_MS = 300;
/** @type {readonly Outcome[]} */
const OUTCOMES = ['acked', 'underAcked', 'rejected', 'unknown', 'unsent'];

/**
 * Outcomes of writes at the end of a freeze of replicas.
 *
 * @param {readonly TrialResult[]} trials of one case
 * @param {readonly string[]} [writers] whose writes count
 * @returns {Pause | null} null: no trial had a pause that began and ended while they wrote
 */
export function pauseOf(trials, writers = OWN_WRITERS) {
  const measured = trials.flatMap((trial) => worstOf(trial, writers) ?? []);
  if (measured.length === 0) return null;
  return {
    trials: measured.length,
    lengthMs: Math.min(...measured.map(({ lengthMs }) => lengthMs)),
    ackedAtEnd: spread(measured.map(({ share }) => share)),
    instead: insteadOf(measured.map(({ end }) => end)),
  };
}

/**
 * @param {TrialResult} trial
 * @param {readonly string[]} writers
 * @returns {{lengthMs: number, share: number, end: Record<Outcome, number>} | null} of the writer with the smallest share of
 *   acked writes at the end
 */
function worstOf({ events, stepMs, writers: all }, writers) {
  const begun = events.filter(({ kind }) => kind === 'fault-begun').map(({ at }) => at);
  const [healthyMs] = begun;
  const fromMs = begun.at(-1);
  // The first replica that continues ends the pause.
  const toMs = events.find(({ kind }) => kind === 'fault-undone')?.at;
  if (fromMs === undefined || toMs === undefined) return null;
  const endMs = toMs - UNDOING_MS;
  const counted = all
    .filter(({ writer }) => writers.includes(writer))
    .flatMap((writer) => {
      const end = countBetween(writer, stepMs, { fromMs: Math.max(fromMs, endMs - END_MS), toMs: endMs });
      const due = dueIn(end);
      const before = countBetween(writer, stepMs, { fromMs: 0, toMs: healthyMs });
      // A writer that sent nothing yet shows no pace.
      const sent = 1 - before.unsent / Math.max(1, dueIn(before)) || 1;
      return due === 0 ? [] : { lengthMs: toMs - fromMs, share: Math.min(1, end.acked / due / sent), end };
    });
  return counted.length === 0 ? null : counted.reduce((worst, each) => (each.share < worst.share ? each : worst));
}

/** @param {Record<Outcome, number>} counts */
function dueIn(counts) {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/**
 * @param {TrialResult['writers'][number]} writer
 * @param {number} stepMs
 * @param {{fromMs: number, toMs: number}} span
 * @returns {Record<Outcome, number>} of the steps that lie wholly in it
 */
function countBetween(writer, stepMs, { fromMs, toMs }) {
  const first = Math.ceil(fromMs / stepMs);
  const end = Math.max(first, Math.floor(toMs / stepMs));
  const counts = OUTCOMES.map((outcome) => [
    outcome,
    writer[outcome].slice(first, end).reduce((sum, count) => sum + count, 0),
  ]);
  return /** @type {Record<Outcome, number>} */ (Object.fromEntries(counts));
}

/** @param {readonly Record<Outcome, number>[]} ends */
function insteadOf(ends) {
  const sum = (/** @type {Outcome} */ outcome) => ends.reduce((all, end) => all + end[outcome], 0);
  const most = (/** @type {readonly ('rejected' | 'underAcked' | 'unknown' | 'unsent')[]} */ outcomes) =>
    outcomes.filter((outcome) => sum(outcome) > 0).sort((a, b) => sum(b) - sum(a))[0];
  // A write stays unsent because earlier writes have no answer, so answers say more.
  return most(['rejected', 'underAcked']) ?? most(['unknown', 'unsent']) ?? null;
}

/**
 * @param {readonly number[]} values at least one
 * @returns {Spread}
 */
function spread(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}
