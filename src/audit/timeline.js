/**
 * The course of a trial in steps of equal length: what became of the writes, and how long they took. Pure.
 */
import { dueMs, State, TICKS_A_MS } from './ledger.js';

/**
 * @import { TrialResult } from '../result/failure-schema.js'
 * @import { Ledger } from './ledger.js'
 */

const STEP_MS = 100;
const TAIL_SHARE = 0.99;

/**
 * @typedef {TrialResult['writers'][number]} WriterTimeline
 *
 * @typedef {Object} TimedWriter
 * @property {string} name
 * @property {Ledger} ledger
 * @property {number} writes numbers 0 … writes - 1 were due
 * @property {number} rate
 */

/**
 * @param {Object} trial
 * @param {TimedWriter[]} trial.writers
 * @param {number} [trial.stepMs] > 0; default 100
 * @param {number} trial.endMs since the writers began; what comes later counts in the last step
 * @returns {TrialResult['writers']} step n is from n × stepMs until before (n + 1) × stepMs
 */
export function timelineOf({ writers, stepMs = STEP_MS, endMs }) {
  const steps = Math.max(1, Math.ceil(endMs / stepMs));
  return writers.map((writer) => writerTimeline(writer, { steps, stepMs }));
}

/**
 * @param {TimedWriter} writer
 * @param {{steps: number, stepMs: number}} scale
 * @returns {WriterTimeline}
 */
function writerTimeline({ name, ledger, writes, rate }, { steps, stepMs }) {
  const { states, ticks } = ledger;
  const counts = Array.from({ length: 6 }, () => new Uint32Array(steps));
  /** @param {number} atMs */
  const stepAt = (atMs) => Math.min(steps - 1, Math.floor(atMs / stepMs));
  /** @param {number} number */
  const answerStep = (number) => stepAt(ticks[number] / TICKS_A_MS);

  for (let number = 0; number < writes; number++) {
    const state = states[number];
    const answered = state === State.acked || state === State.underAcked || state === State.rejected;
    counts[state][answered ? answerStep(number) : stepAt(dueMs(number, rate))]++;
  }

  // All response times in one piece of memory, those of a step beside each other.
  const starts = new Uint32Array(steps + 1);
  for (let step = 0; step < steps; step++) {
    starts[step + 1] = starts[step] + counts[State.acked][step] + counts[State.underAcked][step];
  }
  const times = new Float64Array(starts[steps]);
  const next = starts.slice();
  for (let number = 0; number < writes; number++) {
    const state = states[number];
    if (state !== State.acked && state !== State.underAcked) continue;
    times[next[answerStep(number)]++] = Math.max(0, ticks[number] / TICKS_A_MS - dueMs(number, rate));
  }

  return {
    writer: name,
    acked: [...counts[State.acked]],
    underAcked: [...counts[State.underAcked]],
    rejected: [...counts[State.rejected]],
    unknown: [...counts[State.unknown]],
    // A due write that was not looked at was not sent either.
    unsent: Array.from(counts[State.unsent], (count, step) => count + counts[State.none][step]),
    p99Ms: Array.from({ length: steps }, (_, step) => p99(times.subarray(starts[step], starts[step + 1]))),
  };
}

/**
 * @param {Float64Array} times milliseconds; sorted afterwards
 * @returns {number | null} the smallest of them that 99% do not exceed, to the resolution of the ledger; null: there is none
 */
function p99(times) {
  if (times.length === 0) return null;
  times.sort();
  return Math.round(times[Math.ceil(times.length * TAIL_SHARE) - 1] * TICKS_A_MS) / TICKS_A_MS;
}
