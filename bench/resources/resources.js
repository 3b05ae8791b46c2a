/**
 * The benchmark `resources`: its cases, its table and its checks.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Operation, Topology } from '../../src/report/resources.js'
 * @import { Benchmark, Column } from '../../src/run/types.js'
 */

import { count, percent, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { activityOf, cpuText, topologiesOf, useOf } from '../../src/report/resources.js';
import { makeCase } from '../../src/run/case.js';
import { sum } from '../../src/stats/statistics.js';
import { caseFor, resourceCharts } from './charts.js';

/** A command thread this busy is the limit; the same share as for the primary. */
const BUSY = 0.9;
/** As many as in the article on replication. */
const CONNECTIONS = 50;
const PAYLOAD_BYTES = 1024;
/** 50 MB of values on each node. */
const KEYS = 50_000;
const SECONDS = Object.freeze({ quick: 5, standard: 30, full: 300 });

/** A node that sent this share of the bytes of all values answered them; the last operations of a round are not counted. */
const ENOUGH = 0.9;
/** A node that sent less than this share of the bytes did not answer the reads. */
const NEXT_TO_NOTHING = 0.1;

/** Each has its own stack. */
const TOPOLOGIES = Object.freeze([
  { replicas: 0, wait: 0 },
  { replicas: 1, wait: 0 },
  { replicas: 2, wait: 1 },
]);

/** @type {Benchmark} */
export default {
  name: 'resources',
  question: 'What do the nodes use while idle, writing and reading, and how much load moves to the replicas?',
  method:
    `Values of ${count(PAYLOAD_BYTES)} B, ${count(KEYS)} preloaded keys, ${CONNECTIONS} connections with one operation at a time ` +
    'each. Three stacks one after the other: the primary alone; one replica, asynchronous; two replicas and WAIT 1. Reads go to the ' +
    'replicas if the stack has any. Nothing is persisted, `min-replicas-to-write` is 0, and the Sentinels run.',
  needs: ['stop', 'stats'],
  kind: 'load',
  usePerNode: true,
  // The stack's usual setting would refuse the writes of a primary without replicas.
  stacks: { settings: { 'min-replicas-to-write': '0' } },
  pace: ({ name }) => ({ rounds: name === 'quick' ? 1 : 5, seconds: SECONDS[name], warmUpSeconds: 1 }),
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
    column.left('activity', activityOf),
    column.right('replicas', ({ params }) => String(params.replicas ?? '–')),
    {
      ...column.wait,
      cell: (result) => (result.params.operation === 'set' ? column.wait.cell(result) : ''),
    },
    { ...whenLoaded(column.throughput), title: 'throughput' },
    whenLoaded(column.p50),
    whenLoaded(column.p99),
    column.right('primary CPU', (result) => cpuText(useOf(result, 'primary')?.cpu)),
    column.right('CPU of each replica', replicasCell),
    column.right('load CPU', loadCell),
    whenLoaded({ ...column.limitedBy, cell: limitOf }),
  ],
  charts: resourceCharts,
  findings: () => [],
  checks: resourceChecks,
};

/** @param {CaseResult} result */
function isIdle({ params }) {
  return params.operation === 'idle';
}

/**
 * @param {Column} column
 * @returns {Column} empty for idle cases
 */
function whenLoaded(column) {
  return { ...column, cell: (result) => (isIdle(result) ? '' : column.cell(result)) };
}

/** @param {CaseResult} result shows its last round */
function replicasCell({ rounds }) {
  const replicas = rounds.at(-1)?.nodes.filter(({ role }) => role === 'replica') ?? [];
  return replicas.map(({ cpu }) => cpuText(cpu)).join(', ');
}

/**
 * The general verdict ignores replicas, but here they answer the reads.
 *
 * @param {CaseResult} result
 * @returns {string} such as `primary` or `a replica (97%)`
 */
export function limitOf({ summary: { limitedBy }, rounds }) {
  const replicas = rounds.at(-1)?.nodes.filter(({ role }) => role === 'replica') ?? [];
  const busiest = Math.max(0, ...replicas.map(({ mainThreadCpu }) => mainThreadCpu ?? 0));
  if (busiest < BUSY) return limitedBy;
  return `a replica (${percent(busiest)})${limitedBy === 'nothing' ? '' : `, ${limitedBy}`}`;
}

/**
 * The whole process, or the load thread alone if nothing else is known.
 *
 * @param {CaseResult} result
 */
function loadCell(result) {
  return cpuText(useOf(result, 'load')?.cpu ?? result.rounds.at(-1)?.load.cpu);
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
function resourceChecks({ cases }) {
  const topologies = topologiesOf(cases);
  return [
    check(
      'reads were answered by the nodes they were sent to, and found their keys',
      topologies,
      'get',
      readsWentAstray,
    ),
    check('every replica was sent the writes', topologies, 'set', writesNotSent),
    check('idle rounds had no operations', topologies, 'idle', ({ rounds }) => {
      const operations = sum(rounds.map((round) => round.operations));
      return operations === 0 ? null : `${count(operations)} operations`;
    }),
  ];
}

/**
 * @param {string} name
 * @param {readonly Topology[]} topologies
 * @param {Operation} operation
 * @param {(result: CaseResult) => string | null} wrong null: nothing
 * @returns {Check}
 */
function check(name, topologies, operation, wrong) {
  const operationCases = topologies.flatMap((topology) => {
    const result = caseFor(topology, operation);
    return result ? { title: topology.title, result } : [];
  });
  return checkEach(name, operationCases, ({ result }) => wrong(result), {
    title: ({ title }) => title,
    well: () => plural(operationCases.length, 'case'),
  });
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function readsWentAstray(result) {
  const { rounds, params } = result;
  const answered = acked(result);
  if (answered === 0) return 'no read was answered';
  const misses = sum(rounds.map(({ reads }) => reads?.misses ?? 0));
  if (misses > 0) return `${count(misses)} of ${count(answered)} reads found nothing`;
  const readRole = params.readFrom === 'replicas' ? 'replica' : 'primary';
  for (const role of /** @type {const} */ (['primary', 'replica'])) {
    const counted = rounds.flatMap((round) =>
      round.nodes.filter((node) => node.role === role).map(({ networkOutBytes }) => networkOutBytes),
    );
    const nodes = role === 'primary' ? role : 'replicas';
    if (counted.some((bytes) => bytes == null)) return `the bytes that the ${nodes} sent are not known`;
    const sent = sum(counted.map(Number));
    const share = sent / (answered * params.payloadBytes);
    const right = role === readRole ? share >= ENOUGH : share <= NEXT_TO_NOTHING;
    if (!right) return `the ${nodes} sent ${percent(share)} of the bytes read`;
  }
  return null;
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function writesNotSent(result) {
  const written = acked(result) * result.params.payloadBytes;
  if (written === 0) return 'no write was acknowledged';
  const { replicas = 0 } = result.params;
  // Redis before 7.0 does not count these bytes. Replicas receive little else, so their count stands in.
  const sent = sentToReplicas(result) ?? receivedByReplicas(result);
  if (sent === null) return 'the bytes that the primary sent are not known';
  const share = sent / written;
  const right = replicas === 0 ? sent === 0 : share >= ENOUGH * replicas;
  return right ? null : `the primary sent its replicas ${percent(share)} of the written bytes`;
}

/**
 * @param {CaseResult} result
 * @returns {number | null} bytes; null: not known of one of them
 */
function receivedByReplicas({ rounds }) {
  const received = rounds.flatMap(({ nodes }) =>
    nodes.filter(({ role }) => role === 'replica').map(({ networkInBytes }) => networkInBytes),
  );
  return received.some((bytes) => bytes == null) ? null : sum(received.map(Number));
}

/**
 * @param {CaseResult} result
 * @returns {number} acknowledged operations of all rounds
 */
function acked({ rounds }) {
  return sum(rounds.map(({ outcomes }) => outcomes.acked));
}

/**
 * @param {CaseResult} result
 * @returns {number | null} bytes, to all replicas
 */
function sentToReplicas({ rounds }) {
  const sent = rounds.map(
    ({ nodes }) => nodes.find(({ role }) => role === 'primary')?.counters?.replicationOutBytes ?? null,
  );
  return sent.includes(null) ? null : sum(sent.map(Number));
}
