/** For tests only: suites that are measured in a moment, and say nothing. */
import assert from 'node:assert/strict';
import { PROFILES } from './profiles.js';
import { runSuite } from './suite.js';

/**
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { RunOptions } from './suite.js'
 * @import { Benchmark, Case, Profile } from './types.js'
 *
 * @typedef {Pick<RunOptions, 'benchmarks'> & Partial<Omit<RunOptions, 'profile'>> & {profile?: Partial<Profile>}} WantedRun default: on the
 *   local backend, by the profile quick
 */

/** @param {WantedRun} wanted */
export function runQuietly({ profile, ...wanted }) {
  return runSuite({
    suite: 'test',
    profile: { ...PROFILES.quick, ...profile },
    seed: 1,
    command: 'sentinel-bench run',
    stack: { backend: 'local' },
    progress: { tell() {}, now() {}, stop() {} },
    signal: new AbortController().signal,
    ...wanted,
  });
}

/** @param {WantedRun} wanted @returns {Promise<Result>} of a run that nothing stopped */
export async function resultOf(wanted) {
  const { result, stopped } = await runQuietly(wanted);
  assert.equal(stopped, undefined);
  return result;
}

/** @param {BenchmarkResult | undefined} benchmark @returns {asserts benchmark is BenchmarkResult} */
export function assertMeasured(benchmark) {
  assert.equal(benchmark?.status, 'ok', benchmark?.reason);
}

/** @param {Pick<BenchmarkResult, 'checks'>} benchmark */
export function assertChecksHold({ checks }) {
  const failed = checks.filter(({ ok }) => !ok);
  assert.deepEqual(failed, []);
}

/**
 * @template {Benchmark} T
 * @param {T} benchmark
 * @param {(theCase: Case) => boolean} isWanted
 * @returns {T} with these of its cases
 */
export function only(benchmark, isWanted) {
  /** @type {T['cases']} */
  const cases = (options) => benchmark.cases(options).filter(isWanted);
  return { ...benchmark, cases };
}
