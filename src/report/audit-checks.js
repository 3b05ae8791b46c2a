/**
 * What has to be true of every failure benchmark, whatever happened to the stack.
 */
import { everyNodeAgrees, nothingRejectedIsPresent, nothingUnsentIsPresent, noWrongValues } from './failure-checks.js';
import { OWN_WRITERS } from './failure-totals.js';

/**
 * @param {import('./schema.js').BenchmarkResult} result
 * @returns {import('./schema.js').Check[]}
 */
export function auditChecks(result) {
  return [
    // A library that sends a write again may have it refused after it was applied; that is told of as a finding.
    nothingRejectedIsPresent(result, { writers: OWN_WRITERS }),
    nothingUnsentIsPresent(result),
    noWrongValues(result),
    everyNodeAgrees(result),
  ];
}
