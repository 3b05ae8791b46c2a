/** How many trials run side by side, and running them so. */
import pLimit from 'p-limit';
import { sum } from '../stats/statistics.js';
import { trialPiece } from './progress.js';

/**
 * @import { Estimate } from './estimate.js'
 * @import { Testbed } from './rounds.js'
 * @import { Planned } from './trials.js'
 * @import { TrialBenchmark as Benchmark } from './types.js'
 */

/**
 * @param {readonly Planned[]} plan @param {Testbed} testbed @param {{lanes?: number}} options of the run
 * @param {Estimate} estimate gets the trials
 */
export function planTrials(plan, testbed, options, estimate) {
  for (const { benchmark, cases } of plan)
    estimate.plan(
      trialPiece(benchmark, lanesOf(benchmark, plan, testbed, options)),
      cases.length * testbed.profile.trials,
    );
}

/**
 * A stack that is not ours exists once, so its trials run one at a time.
 * @param {Benchmark} benchmark @param {readonly Planned[]} plan @param {Testbed} testbed @param {{lanes?: number}} options
 * @returns {number} ≥ 1: trials side by side while this benchmark is measured; at most the number of trials that run with as many lanes
 */
export function lanesOf(benchmark, plan, { stack, profile }, { lanes = 1 }) {
  if (!stack.about.ours) return 1;
  const most = (/** @type {Benchmark} */ each) => Math.min(lanes, each.mostLanes?.(profile) ?? lanes);
  const mostHere = most(benchmark);
  const alike = plan.filter((each) => most(each.benchmark) === mostHere);
  return Math.max(1, Math.min(mostHere, sum(alike.map(({ cases }) => cases.length)) * profile.trials));
}

/**
 * @template T @param {readonly T[]} tasks begun in this order
 * @param {number} lanes tasks under way at once, ≥ 1
 * @param {(task: T) => Promise<void>} work a rejection stops all lanes, each after the task that it has under way
 */
export async function inLanes(tasks, lanes, work) {
  const limit = pLimit(lanes);
  let failed = false;
  const outcomes = await Promise.allSettled(
    tasks.map((task) =>
      limit(async () => {
        if (failed) return;
        try {
          await work(task);
        } catch (error) {
          failed = true;
          throw error;
        }
      }),
    ),
  );
  const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
  if (rejected) throw rejected.reason;
}
