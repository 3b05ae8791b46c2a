import { p99Against, throughputAgainst } from '../src/report/charts/against.js';
import * as column from '../src/report/columns.js';
import { count, percent, rate } from '../src/report/format.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const CONNECTIONS = [1, 10, 50, 100];
const WAITS = [0, 1];
/** So much of the highest throughput counts as having reached it. */
const NEARLY = 0.95;
const STEPS = /** @type {const} */ ({ by: 'connections', what: 'connections', label: count });

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'concurrency',
  suite: 'main',
  question: 'How many connections does it take until more of them bring nothing, with and without WAIT?',
  method:
    'Each connection writes one value at a time, each write with its WAIT in one flush; all connections share one load thread.',
  needs: [],
  generator: 'writes',
  cases: ({ client }) =>
    CONNECTIONS.flatMap((connections) => WAITS.map((wait) => makeCase({ client, connections, wait }, { wait: 0 }))),
  table: [column.connections, column.wait, ...column.MEASURED],
  charts: (result) => [
    throughputAgainst(result, {
      ...STEPS,
      marks: {
        cases: WAITS.flatMap((wait) => knee(result, wait)?.enough ?? []),
        note: `Ringed: the first that comes within ${percent(1 - NEARLY)} of the highest.`,
      },
    }),
    p99Against(result, STEPS),
  ],
  findings: (result) => WAITS.map((wait) => plateau(result, wait)).filter((finding) => finding !== null),
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {import('../src/run/types.js').CaseResult} one */
const throughput = (one) => one.summary.throughput.median;

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @param {number} wait
 * @returns {{best: import('../src/run/types.js').CaseResult, enough: import('../src/run/types.js').CaseResult} | null} the case with the
 *   highest throughput, and the first that nearly has it; null: there is nothing to compare
 */
function knee({ cases }, wait) {
  const own = cases.filter(({ params }) => params.wait === wait);
  if (own.length < 2) return null;
  const best = own.reduce((a, b) => (throughput(b) > throughput(a) ? b : a));
  return { best, enough: own.find((one) => throughput(one) >= NEARLY * throughput(best)) ?? best };
}

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @param {number} wait
 * @returns {import('../src/run/types.js').Finding | null}
 */
function plateau(result, wait) {
  const found = knee(result, wait);
  if (found === null) return null;
  const { best, enough } = found;
  const share = throughput(enough) / throughput(best);
  const level = wait === 0 ? 'Without WAIT' : `With WAIT ${wait}`;
  const limit = best.summary.limitedBy === 'nothing' ? '' : ` The ${best.summary.limitedBy} limited the best figure.`;
  const text =
    enough === best
      ? `${level} throughput was highest at ${best.params.connections} connections, ${rate(throughput(best))}; no fewer came within ${percent(1 - NEARLY)} of it.${limit}`
      : `${level} ${enough.params.connections} connections gave ${rate(throughput(enough))}, ${percent(share)} of the most that was seen (${rate(throughput(best))} at ${best.params.connections}).${limit}`;
  return { text, evidence: [...new Set([enough.id, best.id])] };
}
