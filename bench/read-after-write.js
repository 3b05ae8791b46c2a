import { SEQUENCE_DIGITS } from '../src/load/read-after-write.js';
import { consistencyOf, staleReadsChart, staleTimesChart } from '../src/report/charts/staleness.js';
import * as column from '../src/report/columns.js';
import { duration, count as formatCount, percent } from '../src/report/format.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const WRITERS = 4;
const BACKGROUND = [0, 4];
const WAITS = [0, 1, 2];

/**
 * @typedef {import('../src/run/types.js').CaseResult} CaseResult
 * @typedef {NonNullable<CaseResult['rounds'][number]['consistency']>} Consistency
 * @typedef {import('../src/run/types.js').Column} Column
 */

/** @type {Column} */
const background = {
  title: 'meanwhile',
  align: 'left',
  cell: ({ params }) =>
    params.backgroundConnections ? `${params.backgroundConnections} more writers` : 'nothing else',
};

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'read-after-write',
  suite: 'main',
  question: 'Does a replica show a write as soon as the primary has acknowledged it?',
  method:
    'As soon as a write is acknowledged (by as many as its WAIT asks for), in the same turn of the event loop, the key is read ' +
    'on both replicas; several connections do so at once, alone and while others write batches of 50. A read that does not see ' +
    'the write is repeated until it does, while a WAIT for both replicas runs.',
  needs: [],
  generator: 'read-after-write',
  cases: ({ client }) =>
    BACKGROUND.flatMap((backgroundConnections) =>
      WAITS.map((wait) =>
        makeCase({ client, wait, connections: WRITERS, payloadBytes: SEQUENCE_DIGITS, backgroundConnections }),
      ),
    ),
  table: [
    background,
    column.wait,
    count('reads', ({ reads }) => reads),
    share('seen at once', ({ immediate }) => immediate),
    share('seen after WAIT', ({ afterWait }) => afterWait),
    share('still stale', ({ stale }) => stale),
    staleFor('stale for, p50', 'p50'),
    staleFor('longest', 'max'),
    column.limitedBy,
  ],
  charts: (result) => [staleReadsChart(result), staleTimesChart(result)],
  findings: (result) => WAITS.map((wait) => staleReads(result, wait)),
  checks: (result) => [everyWriteAcked(result), nothingStaleAfterWaitForAll(result)],
};

/**
 * @param {string} title
 * @param {(consistency: Consistency) => number} value
 * @returns {Column}
 */
function count(title, value) {
  return { title, align: 'right', cell: (result) => formatCount(value(consistencyOf(result))) };
}

/**
 * @param {string} title
 * @param {(consistency: Consistency) => number} part
 * @returns {Column}
 */
function share(title, part) {
  return {
    title,
    align: 'right',
    cell: (result) => {
      const consistency = consistencyOf(result);
      return consistency.reads === 0 ? column.TOO_FEW : percent(part(consistency) / consistency.reads);
    },
  };
}

/**
 * @param {string} title
 * @param {'p50' | 'max'} field
 * @returns {Column}
 */
function staleFor(title, field) {
  return {
    title,
    align: 'right',
    cell: ({ summary }) => (summary.samples === 0 ? column.TOO_FEW : duration(summary.latencyNs[field])),
  };
}

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @param {number} wait
 * @returns {import('../src/run/types.js').Finding}
 */
function staleReads(result, wait) {
  const own = result.cases.filter(({ params }) => params.wait === wait);
  const told = own.map((one) => {
    const { reads, immediate } = consistencyOf(one);
    const late = reads - immediate;
    const share = `${formatCount(late)} of ${formatCount(reads)}${late === 0 ? '' : ` (${percent(late / reads)})`}`;
    const longest = late === 0 ? '' : `, stale for up to ${duration(one.summary.latencyNs.max)}`;
    return `${share} ${one.params.backgroundConnections ? 'under load' : 'with nothing else going on'}${longest}`;
  });
  const level = wait === 0 ? 'without WAIT' : `after WAIT ${wait}`;
  return {
    text: `Reads on a replica that did not show a write acknowledged ${level}: ${told.join('; ')}`,
    evidence: own.map(({ id }) => id),
  };
}

/**
 * WAIT's count means that so many replicas have processed the write, so a WAIT that counted all of them leaves no replica
 * that does not show it.
 *
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Check}
 */
function nothingStaleAfterWaitForAll({ cases }) {
  const own = cases.filter(({ params }) => params.wait === Math.max(...WAITS));
  const sums = own.map(consistencyOf);
  const reads = sums.reduce((sum, one) => sum + one.reads, 0);
  const late = sums.reduce((sum, one) => sum + one.reads - one.immediate, 0);
  return {
    name: 'after a WAIT that both replicas answered, each of them shows the write',
    ok: reads > 0 && late === 0,
    detail: `${formatCount(late)} of ${formatCount(reads)} reads did not`,
  };
}
