/**
 * What the nodes use while idle, writing and reading, as in the article on replication.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Case, LoadBenchmark } from '../../src/run/types.js'
 */

import { count, percent, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { activityOf } from '../../src/report/resources.js';
import { makeCase } from '../../src/run/case.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { sum } from '../../src/stats/statistics.js';
import { readYaml } from '../../src/yaml.js';
import { factTable } from '../pages/fact-table.js';
import { patientSettings } from './modes.js';
import { stackTitle } from './titles.js';

/** As many as in the article. */
const CONNECTIONS = 50;
/** A row of a usual size. */
const PAYLOAD_BYTES = 256;
const KEYS = 10_000;
/** The article's rounds took five minutes. An answer to a claim needs five rounds. */
const PACE = Object.freeze({
  quick: { rounds: 2, seconds: 2, warmUpSeconds: 0.5 },
  standard: { rounds: 5, seconds: 9, warmUpSeconds: 1 },
  full: { rounds: 5, seconds: 300, warmUpSeconds: 1 },
});

/** Each is a stack of its own, one of the article's. */
const STACKS = Object.freeze([
  { replicas: 0, mode: 'async' },
  { replicas: 1, mode: 'async' },
  { replicas: 2, mode: 'after-sync' },
]);

/**
 * @param {Pick<CaseParams, 'client' | 'connections' | 'payloadBytes'> & Partial<CaseParams>} shape of the load
 * @returns {Case[]} idle, writing and reading, on each stack
 */
export function activityCases(shape) {
  return STACKS.flatMap(({ replicas, mode }) => {
    const own = { ...shape, replicas, mode, settings: patientSettings(mode) };
    return [
      makeCase({ ...own, operation: 'idle' }),
      makeCase({ ...own, operation: 'set' }),
      makeCase({ ...own, operation: 'get', readFrom: replicas > 0 ? 'replicas' : 'primary' }),
    ];
  });
}

/** @type {LoadBenchmark} */
export default {
  name: 'semi-sync-resources',
  ...readYaml(new URL('texts.yaml', import.meta.url))['semi-sync-resources'],
  system: 'mariadb',
  kind: 'load',
  needs: ['stop', 'stats', 'configure'],
  usePerNode: true,
  stacks: {},
  parameters: CustomParameters,
  pace: ({ name }) => PACE[name],
  cases: () =>
    activityCases({ client: 'mysql2', connections: CONNECTIONS, payloadBytes: PAYLOAD_BYTES, keyspace: KEYS }),
  ...factTable([
    { title: 'stack', text: ({ params }) => stackTitle(params) },
    { title: 'activity', text: activityOf },
    { title: 'operations/s', metric: 'throughput', format: 'rate' },
    { title: 'p50', metric: 'p50-service-time', format: 'ms' },
    { title: 'p99', metric: 'p99-service-time', format: 'ms' },
    { title: 'primary CPU', metric: 'primary-cpu', format: 'percent' },
    { title: 'replicas CPU', metric: 'replica-cpu', format: 'percent' },
    { title: 'primary memory', metric: 'primary-memory', format: 'bytes' },
    { title: 'replicas memory', metric: 'replica-memory', format: 'bytes' },
  ]),
  checks: resourceChecks,
};

/** @param {CaseResult} one */
function isIdle({ params }) {
  return params.operation === 'idle';
}

/** The primary sent less than this share of the bytes read: others answered the reads. */
const NEXT_TO_NOTHING = 0.1;

/** @param {BenchmarkResult} result @returns {Check[]} */
function resourceChecks({ cases }) {
  const title = (/** @type {CaseResult} */ one) => `${stackTitle(one.params)}, ${activityOf(one)}`;
  const doing = (/** @type {string} */ operation) => cases.filter(({ params }) => params.operation === operation);
  return [
    checkEach('every read found its row, on the node that it was sent to', doing('get'), readsWentAstray, { title }),
    checkEach(
      'idle rounds had no operations',
      cases.filter(isIdle),
      ({ rounds }) => {
        const operations = sum(rounds.map((round) => round.operations));
        return operations === 0 ? null : plural(operations, 'operation');
      },
      { title },
    ),
  ];
}

/** @param {CaseResult} one @returns {string | null} */
function readsWentAstray({ rounds, params }) {
  const answered = sum(rounds.map(({ outcomes }) => outcomes.acked));
  const misses = sum(rounds.map(({ reads }) => reads?.misses ?? 0));
  if (answered === 0) return 'no read was answered';
  if (misses > 0) return `${count(misses)} of ${count(answered)} reads found nothing`;
  if (params.readFrom !== 'replicas') return null;
  const sent = sum(
    rounds.flatMap(({ nodes }) =>
      nodes.filter(({ role }) => role === 'primary').map((node) => node.networkOutBytes ?? 0),
    ),
  );
  const share = sent / (answered * params.payloadBytes);
  return share <= NEXT_TO_NOTHING ? null : `the primary sent ${percent(share)} of the bytes read`;
}
