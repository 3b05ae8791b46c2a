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
import { benchmarkOf } from '../experiments/benchmark.js';
import { caseTitle, failureCases } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';

/** The same client moves when a Sentinel says so. */
export const FOLLOWER = 'failover-aware';
/** @type {readonly ModeName[]} */
const MODES = ['async', 'min1', 'wait1', 'wait1-min1'];

/** @type {Titles} */
export const TITLES = Object.freeze({ case: caseTitle, writer: writerTitle });

/**
 * @param {string} experiment its id
 * @param {Object} compared
 * @param {string} compared.writer of the clients that do not ask the Sentinels
 * @param {string} compared.clients how sentences call them
 * @param {Partial<TrialBenchmark>} compared.own what the benchmark says otherwise than the experiment
 * @returns {TrialBenchmark}
 */
export function comparison(experiment, { writer, clients, own }) {
  const writers = [writer, FOLLOWER];
  return benchmarkOf(experimentNamed(experiment), {
    cases: (options) => failureCases(options, { modes: MODES, writers }),
    own: {
      titles: TITLES,
      needsFailover: true,
      findings: (benchmark) => [
        ...lossFinding(benchmark, writer, clients),
        ...lossFinding(benchmark, FOLLOWER, 'Failover-aware clients'),
      ],
      checks: (result) => [
        failoverHappened(result, { titles: TITLES }),
        ...auditChecks(result, { titles: TITLES, writers }),
      ],
      ...own,
    },
  });
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
