/**
 * The benchmark `resources`: its cases, its table and its checks.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */

import { count, percent, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { makeCase } from '../../src/run/case.js';
import { sum } from '../../src/stats/statistics.js';
import { readYaml } from '../../src/yaml.js';
import { factTable } from '../pages/fact-table.js';
import { nodesTitle } from './charts.js';
import { COLUMNS } from './page.js';

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
  ...readYaml(new URL('texts.yaml', import.meta.url)).resources,
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
  ...factTable(COLUMNS),
  checks: resourceChecks,
};

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
function resourceChecks({ cases }) {
  const doing = (/** @type {string} */ operation) =>
    cases.filter((one) => (one.params.operation ?? 'set') === operation);
  const check = (
    /** @type {string} */ name,
    /** @type {string} */ operation,
    /** @type {(one: CaseResult) => string | null} */ wrong,
  ) => checkEach(name, doing(operation), wrong, { title: nodesTitle });
  return [
    check('reads were answered by the nodes they were sent to, and found their keys', 'get', readsWentAstray),
    check('every replica was sent the writes', 'set', writesNotSent),
    check('idle rounds had no operations', 'idle', ({ rounds }) => {
      const operations = sum(rounds.map((round) => round.operations));
      return operations === 0 ? null : plural(operations, 'operation');
    }),
  ];
}

/** @param {CaseResult} result */
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

/** @param {CaseResult} result */
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

/** @param {CaseResult} result @returns {number | null} bytes; null: not known of one of them */
function receivedByReplicas({ rounds }) {
  const received = rounds.flatMap(({ nodes }) =>
    nodes.filter(({ role }) => role === 'replica').map(({ networkInBytes }) => networkInBytes),
  );
  return received.some((bytes) => bytes == null) ? null : sum(received.map(Number));
}

/** @param {CaseResult} result @returns {number} acknowledged operations of all rounds */
function acked({ rounds }) {
  return sum(rounds.map(({ outcomes }) => outcomes.acked));
}

/** @param {CaseResult} result @returns {number | null} bytes, to all replicas */
function sentToReplicas({ rounds }) {
  const sent = rounds.map(
    ({ nodes }) => nodes.find(({ role }) => role === 'primary')?.counters?.replicationOutBytes ?? null,
  );
  return sent.includes(null) ? null : sum(sent.map(Number));
}
