/**
 * What the persistence benchmark's answers, tables and checks are computed from.
 */
import { pairedRatio } from '../measure/statistics.js';
import { p99, TOO_FEW } from './columns.js';
import { interval } from './format.js';
import { sum } from './resources.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CaseParams} CaseParams
 * @typedef {import('./schema.js').RoundResult} RoundResult
 * @typedef {import('./schema.js').IntervalValue} IntervalValue
 * @typedef {import('./schema.js').NodeUse} NodeUse
 * @typedef {import('./schema.js').NodeCounters} NodeCounters
 *
 * @typedef {Object} Storage as far as it is known: `run` knows what it gave to the nodes, a stored result what was probed
 * @property {string} label
 * @property {boolean | null} emulated null: not known here
 * @property {string} [filesystem]
 *
 * @typedef {Object} Ratios of a case to the same one without persistence, paired by round
 * @property {CaseResult} off
 * @property {IntervalValue} throughput
 * @property {IntervalValue | null} p99 null: too little was answered, of either, to tell
 *
 * @typedef {Object} Evidence what the primary's own counters say of all rounds
 * @property {number | null} delayedFsyncs null: AOF was off
 * @property {{name: string, ms: number} | null} longestEvent of the latency monitor
 * @property {{us: number, before: boolean} | null} fork the longest; before: none of them came while a round was timed, so that no
 *   latency holds it; null: nothing forked
 */

/** The interval of a ratio is drawn from the rounds by this, so that the same result always reads the same. */
const SEED = 1;
const WITHOUT = 'off';
/** Bytes of the article's values, which the questions are about; smaller ones stand in the table. */
export const PAYLOAD = 180_000;

/** What tells one place of the matrix from another; in each of them the modes are compared. */
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
    (other) => other.params.level === WITHOUT && PLACE.every((name) => other.params[name] === params[name]),
  );
}

/**
 * @param {CaseResult} result
 * @param {CaseResult | undefined} off
 * @returns {Ratios | null} null: it is that case itself, or the two have no round in common to be compared by
 */
export function ratiosTo(result, off) {
  if (!off || off === result) return null;
  const throughput = ratio(result, off, (round) => round.throughput);
  const told = [result, off].every((each) => p99Of(each) !== null);
  return throughput && { off, throughput, p99: told ? ratio(result, off, ({ latencyNs }) => latencyNs.p99) : null };
}

/**
 * @param {CaseResult} result
 * @returns {number | null} nanoseconds; null where the table does not show it either, for too little was answered
 */
export function p99Of(result) {
  return p99.cell(result) === TOO_FEW ? null : result.summary.latencyNs.p99;
}

/**
 * @param {CaseResult} result
 * @param {CaseResult} other measured side by side with it
 * @param {(round: RoundResult) => number} value
 * @returns {IntervalValue | null} null: no round, or nothing to compare with
 */
export function ratio({ rounds }, other, value) {
  const pairs = Math.min(rounds.length, other.rounds.length);
  const [own, base] = [rounds, other.rounds].map((side) => side.slice(0, pairs).map(value));
  return pairs === 0 || base.some((each) => each <= 0) ? null : pairedRatio(own, base, { seed: SEED });
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
  const events = counters.flatMap(({ events: told = {} }) =>
    Object.entries(told).map(([name, { maxMs }]) => ({ name, ms: maxMs })),
  );
  return {
    delayedFsyncs: delayed.length === 0 ? null : sum(delayed),
    longestEvent: events.sort((a, b) => b.ms - a.ms)[0] ?? null,
    fork: forkOf(params, counters),
  };
}

/**
 * @param {CaseParams} params
 * @param {NodeCounters[]} counters of the primary, a round each
 * @returns {Evidence['fork']}
 */
function forkOf({ during, settings }, counters) {
  // `latest_fork_usec` stays after the fork: where none was asked for it may tell of turning AOF on.
  if (counters.length === 0 || (during === undefined && (settings?.save ?? '') === '')) return null;
  const longest = (/** @type {NodeCounters[]} */ of) => Math.max(...of.map(({ latestForkUs }) => latestForkUs));
  // A server that does not count them leaves open when they were.
  const meanwhile = counters.filter(
    ({ rewrites, snapshots }) => rewrites === null || snapshots === null || rewrites + snapshots > 0,
  );
  return meanwhile.length > 0 ? { us: longest(meanwhile), before: false } : { us: longest(counters), before: true };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} [known]
 * @returns {Storage[]} those that cases were measured on, the one that the others are compared with first
 */
export function storagesOf({ cases }, known = []) {
  const labels = [...new Set(cases.flatMap(({ params }) => params.storage ?? []))];
  return labels.map(
    // The first is never emulated: it is what others are compared with.
    (label, index) => known.find((each) => each.label === label) ?? { label, emulated: index === 0 ? false : null },
  );
}

/**
 * @param {IntervalValue} value
 * @returns {string} such as `0.19× (0.18–0.21)`
 */
export function times(value) {
  const [median, ...spread] = interval(value, (number) => `${digits(number)} ×`).split(' (');
  const bare = spread.map((text) => ` (${text.replaceAll(' ×', '')}`).join('');
  return `${median.replace(' ×', '×')}${bare}`;
}

/** @param {number} number */
function digits(number) {
  return number >= 99.5 ? number.toFixed(0) : number >= 9.95 ? number.toFixed(1) : number.toFixed(2);
}
