/** For tests only: what the checks of a benchmark find wrong in its cases. */
import assert from 'node:assert/strict';

/**
 * @import { BenchmarkResult, CaseResult, Check } from '../types.js'
 *
 * @param {(benchmark: BenchmarkResult) => Check[]} checksOf
 * @returns {(...cases: CaseResult[]) => string[]} name and detail of each check that fails
 */
export function failedBy(checksOf) {
  return (...cases) =>
    checksOf({ name: 'link', question: 'How?', status: 'ok', cases, findings: [], checks: [] }).flatMap(
      ({ ok, name, detail }) => (ok ? [] : `${name}: ${detail}`),
    );
}

/**
 * @param {(...cases: CaseResult[]) => string[]} failed
 * @param {readonly [expected: RegExp, ...cases: CaseResult[]][]} wrong each makes one check fail
 */
export function assertEachFails(failed, wrong) {
  for (const [expected, ...cases] of wrong) assert.match(failed(...cases).join('\n'), expected);
}

/** @param {number} toReplicaBytes @param {number | null} [cpu] of the tunnel @returns of a second */
export const wireOf = (toReplicaBytes, cpu = null) => ({
  toReplicaBytes,
  toPrimaryBytes: 0,
  seconds: 1,
  primaryEndCpu: cpu,
  replicaEndCpu: cpu,
});
