/**
 * Failure benchmarks: what of a trial's timeline is shown, and in which phases its figures are told.
 */
import { auditsOf, total, trialsOf, unavailableOf } from './failure-totals.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./failure-schema.js').TrialResult} TrialResult
 * @typedef {import('./failure-schema.js').MarkValue} MarkValue
 *
 * @typedef {Object} Turn a mark that changes the course of a trial
 * @property {string} letter
 * @property {MarkValue} mark
 * @property {number} step in which it falls, counted from 0
 *
 * @typedef {Object} Phase from one turn to the next, in whole steps: the step in which a turn falls belongs to the phase
 *   that it begins
 * @property {Turn[]} turns that it begins with; several when they fall into one step; none: the start of the load
 * @property {number} fromMs since the writers began
 * @property {number} toMs since the writers began
 * @property {PhaseFigures[]} writers
 *
 * @typedef {Object} PhaseFigures
 * @property {string} writer
 * @property {number} ackedPerSecond
 * @property {number} underAcked
 * @property {number} rejected
 * @property {number} unknown
 * @property {number} unsent
 * @property {number | null} highestP99Ms of a step; null: nothing was answered OK
 *
 * @typedef {{trial: TrialResult, rounds: number, lost: number, unavailableMs: number | null}} Worst unavailableMs: the longest
 *   of its writers, Infinity: to the end; null: there is no audit
 */

/** Of what the Sentinels say: the first time that any of them says it of a node. */
const TELLING = ['+odown', '+switch-master'];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * The round to show of a case: most acknowledged writes lost, then longest unavailable.
 *
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {Worst | null} null: the case has no timeline
 */
export function worstTrial(benchmark, one) {
  const trials = trialsOf(benchmark, one);
  const audits = auditsOf(benchmark, one);
  const judged = trials.map((trial) => {
    const own = audits.filter(({ round }) => round === trial.round);
    return {
      trial,
      rounds: trials.length,
      lost: total(own, 'ackedLost'),
      unavailableMs: own.length === 0 ? null : unavailableOf(own).highMs,
    };
  });
  const [first, ...others] = judged;
  if (!first) return null;
  const longer = (/** @type {Worst} */ a, /** @type {Worst} */ b) => (a.unavailableMs ?? -1) > (b.unavailableMs ?? -1);
  return others.reduce(
    (worst, each) => (each.lost > worst.lost || (each.lost === worst.lost && longer(each, worst)) ? each : worst),
    first,
  );
}

/** @param {TrialResult} trial */
export function stepsOf({ writers }) {
  return Math.max(0, ...writers.map(({ acked }) => acked.length));
}

/**
 * @param {TrialResult} trial
 * @returns {Turn[]} while the writers wrote, by time: all that the harness did, and the first of what the Sentinels decided
 */
export function turnsOf(trial) {
  const { marks, stepMs } = trial;
  const steps = stepsOf(trial);
  const seen = new Set();
  return marks
    .filter(({ who, what, detail }) => {
      if (who === 'harness') return true;
      const key = `${what} ${detail}`;
      if (!TELLING.includes(what) || seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map((mark) => ({ mark, step: Math.floor(mark.afterMs / stepMs) }))
    .filter(({ step }) => step >= 0 && step < steps)
    .sort((a, b) => a.mark.afterMs - b.mark.afterMs)
    .slice(0, LETTERS.length)
    .map((turn, i) => ({ ...turn, letter: LETTERS[i] }));
}

/**
 * @param {TrialResult} trial
 * @returns {Phase[]} none when there are no steps
 */
export function phasesOf(trial) {
  const { stepMs } = trial;
  const end = stepsOf(trial);
  if (end === 0) return [];
  const turns = turnsOf(trial);
  const starts = [...new Set([0, ...turns.map(({ step }) => step)])];
  return starts.map((start, i) => {
    const next = starts[i + 1] ?? end;
    const own = turns.filter(({ step }) => step === start);
    const following = turns.find(({ step }) => step === next);
    return {
      turns: own,
      fromMs: own[0]?.mark.afterMs ?? 0,
      toMs: following?.mark.afterMs ?? end * stepMs,
      writers: trial.writers.map((writer) => figuresOf(writer, start, next, stepMs)),
    };
  });
}

/**
 * @param {TrialResult['writers'][number]} writer
 * @param {number} from step
 * @param {number} to step, not included
 * @param {number} stepMs
 * @returns {PhaseFigures}
 */
function figuresOf({ writer, p99Ms, ...counts }, from, to, stepMs) {
  const sum = (/** @type {number[]} */ steps) => steps.slice(from, to).reduce((all, count) => all + count, 0);
  const known = p99Ms.slice(from, to).filter((p99) => p99 !== null);
  return {
    writer,
    ackedPerSecond: sum(counts.acked) / (((to - from) * stepMs) / 1000),
    underAcked: sum(counts.underAcked),
    rejected: sum(counts.rejected),
    unknown: sum(counts.unknown),
    unsent: sum(counts.unsent),
    highestP99Ms: known.length === 0 ? null : Math.max(...known),
  };
}

/**
 * Marks of the same kind about the same node, put together.
 *
 * @param {TrialResult} trial
 * @returns {{what: string, detail: string, times: {who: string, afterMs: number}[]}[]} by the first of each
 */
export function groupMarks({ marks }) {
  /** @type {Map<string, {what: string, detail: string, times: {who: string, afterMs: number}[]}>} */
  const groups = new Map();
  for (const { what, detail, who, afterMs } of [...marks].sort((a, b) => a.afterMs - b.afterMs)) {
    const key = JSON.stringify([what, detail]);
    const group = groups.get(key) ?? { what, detail, times: [] };
    group.times.push({ who, afterMs });
    groups.set(key, group);
  }
  return [...groups.values()];
}
