/** @import { Benchmark, BenchmarkResult, CaseResult } from '../types.js' */

import { percent } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { sum } from '../../src/stats/statistics.js';
import { declaredIn } from '../pages/declared.js';
import { factTable } from '../pages/fact-table.js';
import { ackedIn, activityCases, activityChecks, bytesOf, doing, ENOUGH } from './activities.js';
import { COLUMNS, nodesTitle } from './page.js';

const CONNECTIONS = 50;
const PAYLOAD_BYTES = 1024;
/** 50 MB of values on each node. */
const KEYS = 50_000;

const TOPOLOGIES = Object.freeze([
  { replicas: 0, wait: 0 },
  { replicas: 1, wait: 0 },
  { replicas: 2, wait: 1 },
]);

/** @type {Benchmark} */
export default {
  ...declaredIn(new URL('texts.yaml', import.meta.url)).resources,
  needs: ['stop', 'stats'],
  kind: 'load',
  usePerNode: true,
  // The stack's usual setting would refuse the writes of a primary without replicas.
  stacks: { settings: { 'min-replicas-to-write': '0' } },
  cases: ({ client }) =>
    activityCases(TOPOLOGIES, { client, connections: CONNECTIONS, payloadBytes: PAYLOAD_BYTES, keyspace: KEYS }),
  ...factTable(COLUMNS),
  checks: resourceChecks,
};

/** @param {BenchmarkResult} benchmark */
function resourceChecks({ cases }) {
  const [reads, idle] = activityChecks(cases, nodesTitle);
  const words = { title: nodesTitle };
  return [reads, checkEach('every replica was sent the writes', doing(cases, 'set'), writesNotSent, words), idle];
}

/** @param {CaseResult} result */
function writesNotSent(result) {
  const written = ackedIn(result) * result.params.payloadBytes;
  if (written === 0) return 'no write was acknowledged';
  const { replicas = 0 } = result.params;
  // Redis before 7.0 does not count these bytes. Replicas receive little else, so their count stands in.
  const sent = sentToReplicas(result) ?? bytesOf(result, 'replica', 'networkInBytes');
  if (sent === null) return 'the bytes that the primary sent are not known';
  const share = sent / written;
  const right = replicas === 0 ? sent === 0 : share >= ENOUGH * replicas;
  return right ? null : `the primary sent its replicas ${percent(share)} of the written bytes`;
}

/** @param {CaseResult} result @returns {number | null} bytes, to all replicas */
function sentToReplicas({ rounds }) {
  const sent = rounds.map(
    ({ nodes }) => nodes.find(({ role }) => role === 'primary')?.counters?.replicationOutBytes ?? null,
  );
  return sent.includes(null) ? null : sum(sent.map(Number));
}
