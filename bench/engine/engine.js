/** @import { Benchmark, BenchmarkResult } from '../types.js' */

import { interval, times } from '../../src/format.js';
import { programPath } from '../../src/programs.js';
import { programNames } from '../../src/registry/clients.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { factTable } from '../pages/fact-table.js';
import { COLUMNS, shapeName } from './page.js';

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
  ...factTable([
    ...COLUMNS,
    { title: 'CPU an operation', metric: 'load-cpu-per-operation', format: 'ms' },
    { title: 'peak memory', metric: 'load-peak-memory', format: 'bytes' },
  ]),
  // Its chart is on the page.
  charts: () => [],
  checks: (result) => [everyWriteAcked(result), notSlower(result)],
};

/** @param {BenchmarkResult} result */
function notSlower({ cases }) {
  const compared = cases.filter(({ summary }) => summary.relativeToBaseline);
  return checkEach(
    'native is at least as fast as the other tools',
    compared,
    ({ summary: { relativeToBaseline } }) => {
      const share = relativeToBaseline?.throughput;
      return share && share.low > 1 ? `${interval(share, times)} the throughput of native` : null;
    },
    { title: ({ params }) => `${params.client} at ${shapeName(params)}` },
  );
}
