import { peerNames } from '../src/load/peers.js';
import { median } from '../src/measure/statistics.js';
import { programPath } from '../src/programs.js';
import { shareOfNative } from '../src/report/charts/dots.js';
import * as column from '../src/report/columns.js';
import { intervalName } from '../src/report/findings.js';
import { bytes, duration, interval, range, rate } from '../src/report/format.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

/** @typedef {import('../src/run/types.js').CaseResult} CaseResult */
/** @typedef {import('../src/run/types.js').BenchmarkResult} BenchmarkResult */

const SHAPES = [
  { connections: 1, pipeline: 1 },
  { connections: 50, pipeline: 1 },
  { connections: 1, pipeline: 100 },
  { connections: 50, pipeline: 100 },
];
const KEYSPACE = 1_000_000;

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'engine',
  suite: 'engine',
  question: 'Is `native`, the load client of this tool, as fast as the load generators written in C?',
  method:
    'Each tool writes 64 B values to a million random keys for about as long, with one thread and equally long keys; the ' +
    'figure of another tool is the one it reports itself. CPU an operation is that of the whole process that makes the load, ' +
    'another tool’s with its start and its connecting. Peak memory of `native` is that of this whole program, with its ' +
    'orchestration and its results.',
  needs: [],
  generator: 'writes',
  least: { rounds: 9, seconds: 1 },
  cases: ({ client }) =>
    SHAPES.flatMap((shape) =>
      (client ? [client] : ['native', ...peerNames.filter((name) => programPath(name) !== null)]).map((tool) =>
        makeCase(
          { ...shape, client: /** @type {CaseResult['params']['client']} */ (tool), keyspace: KEYSPACE },
          { client: client ?? 'native' },
        ),
      ),
    ),
  table: [
    column.connections,
    column.batch,
    { ...column.client, title: 'tool' },
    column.throughput,
    { title: 'range', align: 'right', cell: ({ rounds }) => spread(rounds.map(({ throughput }) => throughput)) },
    { title: 'native ÷ tool (interval)', align: 'right', cell: advantageCell },
    { title: 'CPU an operation', align: 'right', cell: (result) => middle(result, 'cpuPerOperationNs', duration) },
    { title: 'peak memory', align: 'right', cell: (result) => middle(result, 'peakMemoryBytes', bytes) },
    column.limitedBy,
  ],
  charts: (result) => [shareOfNative(result, shapeName)],
  findings: (result) => [
    ...result.cases.map(advantageFinding).filter((finding) => finding !== null),
    ...peerNames
      .filter((name) => !result.cases.some(({ params }) => params.client === name))
      .map((name) => ({ text: `\`${name}\` was not measured; to compare with it, have it on PATH.`, evidence: [] })),
  ],
  checks: (result) => [everyWriteAcked(result), notSlower(result)],
};

/**
 * @param {CaseResult} result
 * @returns {import('../src/report/schema.js').IntervalValue | null} `native`’s throughput over this one’s, paired by round
 */
function advantage({ summary }) {
  if (!summary.relativeToBaseline) return null;
  const { median, low, high } = summary.relativeToBaseline.throughput;
  return { median: 1 / median, low: 1 / high, high: 1 / low };
}

/** @param {number} value */
const times = (value) => `${value.toFixed(2)} ×`;

/** @param {CaseResult} result */
function advantageCell(result) {
  const value = advantage(result);
  return value === null ? '' : interval(value, times);
}

/** @param {number[]} values */
function spread(values) {
  return range(Math.min(...values), Math.max(...values), rate);
}

/**
 * @param {CaseResult} result
 * @param {'cpuPerOperationNs' | 'peakMemoryBytes'} field
 * @param {(value: number) => string} format
 */
function middle({ rounds }, field, format) {
  const known = rounds.flatMap(({ load }) => load[field] ?? []);
  return known.length === 0 ? column.TOO_FEW : format(median(known));
}

/** @param {CaseResult['params']} params */
function shapeName({ connections, pipeline }) {
  const where = connections === 1 ? '1 connection' : `${connections} connections`;
  return pipeline === 1 ? where : `${where} with pipelines of ${pipeline}`;
}

/**
 * @param {CaseResult} result
 * @returns {import('../src/run/types.js').Finding | null}
 */
function advantageFinding(result) {
  const value = advantage(result);
  if (value === null) return null;
  const { id, params, rounds, summary } = result;
  const verdict = value.low > 1 ? 'faster than' : value.high < 1 ? 'slower than' : 'not told apart from';
  const text =
    `At ${shapeName(params)} \`native\` is ${verdict} \`${params.client}\`: ${times(value.median)} its throughput ` +
    `(${intervalName(rounds.length)} ${range(value.low, value.high, times)}).`;
  return { text, evidence: [summary.relativeToBaseline?.baseline ?? '', id] };
}

/**
 * @param {BenchmarkResult} result
 * @returns {import('../src/run/types.js').Check}
 */
function notSlower({ cases }) {
  const compared = cases.flatMap((one) => {
    const value = advantage(one);
    return value === null ? [] : [{ name: `${one.params.client} at ${shapeName(one.params)}`, value }];
  });
  const lost = compared.filter(({ value }) => value.high < 1);
  return {
    name: 'native is at least as fast as the other tools',
    ok: lost.length === 0,
    detail:
      lost.length === 0
        ? `${compared.length} comparisons`
        : lost.map(({ name, value }) => `${interval(value, times)} of ${name}`).join('; '),
  };
}
