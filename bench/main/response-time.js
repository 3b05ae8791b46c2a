/** @import { BenchmarkResult, CaseResult, Finding, IntervalValue } from '../../src/result/schema.js' */
import { rightAligned, table } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding, oneFinding, roundsText } from '../../src/report/findings.js';
import { duration, interval, rate } from '../../src/report/format.js';
import { makeCase } from '../../src/run/case.js';
import { isSustained } from '../../src/stats/summary.js';
import { modeTitle } from '../modes.js';

/** @import { Benchmark, Column } from '../../src/run/types.js' */

const CONNECTIONS = 10;
/** The rate is this share of the throughput that the slowest mode reaches in a closed loop, so no mode is near its limit. */
const SHARE = 0.5;
/** Each round needs some hundred writes for a p99 of its own. */
const QUICK_PACE = { rounds: 7, seconds: 0.2, warmUpSeconds: 0.02 };

/** @type {import('../../src/result/schema.js').CaseParams['wait'][]} */
const WAITS = [0, 1, 2];
/** The modes that are compared; sequential WAIT only in larger profiles. */
const MODES = [
  ...WAITS.map((wait) => ({ wait, waitMode: /** @type {const} */ ('pipelined') })),
  ...[1, 2].map((wait) => ({ wait, waitMode: /** @type {const} */ ('sequential') })),
];

/** @type {Column} */
export const OFFERED = column.right('offered', ({ params }) =>
  params.rate === undefined ? 'closed loop' : rate(params.rate),
);

/** @type {Benchmark} */
export default {
  name: 'response-time',
  question: 'How long do users wait for a write in each mode, at the same rate of writes?',
  method:
    `First each mode writes as fast as it can on ${CONNECTIONS} connections (closed loop). Then all modes get the same rate: half of what the ` +
    'slowest of them sustained. Writes arrive at random (Poisson), and response time counts from the scheduled send. p99 is the median of ' +
    'the p99 of the rounds, with its interval over rounds, so a round that stalled shows.',
  kind: 'load',
  pace: (profile) => (profile.name === 'quick' ? QUICK_PACE : profile),
  cases: ({ client, profile }) =>
    (profile.name === 'quick' ? MODES.slice(0, WAITS.length) : MODES).map((mode) =>
      makeCase({ client, connections: CONNECTIONS, ...mode }),
    ),
  more: (result) => {
    if (result.cases.some(({ params }) => params.rate !== undefined)) return [];
    const slowest = Math.min(...result.cases.map(({ summary }) => summary.throughput.median));
    const offered = Number((SHARE * slowest).toPrecision(2));
    return offered < 1 ? [] : result.cases.map(({ params }) => makeCase({ ...params, rate: offered }));
  },
  table: [
    column.wait,
    column.waitMode,
    OFFERED,
    column.throughput,
    column.right('p50', ({ rounds, summary }) => timeText(rounds, summary.p50Ns)),
    column.right('p99', ({ rounds, summary }) => timeText(rounds, summary.p99Ns)),
    column.right('p99 of the worst round', ({ rounds }) => worstP99(rounds)),
    column.limitedBy,
  ],
  brief: (result) => [responseTable(result)],
  findings: responseFindings,
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(isComparable) })],
};

/** @param {CaseResult} one of closed loop, or of a rate that it sustained */
export function isComparable({ params, rounds }) {
  return params.rate === undefined || isSustained(rounds);
}

/** @param {BenchmarkResult} result */
function atOneRate({ cases }) {
  return cases.filter(({ params }) => params.rate !== undefined);
}

/** @param {CaseResult['rounds']} rounds */
function worstP99(rounds) {
  const worst = Math.max(0, ...rounds.map(({ latencyNs }) => latencyNs.p99));
  return `${column.atLeast(rounds, worst)}${duration(worst)}`;
}

/**
 * @param {CaseResult['rounds']} rounds
 * @param {IntervalValue} ns
 */
function timeText(rounds, ns) {
  return `${column.atLeast(rounds, ns.median)}${interval(ns, duration)}`;
}

/** @param {CaseResult} one */
export function p99Cell({ rounds, summary }) {
  return isSustained(rounds) ? timeText(rounds, summary.p99Ns) : 'rate not sustained';
}

/** @param {CaseResult} one */
function nameOf({ params }) {
  return params.wait === 0 ? 'async' : `${modeTitle(params)}${params.waitMode === 'sequential' ? ' sequential' : ''}`;
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} one with every mode; none if no mode wrote
 */
function responseFindings(result) {
  const atRate = atOneRate(result);
  if (atRate.length === 0) return [];
  const start = `Response time at ${rate(atRate[0].params.rate ?? 0)}, ${CONNECTIONS} connections (p50, p99): `;
  // The table has WAIT that follows the answer, and the intervals.
  const usual = atRate.filter(({ params }) => params.waitMode !== 'sequential' || params.wait === 0);
  const shown = usual.map((one) =>
    isSustained(one.rounds)
      ? `${nameOf(one)} ${duration(one.summary.p50Ns?.median ?? null)}, ${duration(one.summary.p99Ns?.median ?? null)}`
      : `${nameOf(one)} rate not sustained`,
  );
  const rounds = Math.min(...atRate.map((one) => one.rounds.length));
  const end = `${overlap(usual) ? '; p99 intervals overlap' : ''}, ${roundsText(rounds)}`;
  return [finding('p99', oneFinding(start, shown, { joint: '; ', end }), atRate)];
}

/**
 * @param {readonly CaseResult[]} cases the first one is async
 * @returns {boolean} no p99 is apart from that of async, so none is known to be longer
 */
function overlap([first, ...others]) {
  const of = (/** @type {CaseResult} */ { summary }) => summary.p99Ns;
  const base = of(first);
  return others.length > 0 && base !== null && others.every((one) => (of(one)?.low ?? 0) <= base.high);
}

/** @param {BenchmarkResult} result */
function responseTable(result) {
  const rows = atOneRate(result).map((one) => [
    nameOf(one),
    rate(one.params.rate ?? 0),
    isSustained(one.rounds) ? timeText(one.rounds, one.summary.p50Ns) : 'rate not sustained',
    p99Cell(one),
    worstP99(one.rounds),
  ]);
  return table(['mode', ...rightAligned(['offered', 'response time p50', 'p99', 'p99 of the worst round'])], rows);
}
