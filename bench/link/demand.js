/**
 * The benchmark `link-demand`: what a write costs on the replication link.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { figure } from '../../src/facts/query.js';
import { billedBytes, bytes, count, percent, rate } from '../../src/format.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { SECONDS_A_MONTH } from '../../src/units.js';
import { factTable } from '../pages/fact-table.js';
import { demandCases, GROUP, measureDemand } from './demand-round.js';
import { linksOf } from './figures.js';
import { ON_A_PATH, paceOf } from './round.js';
import { TEXTS } from './texts.js';

/** Rates may differ by the last write, which makes a smaller difference. */
const SAME_SHARE = 0.01;
/** Stream and wire are read at different instants: a PING in between is less than this a write. */
const PING_BYTES = 0.05;
/** Commands of the stream that stand for one write of the client. EXPIRE is replicated as a time. */
const WRITE_COMMANDS = ['set', 'incr', 'incrby', 'hincrby', 'expire', 'expireat', 'pexpire', 'pexpireat'];

/** How writes are sent. @type {Readonly<Record<NonNullable<CaseParams['grouping']>, string>>} */
const SENT_AS = Object.freeze({
  single: 'SET, one at a time',
  batch: `SET, ${GROUP} in a pipeline`,
  multi: `SET, ${GROUP} in MULTI`,
  script: `SET, ${GROUP} in a script (EVALSHA)`,
  function: `SET, ${GROUP} in a function (FCALL)`,
});

/** @param {Pick<CaseResult, 'params'>} row @returns {boolean} a mix of requests at a rate, not a number of writes that are all alike */
export const isMix = ({ params }) => params.grouping === undefined;

/** @param {CaseFigures} row @returns {string} of traffic at this rate */
function monthText(row) {
  const demand = isMix(row) ? figure(row, 'link-demand') : null;
  return demand === null ? NOT_MEASURED : billedBytes(demand * SECONDS_A_MONTH);
}

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  {
    title: 'sent',
    text: (/** @type {CaseFigures} */ { params: { grouping, rate: asked } }) =>
      grouping ? SENT_AS[grouping] : `the mix, ${rate(asked ?? 0)}`,
  },
  { title: 'keys and values', text: ({ params }) => params.pattern ?? '' },
  { title: 'value', text: ({ params }) => bytes(params.payloadBytes), align: 'right' },
  { title: 'request, a write', metric: 'link-request-per-write', format: 'bytes' },
  { title: 'stream, a write', metric: 'link-stream-per-write', format: 'bytes' },
  { title: 'wire, a write', metric: 'link-wire-per-write', format: 'bytes' },
  { title: 'stream', metric: 'link-demand', format: 'bits' },
  { title: 'a month of that', text: monthText, align: 'right' },
];

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function demandChecks({ cases }) {
  return [
    checkEach('the stream has at least what was written', cases, (result) =>
      isMix(result) ? null : tooLittle(result, result.params.payloadBytes),
    ),
    checkEach('the replica executed every write', cases, (result) => {
      const [calls, writes] = linksOf(result).reduce(
        ([all, sent], link) => [
          all + WRITE_COMMANDS.reduce((sum, name) => sum + (link.executed?.[name] ?? 0), 0),
          sent + link.writes,
        ],
        [0, 0],
      );
      return calls === writes && writes > 0 ? null : `${count(calls)} of ${count(writes)}`;
    }),
    checkEach('the wire carried the stream', cases, (result) => {
      const short = linksOf(result).find(
        ({ wire, streamBytes, writes }) => (wire?.toReplicaBytes ?? 0) <= streamBytes - PING_BYTES * writes,
      );
      return short ? `${percent((short.wire?.toReplicaBytes ?? 0) / short.streamBytes)} of it` : null;
    }),
    sameAtEveryRate(cases),
  ];
}

/** @param {CaseResult} result @param {number} least bytes a write */
function tooLittle(result, least) {
  const [most] = perWrite(result).sort((a, b) => a - b);
  return most === undefined ? 'nothing was replicated' : most >= least ? null : `${most.toFixed(1)} B`;
}

/** @param {CaseResult} result @returns {number[]} bytes of the stream, of each round */
function perWrite(result) {
  return linksOf(result).flatMap(({ streamBytes, writes }) => (writes > 0 ? streamBytes / writes : []));
}

/** @param {readonly CaseResult[]} cases @returns {Check} the bill of a month is computed from the bytes of a write */
function sameAtEveryRate(cases) {
  const mixes = cases.filter(isMix);
  const low = Math.min(...mixes.flatMap(perWrite));
  return checkEach('a write of the mix takes the same at every rate', mixes, (result) => {
    const [high] = perWrite(result).sort((a, b) => b - a);
    if (high === undefined) return 'nothing was replicated';
    return high <= low * (1 + SAME_SHARE) ? null : `${low.toFixed(1)} B to ${high.toFixed(1)} B`;
  });
}

/** @type {Benchmark} */
export default {
  name: 'link-demand',
  ...TEXTS['link-demand'],
  ...ON_A_PATH,
  // Further rounds hardly change byte counts; the seconds are the mix's.
  pace: paceOf({ quick: [1, 3], standard: [5, 4], full: [5, 30] }),
  cases: demandCases,
  measure: measureDemand,
  ...factTable(COLUMNS),
  findings: () => [],
  checks: (result) => [everyWriteAcked(result), ...demandChecks(result)],
};
