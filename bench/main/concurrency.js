/** @import { BenchmarkResult, CaseResult, IntervalValue } from '../../src/result/schema.js' */

import { count, percent } from '../../src/format.js';
import { p99Against, throughputAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { pairedRatio } from '../../src/stats/statistics.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const CONNECTIONS = [1, 10, 50, 100];
const WAITS = [0, 1];
/** The plateau begins where throughput reaches this share of the highest. */
const NEARLY = 0.95;
const STEPS = /** @type {const} */ ({ by: 'connections', what: 'connections', label: count });
const RINGED = `Ringed: the first within ${percent(1 - NEARLY)} of the highest.`;

/** @type {Benchmark} */
export default {
  name: 'concurrency',
  question: 'Where does throughput plateau as connections are added?',
  method:
    'Each connection writes one value at a time, each write with a pipelined WAIT; all connections share one load thread.',
  kind: 'load',
  pace: (profile) => (profile.name === 'quick' ? { rounds: 7, seconds: 0.12, warmUpSeconds: 0.03 } : profile),
  cases: ({ client }) =>
    CONNECTIONS.flatMap((connections) => WAITS.map((wait) => makeCase({ client, connections, wait }, { wait: 0 }))),
  table: [column.connections, column.wait, ...column.MEASURED],
  charts: (result) => [ringedThroughput(result), p99Against(result, STEPS)],
  findings: () => [],
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {BenchmarkResult} result */
function ringedThroughput(result) {
  const cases = WAITS.flatMap((wait) => plateauOf(result, wait)?.enough ?? []);
  return throughputAgainst(result, { ...STEPS, marks: { cases, note: RINGED } });
}

/** @param {CaseResult} one */
const throughput = (one) => one.summary.throughput.median;

/**
 * @param {BenchmarkResult} result
 * @param {number} wait
 * @returns {{enough: CaseResult, best: CaseResult, fewer: CaseResult, more: CaseResult, ratio: IntervalValue} | null} enough: the
 *   fewest connections that nearly reach the highest throughput; fewer, more: `enough` and the case that it is compared with, by
 *   connections; ratio: of fewer to more, paired by round; null: fewer than two cases
 */
function plateauOf({ cases }, wait) {
  const curve = cases
    .filter(
      ({ params, rounds }) => params.wait === wait && rounds.length > 0 && rounds.every((each) => each.throughput > 0),
    )
    .sort((a, b) => a.params.connections - b.params.connections);
  const last = curve.at(-1);
  if (last === undefined || curve.length < 2) return null;
  const best = curve.reduce(higher);
  const enough = curve.find((one) => throughput(one) >= NEARLY * throughput(best)) ?? best;
  const other = enough === last ? curve.slice(0, -1).reduce(higher) : enough === best ? last : best;
  const [fewer, more] = enough === last ? [other, enough] : [enough, other];
  const pairs = Math.min(fewer.rounds.length, more.rounds.length);
  const [a, b] = [fewer, more].map(({ rounds }) => rounds.slice(0, pairs).map((round) => round.throughput));
  return { enough, best, fewer, more, ratio: pairedRatio(a, b) };
}

/** @type {(a: CaseResult, b: CaseResult) => CaseResult} */
const higher = (a, b) => (throughput(b) > throughput(a) ? b : a);
