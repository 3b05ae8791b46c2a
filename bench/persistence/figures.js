/**
 * The figures of the persistence benchmark that answers, tables, checks and claims share.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, IntervalValue, NodeCounters, NodeUse, RoundResult } from '../../src/result/schema.js'
 */

import { duration } from '../../src/format.js';
import { p99, TOO_FEW } from '../../src/report/columns.js';
import { bootstrapInterval, median, pairedRatio, sum } from '../../src/stats/statistics.js';

import { PAYLOAD, rewritesItself } from './modes.js';

/**
 * @typedef {Object} Storage as far as it is known
 * @property {string} label
 * @property {boolean | null} emulated null: not known
 * @property {string} [filesystem]
 *
 * @typedef {Object} Ratios of a case to the same one without persistence, paired by round
 * @property {CaseResult} off
 * @property {IntervalValue} throughput
 * @property {IntervalValue | null} p99 null: one of them has too few answers
 *
 * @typedef {Object} Evidence from the primary's own counters, over all rounds
 * @property {number | null} delayedFsyncs null: AOF was off
 * @property {{name: string, ms: number} | null} longestEvent of the latency monitor
 * @property {{us: number, before: boolean} | null} fork the longest; before: every fork came before a timed round, so no latency
 *   includes it; null: nothing forked
 *
 * @typedef {'good' | 'not good' | typeof UNDECIDED | typeof FEW} Verdict on the latency of SET
 * @typedef {'affected' | 'not affected' | typeof UNDECIDED} Effect on reads
 */

const WITHOUT = 'off';

/** Cases that agree in these differ in their mode only. */
const PLACE = /** @type {const} */ ([
  'client',
  'operation',
  'payloadBytes',
  'connections',
  'backgroundConnections',
  'replicas',
  'storage',
  'preloadKeys',
]);

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} result
 * @returns {CaseResult | undefined} the case without persistence in the same place
 */
export function offOf({ cases }, { params }) {
  return cases.find(
    (other) => other.params.mode === WITHOUT && PLACE.every((name) => other.params[name] === params[name]),
  );
}

/**
 * @param {CaseResult} result
 * @param {CaseResult | undefined} off
 * @returns {Ratios | null} null: it is that case itself, or they have no round in common
 */
export function ratiosTo(result, off) {
  if (!off || off === result) return null;
  const throughput = ratio(result, off, (round) => round.throughput);
  const enough = [result, off].every((each) => p99Of(each) !== null);
  return throughput && { off, throughput, p99: enough ? ratio(result, off, ({ latencyNs }) => latencyNs.p99) : null };
}

/**
 * The p99 of a typical round. In all rounds together a round that stalled would vanish, because it has few answers. Over up to seven
 * rounds the interval is their range, so that round is its upper end.
 *
 * @param {CaseResult} result
 * @returns {IntervalValue | null} nanoseconds, over rounds; null: too few answers
 */
export function p99Of(result) {
  return p99.cell(result) === TOO_FEW ? null : result.summary.p99Ns;
}

/**
 * The mean of a typical round. A pool of all rounds would give a round that stalled little weight, because it has few answers.
 *
 * @param {CaseResult} result at least one round
 * @returns {IntervalValue} nanoseconds, over rounds
 */
export function meanOf({ rounds }) {
  return bootstrapInterval(rounds.map(({ latencyNs }) => latencyNs.mean));
}

/**
 * @param {CaseResult} result
 * @param {CaseResult} other measured side by side with it
 * @param {(round: RoundResult) => number} value
 * @returns {IntervalValue | null} null: no round, or a baseline of zero
 */
export function ratio({ rounds }, other, value) {
  const pairs = Math.min(rounds.length, other.rounds.length);
  const [values, base] = [rounds, other.rounds].map((side) => side.slice(0, pairs).map(value));
  return pairs === 0 || base.some((each) => each <= 0) ? null : pairedRatio(values, base);
}

/**
 * @param {RoundResult} round
 * @returns {NodeUse | undefined}
 */
export function primaryOf({ nodes }) {
  return nodes.find(({ role }) => role === 'primary');
}

/**
 * @param {CaseResult} result
 * @returns {Evidence}
 */
export function evidenceOf({ params, rounds }) {
  const counters = rounds.flatMap((round) => primaryOf(round)?.counters ?? []);
  const delayed = counters.flatMap(({ delayedFsyncs }) => delayedFsyncs ?? []);
  const events = counters.flatMap(({ events: named = {} }) =>
    Object.entries(named).map(([name, { maxMs }]) => ({ name, ms: maxMs })),
  );
  return {
    delayedFsyncs: delayed.length === 0 ? null : sum(delayed),
    longestEvent: events.sort((a, b) => b.ms - a.ms)[0] ?? null,
    fork: forkOf(params, counters),
  };
}

/**
 * @param {CaseParams} params
 * @param {NodeCounters[]} all of the primary, a round each
 * @returns {Evidence['fork']}
 */
function forkOf({ during, settings }, all) {
  const counters = all.filter(({ latestForkUs }) => latestForkUs !== null);
  // `latest_fork_usec` stays after the fork: in a case without forks it may come from turning AOF on.
  const forks = during !== undefined || (settings?.save ?? '') !== '' || rewritesItself(settings);
  if (counters.length === 0 || !forks) return null;
  const longest = (/** @type {NodeCounters[]} */ of) => Math.max(...of.map(({ latestForkUs }) => Number(latestForkUs)));
  // A server without these counters does not say when it forked.
  const meanwhile = counters.filter(
    ({ rewrites, snapshots }) => rewrites === null || snapshots === null || rewrites + snapshots > 0,
  );
  return meanwhile.length > 0 ? { us: longest(meanwhile), before: false } : { us: longest(counters), before: true };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} [descriptions]
 * @returns {Storage[]} of the cases; the others are compared with the first
 */
export function storagesOf({ cases }, descriptions = []) {
  const labels = [...new Set(cases.flatMap(({ params }) => params.storage ?? []))];
  return labels.map(
    // The first is never emulated.
    (label, index) =>
      descriptions.find((each) => each.label === label) ?? { label, emulated: index === 0 ? false : null },
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {Partial<CaseParams>} more
 * @returns {CaseResult[]} with the article's values, on the primary alone unless `more` says otherwise, without other writers
 */
export function casesOn({ cases }, { label }, more) {
  const wanted = { payloadBytes: PAYLOAD, storage: label, replicas: 0, ...more };
  return cases.filter(({ params }) => {
    const entries = /** @type {[keyof CaseParams, unknown][]} */ (Object.entries(wanted));
    return params.backgroundConnections === undefined && entries.every(([name, value]) => params[name] === value);
  });
}

/** SET latency is good when p99 is at most this many times the p99 without persistence … */
const GOOD_RATIO = 2;
/** … and at most this long. */
const GOOD_NS = 10e6;
/** Reads are affected when less than this share of throughput is left, or p99 is more than this many times as long. */
const AFFECTED = { throughput: 0.9, p99: 1.25 };

export const GOOD = `p99 at most ${GOOD_RATIO}× that without persistence and at most ${duration(GOOD_NS)}`;
export const READS_AFFECTED = 'throughput is down by a tenth or p99 up by a quarter, in the whole interval';
const UNDECIDED = 'undecided';
const FEW = 'too few answers';

/**
 * @param {CaseResult} result
 * @param {Ratios} ratios
 * @returns {Verdict}
 */
export function verdictOn({ summary }, { p99: ratioOfP99 }) {
  // Without a p99, a p50 that is too long already decides.
  if (ratioOfP99 === null) return summary.p50Ns.low > GOOD_NS ? 'not good' : FEW;
  const p99 = summary.p99Ns;
  if (ratioOfP99.low > GOOD_RATIO || p99.low > GOOD_NS) return 'not good';
  return ratioOfP99.high <= GOOD_RATIO && p99.high <= GOOD_NS ? 'good' : UNDECIDED;
}

/**
 * @param {Ratios} ratios
 * @returns {Effect}
 */
export function effectOn({ throughput, p99: ratioOfP99 }) {
  if (throughput.high < AFFECTED.throughput || (ratioOfP99 && ratioOfP99.low > AFFECTED.p99)) return 'affected';
  return throughput.low >= AFFECTED.throughput && ratioOfP99 && ratioOfP99.high <= AFFECTED.p99
    ? 'not affected'
    : UNDECIDED;
}

/**
 * A replica does not slow its primary down. The primary buffers the stream, until the output buffer is full and the replica is cut off.
 *
 * @param {CaseResult} result
 * @returns {IntervalValue | null} the share of the acknowledged bytes that the replica was sent in a round, with the range of rounds;
 *   null: the server does not count what it sends
 */
export function sentShare({ params, rounds }) {
  const shares = rounds.flatMap((round) => {
    const sent = primaryOf(round)?.counters?.replicationOutBytes;
    const acked = round.outcomes.acked * params.payloadBytes;
    return sent == null || acked === 0 ? [] : Math.min(1, sent / acked);
  });
  if (params.replicas === 0 || shares.length === 0) return null;
  return { median: median(shares), low: Math.min(...shares), high: Math.max(...shares) };
}

/**
 * @param {CaseResult} result
 * @returns {number | null} writes a second of the writers beside the load; null: it has none
 */
export function besideRate({ rounds }) {
  const backgrounds = rounds.flatMap(({ background }) => (background && background.seconds > 0 ? background : []));
  const seconds = sum(backgrounds.map((each) => each.seconds));
  return seconds === 0 ? null : sum(backgrounds.map(({ operations }) => operations)) / seconds;
}
