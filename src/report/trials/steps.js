/**
 * What the marks and steps of a trial show: the fault, the failover, and the time before and during the fault.
 *
 * @import { TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult } from '../../result/schema.js'
 */
import { median } from '../../stats/statistics.js';

const NOT_ELECTED = '-failover-abort-not-elected';

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {{from: number, to: number, detail: string} | null} from the first fault, with its detail, to the last undoing, in
 *   milliseconds since the writers began; `to` is Infinity when no fault was undone; null: there was no fault
 */
export function faultOf({ marks }) {
  const begun = marks.find(({ what }) => what === 'fault begun');
  const to = marks.findLast(({ what }) => what === 'fault undone')?.afterMs;
  return begun ? { from: begun.afterMs, to: to ?? Number.POSITIVE_INFINITY, detail: begun.detail } : null;
}

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} a Sentinel reported that it promoted a replica
 */
export function sawFailover({ marks }) {
  return marks.some(({ what }) => what === '+switch-master');
}

/**
 * A trial without a promotion shows neither what a failover loses nor how long it takes.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {BenchmarkResult} with the audits and timelines of the trials that saw a failover
 */
export function failoversOf(benchmark) {
  const timeline = (benchmark.timeline ?? []).filter(sawFailover);
  const audit = (benchmark.audit ?? []).filter((each) =>
    timeline.some((trial) => trial.case === each.case && trial.round === each.round),
  );
  return { ...benchmark, timeline, audit };
}

/**
 * Sentinels that try at the same moment can split the votes, so that no one has a majority. They try again after twice their
 * failover-timeout (`sentinelStartFailoverIfNeeded` in Redis's src/sentinel.c).
 *
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} they tried, and no Sentinel was elected while the writers wrote
 */
export function electedNobody(trial) {
  return trial.marks.some(({ what }) => what === NOT_ELECTED) && !sawFailover(trial);
}

/**
 * @param {TrialResult} trial
 * @param {'rejected' | 'underAcked' | 'unknown' | 'unsent'} outcome
 * @returns {number | null} milliseconds from the fault's beginning to the first step that has such a write; null: no step has
 */
export function firstStep(trial, outcome) {
  const fault = faultOf(trial);
  if (!fault) return null;
  const firsts = trial.writers.flatMap((writer) => {
    const index = writer[outcome].findIndex((number, step) => number > 0 && (step + 1) * trial.stepMs > fault.from);
    return index < 0 ? [] : Math.max(0, index * trial.stepMs - fault.from);
  });
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/**
 * @param {readonly TrialResult[]} trials
 * @returns {{before: number | null, during: number | null}} the median, over the steps of all writers and trials, of a step's
 *   p99 response time in milliseconds; null: there is no such step
 */
export function duringFault(trials) {
  /** @type {number[]} */
  const before = [];
  /** @type {number[]} */
  const during = [];
  for (const trial of trials) {
    const fault = faultOf(trial);
    if (!fault) continue;
    for (const { p99Ms } of trial.writers) {
      p99Ms.forEach((value, step) => {
        const begins = step * trial.stepMs;
        const ends = begins + trial.stepMs;
        if (value === null) return;
        if (ends <= fault.from) before.push(value);
        else if (begins >= fault.from && ends <= fault.to) during.push(value);
      });
    }
  }
  return {
    before: before.length === 0 ? null : median(before),
    during: during.length === 0 ? null : median(during),
  };
}
