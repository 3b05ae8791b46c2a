/**
 * @import { Estimate } from './estimate.js'
 * @import { Testbed } from './rounds.js'
 * @import { Planned } from './trials.js'
 * @import { TrialBenchmark as Benchmark } from './types.js'
 */
import { sum } from '../stats/statistics.js';
import { allEnded } from '../wait.js';

/** What a trial takes, roughly. The first estimate uses it. */
const TRIAL_SECONDS = 18;

/** @param {Pick<Benchmark, 'name'>} benchmark @param {number} lanes number of trials side by side */
export function trialPiece({ name }, lanes) {
  return { of: name, seconds: TRIAL_SECONDS / lanes };
}

/** @param {readonly Planned[]} plan @param {Testbed} testbed @param {{lanes?: number}} options @param {Estimate} estimate gets the trials */
export function planTrials(plan, testbed, options, estimate) {
  for (const { benchmark, cases } of plan) {
    const piece = trialPiece(benchmark, lanesOf(benchmark, plan, testbed, options));
    estimate.plan(piece, cases.length * testbed.profile.trials);
  }
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
 * @template T @param {readonly T[]} tasks begun in this order @param {number} lanes tasks under way at once, ≥ 1
 * @param {(task: T) => Promise<void>} work a rejection stops all lanes, each after the task that it has under way
 */
export async function inLanes(tasks, lanes, work) {
  // A loop that an error leaves ends the generator, and with it the loops of the other lanes.
  const waiting = (function* () {
    yield* tasks;
  })();
  const run = async () => {
    for (const task of waiting) await work(task);
  };
  await allEnded(Array.from({ length: lanes }, run));
}
