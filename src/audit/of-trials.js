/**
 * What the trials of a result counted: audits and timelines of a case, and their sums.
 * @import { AuditResult, TrialResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../result/schema.js'
 * @typedef {ReturnType<typeof unavailableOf>} Unavailable
 * @typedef {{[K in keyof AuditResult]-?: AuditResult[K] extends number ? K : never}[keyof AuditResult]} CountField
 */
import { sum } from '../stats/statistics.js';
import { outageOf } from './judgement.js';

/** It was measured in trials. @param {BenchmarkResult} benchmark */
export function isFailureBenchmark({ audit, timeline }) {
  return audit !== undefined || timeline !== undefined;
}

/** Every benchmark with cases was measured in trials. @param {readonly BenchmarkResult[]} benchmarks */
export function onlyFailures(benchmarks) {
  return (
    benchmarks.some(isFailureBenchmark) &&
    benchmarks.every((benchmark) => isFailureBenchmark(benchmark) || benchmark.cases.length === 0)
  );
}

/** @param {Pick<BenchmarkResult, 'audit'>} benchmark @param {Pick<CaseResult, 'id'>} one @returns {AuditResult[]} */
export function auditsOf({ audit = [] }, { id }) {
  return audit.filter((each) => each.case === id);
}

/** @param {readonly AuditResult[]} audits @returns {AuditResult[][]} those of each trial */
export function byTrial(audits) {
  const rounds = [...new Set(audits.map(({ round }) => round))];
  return rounds.map((round) => audits.filter((audit) => audit.round === round));
}

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @returns {TrialResult[]} in order */
export function trialsOf({ timeline = [] }, { id }) {
  return timeline.filter((trial) => trial.case === id).sort((a, b) => a.round - b.round);
}

/** @param {readonly AuditResult[]} audits @param {CountField} field */
export function total(audits, field) {
  return sum(audits.map((audit) => audit[field]));
}

/** Null: the field does not apply to any audit. @param {readonly AuditResult[]} audits @param {'appliedTwice' | 'falseAcks' | 'falseAcksLost'} field */
export function totalOrNull(audits, field) {
  const numbers = audits.map((audit) => audit[field]).filter((value) => value !== null);
  return numbers.length === 0 ? null : sum(numbers);
}

/**
 * The longest time without an acknowledgement, over the trials. Infinity: it lasted until the end, as in `toTheEnd` trials.
 * @param {readonly AuditResult[]} audits at least one
 */
export function unavailableOf(audits) {
  const sorted = audits.map(outageOf).sort((a, b) => a - b);
  const toTheEnd = sorted.filter((ms) => !Number.isFinite(ms)).length;
  // The mean of the middle two; Infinity if one of them has no end.
  const medianMs = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return { medianMs, lowMs: sorted[0], highMs: sorted[sorted.length - 1], toTheEnd };
}

/** By how much the times of two writers may be apart. @param {Pick<TrialResult, 'agents'>} trial */
function clockBoundMs({ agents = [] }) {
  if (agents.length < 2) return 0;
  const [first, second] = agents.map(({ clock }) => clock.boundMs).sort((a, b) => b - a);
  return first + second;
}

/** One that is shorter than the clocks are exact counts as none. @param {readonly TrialResult[]} trials @returns ms; null: no trial */
export function longestSplitBrain(trials) {
  const shown = (/** @type {TrialResult} */ trial) =>
    trial.windows.splitBrainMs > clockBoundMs(trial) ? trial.windows.splitBrainMs : 0;
  return trials.length === 0 ? null : Math.max(...trials.map(shown));
}
