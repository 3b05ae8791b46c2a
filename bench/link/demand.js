/**
 * The benchmark `link-demand`: what a write costs on the replication link.
 *
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark, Column } from '../../src/run/types.js'
 */

import { billedBytes, bitRate, bytes, count, percent, rate } from '../../src/format.js';
import { medianNote } from '../../src/report/charts/against.js';
import { barChart } from '../../src/report/charts/bars.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { left, right } from '../../src/report/columns.js';
import { columnOf } from '../../src/report/over-rounds.js';
import { addCounts, median, sum } from '../../src/stats/statistics.js';
import { SECONDS_A_MONTH } from '../../src/units.js';
import { demandCases, GROUP, KEY_BYTES, measureDemand, WRITES } from './demand-round.js';
import { keptRate, ON_A_PATH, paceOf } from './round.js';

/** @import { CaseParams } from '../../src/result/schema.js' */

/** Rates may differ by the last write, which makes a smaller difference. */
const SAME_SHARE = 0.01;
/**
 * @typedef {Object} Demand of a case; medians over its rounds
 * @property {number} perWrite bytes of the replication stream
 * @property {number | null} requestPerWrite bytes that the client sent; null: not counted
 * @property {number | null} wirePerWrite bytes that the replica was sent; null: not counted
 * @property {number} demand bytes of the stream a second, at the rate that was reached
 * @property {number} requests answered a second
 * @property {number} writes in all rounds
 * @property {Record<string, number>} executed by the replica, in all rounds
 * @typedef {{result: CaseResult, demand: Demand}} Measured
 */

/** Stream and wire are read at different instants: a PING in between is less than this a write. */
const PING_BYTES = 0.05;
/** Commands of the stream that stand for one write of the client. EXPIRE is replicated as a time. */
const WRITE_COMMANDS = ['set', 'incr', 'incrby', 'hincrby', 'expire', 'expireat', 'pexpire', 'pexpireat'];

/** The article's mix: so much of the requests writes. */
const WRITE_SHARE = 0.62;
/** Requests a second; the last is the article's. */
const RATES = [1000, 10_000, 30_000];
/** Names of commands in the table. */
const SHOWN_COMMANDS = 4;
/**
 * @param {CaseResult} result
 * @returns {Demand | null} null: nothing was replicated
 */
export function demandOf({ rounds }) {
  const links = rounds.flatMap(({ link, operations, seconds }) =>
    link && link.writes > 0 && seconds > 0 ? [{ ...link, requests: operations / seconds }] : [],
  );
  if (links.length === 0) return null;
  const middle = (/** @type {(link: (typeof links)[number]) => number} */ value) => median(links.map(value));
  return {
    perWrite: middle(({ streamBytes, writes }) => streamBytes / writes),
    requestPerWrite: links.every(({ requestBytes }) => requestBytes !== undefined)
      ? middle(({ requestBytes = 0, writes }) => requestBytes / writes)
      : null,
    wirePerWrite: links.every(({ wire }) => wire)
      ? middle(({ wire, writes }) => (wire?.toReplicaBytes ?? 0) / writes)
      : null,
    demand: middle(({ demandBytesPerSecond }) => demandBytesPerSecond),
    requests: middle(({ requests }) => requests),
    writes: sum(links.map(({ writes }) => writes)),
    executed: addCounts(...links.map(({ executed = {} }) => executed)),
  };
}

/**
 * @param {CaseResult} result
 * @returns {boolean} a mix of requests at a rate, not a number of writes that are all alike
 */
export function isMix({ params }) {
  return params.grouping === undefined;
}

/**
 * @param {number} perWrite bytes
 * @param {number} requests a second
 * @param {number} [share] of them that write
 * @returns {number} bytes a second
 */
function demandAt(perWrite, requests, share = WRITE_SHARE) {
  return perWrite * requests * share;
}

/**
 * @param {CaseResult} result
 * @returns {NonNullable<LinkFigures['rates']> | null} medians over the rounds, and their highest peak; null: not watched
 */
function ratesOf({ rounds }) {
  const all = rounds.flatMap(({ link }) => link?.rates ?? []);
  if (all.length === 0) return null;
  const middle = (/** @type {'p50' | 'p95' | 'p99'} */ name) => median(all.map((rates) => rates[name]));
  return {
    everyMs: all[0].everyMs,
    p50: middle('p50'),
    p95: middle('p95'),
    p99: middle('p99'),
    peak: Math.max(...all.map(({ peak }) => peak)),
  };
}

/** @param {number} value @returns {string} such as `133.0 B` */
function exactBytes(value) {
  return `${value.toFixed(1)} B`;
}

/** @param {CaseResult} result @returns {string} such as `10 SETs in MULTI` */
function sentAs(result) {
  const { grouping, pipeline, rate: askedRate } = result.params;
  switch (grouping) {
    case undefined:
      return `the mix${askedRate === undefined ? '' : `, ${rate(askedRate)}`}`;
    case 'single':
      return 'SET, one at a time';
    case 'batch':
      return `SET, ${pipeline} in a pipeline`;
    case 'multi':
      return `SET, ${pipeline} in MULTI`;
    case 'script':
      return `SET, ${pipeline} in a script (EVALSHA)`;
    case 'function':
      return `SET, ${pipeline} in a function (FCALL)`;
  }
}

/** @param {Record<string, number>} executed */
function executedText(executed) {
  const names = Object.entries(executed)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name.toUpperCase());
  const more = names.length - SHOWN_COMMANDS;
  return [...names.slice(0, SHOWN_COMMANDS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const figure = columnOf(demandOf);

/** @type {Column[]} */
export const DEMAND_COLUMNS = [
  left('sent', sentAs),
  left('keys and values', ({ params }) => params.pattern ?? ''),
  right('value', ({ params }) => bytes(params.payloadBytes)),
  figure('writes', ({ writes }) => count(writes)),
  figure('request, a write', ({ requestPerWrite }) => (requestPerWrite === null ? '' : exactBytes(requestPerWrite))),
  figure('stream, a write', ({ perWrite }) => exactBytes(perWrite)),
  figure('of it key and protocol', ({ perWrite }, result) =>
    isMix(result) ? '' : exactBytes(perWrite - result.params.payloadBytes),
  ),
  figure('wire, a write', ({ wirePerWrite }) => (wirePerWrite === null ? 'not counted' : exactBytes(wirePerWrite))),
  ...RATES.map((requests) =>
    figure(`62% of ${count(requests)} requests/s`, ({ perWrite }) => bitRate(demandAt(perWrite, requests))),
  ),
  figure('measured', ({ demand, requests }, result) => (isMix(result) ? `${bitRate(demand)}, ${rate(requests)}` : '')),
  figure('a month of that', ({ demand }, result) => (isMix(result) ? billedBytes(demand * SECONDS_A_MONTH) : '')),
  right('p50, p95, p99 of 100 ms', (result) => {
    const rates = ratesOf(result);
    return rates === null ? '' : [rates.p50, rates.p95, rates.p99].map(bitRate).join(', ');
  }),
  right('peak', (result) => {
    const rates = ratesOf(result);
    return rates === null ? '' : bitRate(rates.peak);
  }),
  left('the replica executed', (result) => executedText(demandOf(result)?.executed ?? {})),
  left('limited by', (result) => {
    const demand = isMix(result) ? demandOf(result) : null;
    if (demand === null) return '';
    return keptRate(result, demand.requests) ? 'nothing' : result.summary.limitedBy;
  }),
];

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Measured[]}
 */
export function measuredOf(cases) {
  return cases.flatMap((result) => {
    const demand = demandOf(result);
    return demand ? [{ result, demand }] : [];
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function demandChecks({ cases }) {
  return [
    checkEach('the stream has at least what was written', cases, (result) => {
      if (isMix(result)) return null;
      const demand = demandOf(result);
      const least = result.params.payloadBytes;
      return !demand ? 'nothing was replicated' : demand.perWrite >= least ? null : exactBytes(demand.perWrite);
    }),
    checkEach('the replica executed every write', cases, (result) => {
      const { executed = {}, writes = 0 } = demandOf(result) ?? {};
      const calls = sum(WRITE_COMMANDS.map((name) => executed[name] ?? 0));
      return calls === writes && writes > 0 ? null : `${count(calls)} of ${count(writes)}`;
    }),
    checkEach('the wire carried the stream', cases, (result) => {
      const { wirePerWrite = null, perWrite = 0 } = demandOf(result) ?? {};
      if (wirePerWrite === null) return 'the wire was not counted';
      return wirePerWrite > perWrite - PING_BYTES ? null : `${percent(wirePerWrite / perWrite)} of it`;
    }),
    sameAtEveryRate(cases),
  ];
}

/**
 * The table computes other rates from the bytes of a write, so these must not depend on the rate.
 *
 * @param {readonly CaseResult[]} cases
 * @returns {Check}
 */
function sameAtEveryRate(cases) {
  const perWrite = cases.filter(isMix).flatMap((result) => demandOf(result)?.perWrite ?? []);
  const [low, high] = [Math.min(...perWrite), Math.max(...perWrite)];
  return {
    name: 'a write of the mix takes the same at every rate',
    ok: perWrite.length > 0 && high <= low * (1 + SAME_SHARE),
    detail: perWrite.length === 0 ? 'nothing was measured' : perWrite.map(exactBytes).join(', '),
  };
}

/**
 * @param {BenchmarkResult} benchmark the benchmark `link-demand`
 * @returns {Chart[]}
 */
function demandCharts({ name, cases }) {
  const rows = cases.flatMap((one) => {
    const demand = isMix(one) ? null : demandOf(one);
    if (demand === null) return [];
    const { payloadBytes, pattern } = one.params;
    return {
      title: `${sentAs(one)}, ${bytes(payloadBytes)}${pattern === 'random' ? ', random' : ''}`,
      values: [payloadBytes, demand.perWrite - payloadBytes],
      more: [percent((demand.perWrite - payloadBytes) / demand.perWrite), demand.requestPerWrite],
    };
  });
  const chart = barChart({
    id: `${name}.stream`,
    title: 'Replication stream for a write',
    note: `Behind each bar: how much of it is key and protocol.${medianNote(cases)}`,
    rowName: 'sent',
    rows,
    parts: [
      { name: 'value', color: '$sky' },
      { name: 'key and protocol', color: '$orange', striped: true },
    ],
    axis: 'bytes a write',
    format: 'bytes',
    stacked: true,
    more: [{ name: 'of it not value' }, { name: 'request, a write', format: 'bytes' }],
  });
  return chart ? [chart] : [];
}

/** @type {Benchmark} */
export default {
  name: 'link-demand',
  question: 'How much does replication have to send for each write?',
  method:
    `SET with keys of ${KEY_BYTES} B: ${count(WRITES)} writes a round over one connection, each sent alone or ${GROUP} together: in a ` +
    'pipeline, in MULTI, or by a script or function whose call carries the common start of their keys and their value. The stream is ' +
    'the growth of the primary’s replication offset; Redis’s own PING every ten seconds adds less than a hundredth of a byte a ' +
    'write. The mix is that of an application: 62% of its requests add to counters (INCR, INCRBY, HINCRBY), expire some of them (EXPIRE) and ' +
    'store short texts (SET), under keys of 55 to 75 B; the others read. Requests leave on a schedule, in pipelines of ten over four ' +
    'connections. Columns for other rates are computed: bytes of a write × 62% of the requests. A relay in front of the replica counts ' +
    'bytes; only the unit packets includes headers of TCP and IP.',
  ...ON_A_PATH,
  // Further rounds hardly change byte counts; the seconds are the mix's.
  pace: paceOf({ quick: [1, 3], standard: [5, 4], full: [5, 30] }),
  cases: ({ server }) => demandCases(server),
  measure: measureDemand,
  table: DEMAND_COLUMNS,
  charts: demandCharts,
  findings: () => [],
  checks: (result) => [everyWriteAcked(result), ...demandChecks(result)],
};
