/** Idle, writing and reading on stacks of several sizes, as in the article on replication; of other databases, too. */
/** @import { CaseParams, CaseResult, RoundResult } from '../types.js' */

import { count, percent, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { makeCase } from '../../src/run/case.js';
import { sum } from '../../src/stats/statistics.js';

/** A node that sent this share of the bytes of all values answered them; the last operations of a round are not counted. */
export const ENOUGH = 0.9;
/** A node that sent less than this share of the bytes did not answer the reads. */
const NEXT_TO_NOTHING = 0.1;

/** @param {readonly (Partial<CaseParams> & {replicas: number})[]} stacks @param {Parameters<typeof makeCase>[0]} shape of the load */
export function activityCases(stacks, shape) {
  return stacks.flatMap(({ wait = 0, ...stack }) => {
    const own = { ...shape, ...stack };
    return [
      makeCase({ ...own, operation: 'idle' }),
      makeCase({ ...own, operation: 'set', wait }),
      makeCase({ ...own, operation: 'get', readFrom: stack.replicas > 0 ? 'replicas' : 'primary' }),
    ];
  });
}

/** @param {readonly CaseResult[]} cases @param {string} operation */
export const doing = (cases, operation) => cases.filter(({ params }) => (params.operation ?? 'set') === operation);

/** @param {readonly CaseResult[]} cases @param {(one: CaseResult) => string} title */
export function activityChecks(cases, title) {
  const reads = 'reads were answered by the nodes they were sent to, and found their keys';
  return [
    checkEach(reads, doing(cases, 'get'), readsWentAstray, { title }),
    checkEach(
      'idle rounds had no operations',
      doing(cases, 'idle'),
      ({ rounds }) => {
        const operations = sum(rounds.map((round) => round.operations));
        return operations === 0 ? null : plural(operations, 'operation');
      },
      { title },
    ),
  ];
}

/** @param {CaseResult} result */
function readsWentAstray(result) {
  const { rounds, params } = result;
  const answered = ackedIn(result);
  if (answered === 0) return 'no read was answered';
  const misses = sum(rounds.map(({ reads }) => reads?.misses ?? 0));
  if (misses > 0) return `${count(misses)} of ${count(answered)} reads found nothing`;
  const readRole = params.readFrom === 'replicas' ? 'replica' : 'primary';
  for (const role of /** @type {const} */ (['primary', 'replica'])) {
    const sent = bytesOf(result, role, 'networkOutBytes');
    const nodes = role === 'primary' ? role : 'replicas';
    if (sent === null) return `the bytes that the ${nodes} sent are not known`;
    const share = sent / (answered * params.payloadBytes);
    const right = role === readRole ? share >= ENOUGH : share <= NEXT_TO_NOTHING;
    if (!right) return `the ${nodes} sent ${percent(share)} of the bytes read`;
  }
  return null;
}

/** @param {CaseResult} result @returns {number} acknowledged operations of all rounds */
export const ackedIn = ({ rounds }) => sum(rounds.map(({ outcomes }) => outcomes.acked));

/**
 * @param {CaseResult} result
 * @param {RoundResult['nodes'][number]['role']} role
 * @param {'networkInBytes' | 'networkOutBytes'} field
 * @returns {number | null} of all nodes of the role; null: not known of one of them
 */
export function bytesOf({ rounds }, role, field) {
  const counted = rounds.flatMap(({ nodes }) => nodes.filter((node) => node.role === role).map((node) => node[field]));
  return counted.some((bytes) => bytes == null) ? null : sum(counted.map(Number));
}
