/**
 * What has to be true of every failure benchmark, whatever happened to the stack.
 */
import {
  everyNodeAgrees,
  failoverHappened,
  nothingAckedLost,
  nothingRejectedIsPresent,
  nothingUnsentIsPresent,
  noWrongValues,
} from './failure-checks.js';
import { groupsOf, OWN_WRITERS } from './failure-totals.js';

/**
 * @template {import('./failure-totals.js').Choice} C
 * @param {import('./schema.js').BenchmarkResult} result
 * @param {C} choice
 * @param {(result: import('./schema.js').BenchmarkResult, choice: C) => import('./schema.js').Check} check
 * @returns {import('./schema.js').Check[]} none when the run was asked to leave such cases out, as with `--client redis`; a case
 *   that was tried and failed makes the benchmark fail by itself
 */
export function whereMeasured(result, choice, check) {
  const { levels, variant, writers } = choice;
  return groupsOf(result, { levels, variant, writers }).length === 0 ? [] : [check(result, choice)];
}

/**
 * @param {import('./schema.js').BenchmarkResult} result
 * @returns {import('./schema.js').Check[]}
 */
export function auditChecks(result) {
  return [
    // A library that sends a write again may have it refused after it was applied; that is told of as a finding.
    ...whereMeasured(result, { writers: OWN_WRITERS }, nothingRejectedIsPresent),
    nothingUnsentIsPresent(result),
    noWrongValues(result),
    everyNodeAgrees(result),
  ];
}

/**
 * What has to be true besides when a replica is promoted.
 *
 * @param {import('./schema.js').BenchmarkResult} result
 * @returns {import('./schema.js').Check[]}
 */
export function failoverChecks(result) {
  return [
    failoverHappened(result),
    // Whichever replica is promoted, it has confirmed the write.
    ...whereMeasured(result, { name: 'nothing that WAIT 2 acknowledged is lost', levels: ['wait2'] }, nothingAckedLost),
    ...auditChecks(result),
  ];
}
