/**
 * What the benchmarks of this suite share: clients that reach the primary through something, beside failover-aware clients, in the same modes.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { benchmarkOf } from '../experiments/benchmark.js';
import { failureCases, CASE_TITLES as TITLES } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';

/** The same client moves when a Sentinel says so. */
export const FOLLOWER = 'failover-aware';
const MODES = ['async', 'min1', 'wait1', 'wait1-min1'];

/**
 * @param {string} experiment its id
 * @param {Object} compared
 * @param {string} compared.writer of the clients that do not ask the Sentinels
 * @param {Partial<TrialBenchmark>} compared.own what the benchmark says otherwise than the experiment
 * @returns {TrialBenchmark}
 */
export function comparison(experiment, { writer, own }) {
  const writers = [writer, FOLLOWER];
  return benchmarkOf(experimentNamed(experiment), {
    cases: (options) => failureCases(options, { modes: MODES, writers }),
    own: {
      titles: TITLES,
      needsFailover: true,
      checks: (result) => [
        failoverHappened(result, { titles: TITLES }),
        ...auditChecks(result, { titles: TITLES, writers }),
      ],
      ...own,
    },
  });
}
