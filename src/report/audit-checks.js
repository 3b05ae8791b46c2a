/**
 * What has to be true of every failure benchmark, whatever happened to the stack.
 */
import { everyNodeAgrees, nothingRejectedIsPresent, nothingUnsentIsPresent, noWrongValues } from './failure-checks.js';

/**
 * @param {import('./schema.js').BenchmarkResult} result
 * @returns {import('./schema.js').Check[]}
 */
export function auditChecks(result) {
  return [
    nothingRejectedIsPresent(result),
    nothingUnsentIsPresent(result),
    noWrongValues(result),
    everyNodeAgrees(result),
  ];
}
