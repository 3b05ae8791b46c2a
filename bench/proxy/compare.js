/**
 * What the benchmarks of this suite share: clients that reach the primary through something, beside failover-aware clients, in the same modes.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { Titles, TrialBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 */
import { writerTitle } from '../../src/registry/writers.js';
import { finding } from '../../src/report/findings.js';
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { caseTitle, failureCases, SCENARIO } from '../experiments/cases.js';

/** The same client moves when a Sentinel says so. */
export const FOLLOWER = 'failover-aware';
/** @type {readonly ModeName[]} */
const MODES = ['async', 'min1', 'wait1', 'wait1-min1'];

/** @type {Titles} */
export const TITLES = Object.freeze({ case: caseTitle, writer: writerTitle });

/**
 * @param {string} writer of the clients that do not ask the Sentinels
 * @param {string} clients how sentences call them
 * @returns {Pick<TrialBenchmark, keyof typeof SCENARIO | 'titles' | 'needsFailover' | 'cases' | 'findings' | 'checks'>}
 */
export function comparison(writer, clients) {
  const writers = [writer, FOLLOWER];
  return {
    ...SCENARIO,
    titles: TITLES,
    needsFailover: true,
    cases: (options) => failureCases(options, { modes: MODES, writers }),
    findings: (benchmark) => [
      ...lossFinding(benchmark, writer, clients),
      ...lossFinding(benchmark, FOLLOWER, 'Failover-aware clients'),
    ],
    checks: (result) => [
      failoverHappened(result, { titles: TITLES }),
      ...auditChecks(result, { titles: TITLES, writers }),
    ],
  };
}

/** @param {BenchmarkResult} benchmark @param {string} writer */
export function rowsOfWriter(benchmark, writer) {
  return rowsOf(benchmark, { writers: [writer], titles: TITLES, each: true });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} writer
 * @param {string} clients
 * @returns {Finding[]} empty: nothing was measured
 */
function lossFinding(benchmark, writer, clients) {
  const rows = rowsOfWriter(benchmark, writer);
  if (rows.length === 0) return [];
  const [most] = rows.toSorted((a, b) => b.loss.most - a.loss.most);
  const lost =
    most.loss.most === 0 ? 'lost no acknowledged write' : `lost up to ${worstLoss(most.loss)}, with ${most.mode}`;
  return [finding(`losses-${writer}`, `${clients} ${lost}`, benchmark.cases)];
}
