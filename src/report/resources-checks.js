/**
 * What the benchmark `resources` claims of its own rounds, and what can fail.
 */
import { count, percent, plural } from './format.js';
import { acked, caseFor, sentToReplicas, sum, topologiesOf } from './resources.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Check} Check
 * @typedef {import('./resources.js').Topology} Topology
 * @typedef {import('./resources.js').Operation} Operation
 */

/** Of the bytes that values alone take, so much is enough to tell who sent them: what is under way at the end is not counted. */
const ENOUGH = 0.9;
/** A node that sends less than this share of what was read did not answer the reads. */
const NEXT_TO_NOTHING = 0.1;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function resourceChecks({ cases }) {
  const topologies = topologiesOf(cases);
  return [
    check(
      'reads were answered by the nodes they were sent to, and found their keys',
      topologies,
      'get',
      readsWentAstray,
    ),
    check('what was written was sent to each replica', topologies, 'set', writesNotSent),
    check('nothing was sent while idle', topologies, 'idle', ({ rounds }) => {
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
  const own = topologies.flatMap((topology) => {
    const result = caseFor(topology, operation);
    return result ? [{ title: topology.title, wrong: wrong(result) }] : [];
  });
  const failed = own.filter((one) => one.wrong !== null);
  return {
    name,
    ok: own.length > 0 && failed.length === 0,
    detail:
      failed.length > 0
        ? failed.map((one) => `${one.title}: ${one.wrong}`).join('; ')
        : own.length === 0
          ? 'nothing of the kind was measured'
          : plural(own.length, 'case'),
  };
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
  const asked = params.readFrom === 'replicas' ? 'replica' : 'primary';
  for (const role of /** @type {const} */ (['primary', 'replica'])) {
    const counted = rounds.flatMap(({ nodes }) =>
      nodes.filter((node) => node.role === role).map(({ networkOutBytes }) => networkOutBytes),
    );
    const who = role === 'primary' ? role : 'replicas';
    if (counted.some((bytes) => bytes == null)) return `what the ${who} sent is not known`;
    const sent = sum(counted.map(Number));
    const share = sent / (answered * params.payloadBytes);
    const right = role === asked ? share >= ENOUGH : share <= NEXT_TO_NOTHING;
    if (!right) return `of what was read, the ${who} sent ${percent(share)}`;
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
  // Before Redis 7.0 a primary does not count it; its replicas have nobody else who sends them as much.
  const sent = sentToReplicas(result) ?? receivedByReplicas(result);
  if (sent === null) return 'what the primary sent is not known';
  const share = sent / written;
  const right = replicas === 0 ? sent === 0 : share >= ENOUGH * replicas;
  return right ? null : `the primary sent its replicas ${percent(share)} of what was written`;
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
