/** @import { BenchmarkResult, CaseResult, Check, IntervalValue } from '../../src/result/schema.js' */

import { bytes, duration, interval, range, rate, times } from '../../src/format.js';
import { programPath } from '../../src/programs.js';
import { programNames } from '../../src/registry/clients.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { median } from '../../src/stats/statistics.js';
import { readYaml } from '../../src/yaml.js';
import { shapeName } from './page.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const SHAPES = [
  { connections: 1, pipeline: 1 },
  { connections: 50, pipeline: 1 },
  { connections: 1, pipeline: 100 },
  { connections: 50, pipeline: 100 },
];
const KEYSPACE = 1_000_000;

/** @type {Benchmark} */
export default {
  name: 'engine',
  ...readYaml(new URL('texts.yaml', import.meta.url)).engine,
  kind: 'load',
  // Many short rounds, each tool right after the other: what disturbs the machine meets both.
  least: { rounds: 40, seconds: 0.3 },
  cases: ({ client }) =>
    SHAPES.flatMap((shape) =>
      (client ? [client] : ['native', ...programNames.filter((name) => programPath(name) !== null)]).map((tool) =>
        makeCase({ ...shape, client: tool, keyspace: KEYSPACE }, { client: client ?? 'native' }),
      ),
    ),
  table: [
    column.connections,
    column.batch,
    { ...column.client, title: 'tool' },
    column.throughput,
    column.right('range', ({ rounds }) => spread(rounds.map(({ throughput }) => throughput))),
    column.right('native ÷ tool (interval)', advantageCell),
    column.right('CPU an operation', (result) => middle(result, 'cpuPerOperationNs', duration)),
    column.right('peak memory', (result) => middle(result, 'peakMemoryBytes', bytes)),
    column.limitedBy,
  ],
  // Its chart is on the page.
  charts: () => [],
  checks: (result) => [everyWriteAcked(result), notSlower(result)],
};

/** @param {CaseResult} result @returns {IntervalValue | null} `native`’s throughput over this tool’s, paired by round */
function advantage({ summary }) {
  if (!summary.relativeToBaseline) return null;
  const { median, low, high } = summary.relativeToBaseline.throughput;
  return { median: 1 / median, low: 1 / high, high: 1 / low };
}

/** @param {CaseResult} result */
function advantageCell(result) {
  const value = advantage(result);
  return value === null ? '' : interval(value, times);
}

/** @param {number[]} values */
function spread(values) {
  return range(Math.min(...values), Math.max(...values), rate);
}

/** @param {CaseResult} result @param {'cpuPerOperationNs' | 'peakMemoryBytes'} field @param {(value: number) => string} format */
function middle({ rounds }, field, format) {
  const values = rounds.flatMap(({ load }) => load[field] ?? []);
  return values.length === 0 ? column.TOO_FEW : format(median(values));
}

/** @param {BenchmarkResult} result @returns {Check} */
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
