/**
 * Failure benchmarks: what the timelines say of the time before a fault and while it lasted.
 */
import { median } from '../measure/statistics.js';

/** @typedef {import('./failure-schema.js').TrialResult} TrialResult */

/**
 * @param {TrialResult} trial
 * @returns {{from: number, to: number} | null} milliseconds since the writers began; `to` is Infinity when nothing was undone;
 *   null: there was no fault
 */
function faultOf({ marks }) {
  const from = marks.find(({ what }) => what === 'fault begun')?.afterMs;
  const to = marks.findLast(({ what }) => what === 'fault undone')?.afterMs;
  return from === undefined ? null : { from, to: to ?? Number.POSITIVE_INFINITY };
}

/**
 * @param {TrialResult} trial
 * @param {'rejected' | 'underAcked' | 'unknown' | 'unsent'} outcome
 * @returns {number | null} milliseconds from the fault's beginning to the first step that has such a write; null: none has
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
