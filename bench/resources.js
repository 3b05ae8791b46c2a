import { resourceCharts } from '../src/report/charts/resources.js';
import * as column from '../src/report/columns.js';
import { count, percent } from '../src/report/format.js';
import { RESOURCES, useOf } from '../src/report/resources.js';
import { resourceChecks } from '../src/report/resources-checks.js';
import { activityOf, cpuText, resourceFindings } from '../src/report/resources-findings.js';
import { makeCase } from '../src/run/case.js';

/** As many as in the article on replication. */
const CONNECTIONS = 50;
const PAYLOAD_BYTES = 1024;
/** 50 MB of values on each node. */
const KEYS = 50_000;
const SECONDS = Object.freeze({ quick: 5, standard: 30, full: 300 });
/** A replica's command thread that has no more to give; as for the primary. */
const BUSY = 0.9;

/** What runs, and what a write waits for. */
const TOPOLOGIES = Object.freeze([
  { replicas: 0, wait: 0 },
  { replicas: 1, wait: 0 },
  { replicas: 2, wait: 1 },
]);

/**
 * @typedef {import('../src/run/types.js').CaseResult} CaseResult
 * @typedef {import('../src/run/types.js').Column} Column
 */

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: RESOURCES,
  suite: 'resources',
  question: 'What do the nodes use while idle, writing and reading, and what moves from the primary to its replicas?',
  method:
    `Values of ${count(PAYLOAD_BYTES)} B, ${count(KEYS)} keys that are there before, ${CONNECTIONS} connections with one operation ` +
    'under way on each. Three stacks one after the other: the primary alone; with one replica, asynchronous; with two, where each ' +
    'write waits for one of them. Where there are replicas, all reads go to them. Nothing is persisted, `min-replicas-to-write` is 0, ' +
    'and the Sentinels run.',
  needs: ['stop', 'stats'],
  generator: 'writes',
  ownStacks: true,
  stackSettings: {
    // The stack's own would refuse the writes of a primary alone.
    'min-replicas-to-write': '0',
  },
  pace: ({ name }) => ({ rounds: 1, seconds: SECONDS[name], warmUpSeconds: 1 }),
  cases: ({ client }) =>
    TOPOLOGIES.flatMap(({ replicas, wait }) => {
      const shape = { client, replicas, connections: CONNECTIONS, payloadBytes: PAYLOAD_BYTES, keyspace: KEYS };
      return [
        makeCase({ ...shape, operation: 'idle' }),
        makeCase({ ...shape, operation: 'set', wait }),
        makeCase({ ...shape, operation: 'get', readFrom: replicas > 0 ? 'replicas' : 'primary' }),
      ];
    }),
  table: [
    { title: 'activity', align: 'left', cell: activityOf },
    { title: 'replicas', align: 'right', cell: ({ params }) => String(params.replicas ?? '–') },
    {
      ...column.wait,
      cell: (result) => (result.params.operation === 'set' ? column.wait.cell(result) : ''),
    },
    { ...whenLoaded(column.throughput), title: 'throughput' },
    whenLoaded(column.p50),
    whenLoaded(column.p99),
    { title: 'primary CPU', align: 'right', cell: (result) => cpuText(useOf(result, 'primary')?.cpu) },
    { title: 'CPU of each replica', align: 'right', cell: replicasCell },
    { title: 'load CPU', align: 'right', cell: loadCell },
    { ...whenLoaded(column.limitedBy), cell: limitCell },
  ],
  charts: resourceCharts,
  findings: resourceFindings,
  checks: resourceChecks,
};

/** @param {CaseResult} result */
function isIdle({ params }) {
  return params.operation === 'idle';
}

/**
 * @param {Column} column
 * @returns {Column} the same, but for cases that have no load
 */
function whenLoaded(column) {
  return { ...column, cell: (result) => (isIdle(result) ? '' : column.cell(result)) };
}

/** @param {CaseResult} result of a benchmark with few rounds: the last stands for them */
function replicasCell({ rounds }) {
  const replicas = rounds.at(-1)?.nodes.filter(({ role }) => role === 'replica') ?? [];
  return replicas.map(({ cpu }) => cpuText(cpu)).join(', ');
}

/**
 * The whole process, or the load thread where that is all that is known.
 *
 * @param {CaseResult} result
 */
function loadCell(result) {
  return cpuText(useOf(result, 'load')?.cpu ?? result.rounds.at(-1)?.load.cpu);
}

/**
 * The verdict knows of the primary only; here replicas are what is read.
 *
 * @param {CaseResult} result
 */
function limitCell(result) {
  if (isIdle(result)) return '';
  const { limitedBy } = result.summary;
  const replicas = result.rounds.at(-1)?.nodes.filter(({ role }) => role === 'replica') ?? [];
  const busiest = Math.max(0, ...replicas.map(({ mainThreadCpu }) => mainThreadCpu ?? 0));
  return limitedBy === 'nothing' && busiest >= BUSY ? `a replica (${percent(busiest)})` : limitedBy;
}
