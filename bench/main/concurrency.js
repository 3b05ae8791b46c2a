/** @import { BenchmarkResult, CaseResult, Finding, IntervalValue } from '../../src/result/schema.js' */
import { p99Against, throughputAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { bounds, finding, headlineShare, isDecided, roundsText } from '../../src/report/findings.js';
import { count, percent, rate } from '../../src/report/format.js';
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
  profiles: ['standard', 'full'],
  kind: 'load',
  turns: true,
  cases: ({ client }) =>
    CONNECTIONS.flatMap((connections) => WAITS.map((wait) => makeCase({ client, connections, wait }, { wait: 0 }))),
  table: [column.connections, column.wait, ...column.MEASURED],
  charts: (result) => [ringedThroughput(result), p99Against(result, STEPS)],
  findings: (result) => WAITS.flatMap((wait) => plateauFinding(result, wait)),
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

/**
 * What WAIT costs where further connections add nothing: the capacity, not the speed of one connection.
 *
 * @param {BenchmarkResult} result
 * @returns {string[]} one sentence; empty: not measured
 */
export function capacityText(result) {
  const plateau = plateauOf(result, 1);
  const one = plateau?.enough;
  const ratio = one?.summary.relativeToBaseline;
  const base = result.cases.find(({ id }) => id === ratio?.baseline);
  if (!one || !ratio || !base) return [];
  const { more } = plateau;
  const beyond =
    more === one ? '' : ` With ${count(more.params.connections)} connections WAIT 1 reaches ${rate(throughput(more))}.`;
  return [
    `Saturated, ${count(one.params.connections)} connections with one write at a time each: WAIT 1 costs ${headlineShare(column.costOf(ratio.throughput))} of throughput (${rate(throughput(one))} of ${rate(throughput(base))}, ${roundsText(one.rounds.length)}).${beyond}`,
  ];
}

/**
 * @param {BenchmarkResult} result
 * @param {number} wait
 * @returns {Finding[]}
 */
function plateauFinding(result, wait) {
  const found = plateauOf(result, wait);
  if (found === null) return [];
  const { enough, best, fewer, more, ratio } = found;
  const mode = wait === 0 ? 'without WAIT' : `with WAIT ${wait}`;
  const [few, many] = [fewer, more].map(({ params }) => count(params.connections));
  const id = `plateau-wait${wait}`;
  if (!isDecided(ratio)) {
    const text = `The plateau ${mode} is undecided: ${few} connections reach ${bounds(ratio)} of the throughput of ${many}`;
    return [finding(id, text, [fewer, more])];
  }
  const [main, other] = enough === more ? [more, fewer] : [fewer, more];
  const falls = enough === best && throughput(other) < NEARLY * throughput(best);
  const verb = enough === more ? 'still rises at' : falls ? 'peaks at' : 'plateaus at';
  const limit = best.summary.limitedBy === 'nothing' ? '' : `; limited by the ${best.summary.limitedBy}`;
  const text =
    `Throughput ${mode} ${verb} ${count(main.params.connections)} connections: ${rate(throughput(main))}, ` +
    `${rate(throughput(other))} at ${count(other.params.connections)}, ${roundsText(best.rounds.length)}${limit}`;
  return [finding(id, text, [fewer, more])];
}
