/**
 * What became of writes while replicas stood still: how many were acked when all that could run out had run out.
 */
import { median } from '../measure/statistics.js';

/**
 * @typedef {import('./failure-schema.js').TrialResult} TrialResult
 * @typedef {'acked' | 'underAcked' | 'rejected' | 'unknown' | 'unsent'} Outcome
 *
 * @typedef {Object} Spread over the trials; of each trial the writer that fared worst
 * @property {number} median 0 … 1
 * @property {number} low 0 … 1
 * @property {number} high 0 … 1
 *
 * @typedef {Object} Pause
 * @property {number} trials
 * @property {number} lengthMs the shortest of the trials’
 * @property {Spread} ackedAtEnd share of the writes that was acked in the last 2 s of the pause
 * @property {'rejected' | 'underAcked' | 'unknown' | 'unsent' | null} instead what most of the writes that were not acked in the
 *   last 2 s were answered, if answered at all; null: all were acked
 */

/** Long enough to even out what a connection waits for (WAIT's timeout is 1 s), short enough to be the end of a pause. */
const END_MS = 2000;
/** That a fault is undone is marked when it is; the undoing itself took some of the time before. */
const UNDOING_MS = 300;
/** @type {readonly Outcome[]} */
const OUTCOMES = ['acked', 'underAcked', 'rejected', 'unknown', 'unsent'];

/**
 * @param {readonly TrialResult[]} trials of one case
 * @param {readonly string[]} writers whose writes count
 * @returns {Pause | null} null: no trial had a pause that began and ended while they wrote
 */
export function pauseOf(trials, writers) {
  const measured = trials.flatMap((trial) => worstOf(trial, writers) ?? []);
  if (measured.length === 0) return null;
  return {
    trials: measured.length,
    lengthMs: Math.min(...measured.map(({ lengthMs }) => lengthMs)),
    ackedAtEnd: spread(measured.map(({ share }) => share)),
    instead: insteadOf(measured.map(({ end }) => end)),
  };
}

/**
 * @param {TrialResult} trial
 * @param {readonly string[]} writers
 * @returns {{lengthMs: number, share: number, end: Record<Outcome, number>} | null} of the writer of whose writes the smallest share was
 *   acked at the end
 */
function worstOf({ marks, stepMs, writers: all }, writers) {
  const fromMs = marks.findLast(({ what }) => what === 'fault begun')?.afterMs;
  // Of two paused replicas the first that goes on ends what is measured.
  const toMs = marks.find(({ what }) => what === 'fault undone')?.afterMs;
  if (fromMs === undefined || toMs === undefined) return null;
  const endMs = toMs - UNDOING_MS;
  const counted = all
    .filter(({ writer }) => writers.includes(writer))
    .flatMap((writer) => {
      const end = countBetween(writer, stepMs, { fromMs: Math.max(fromMs, endMs - END_MS), toMs: endMs });
      const due = OUTCOMES.reduce((sum, outcome) => sum + end[outcome], 0);
      return due === 0 ? [] : { lengthMs: toMs - fromMs, share: end.acked / due, end };
    });
  return counted.length === 0 ? null : counted.reduce((worst, each) => (each.share < worst.share ? each : worst));
}

/**
 * @param {TrialResult['writers'][number]} writer
 * @param {number} stepMs
 * @param {{fromMs: number, toMs: number}} span
 * @returns {Record<Outcome, number>} of the steps that lie in it as a whole
 */
function countBetween(writer, stepMs, { fromMs, toMs }) {
  const first = Math.ceil(fromMs / stepMs);
  const end = Math.max(first, Math.floor(toMs / stepMs));
  const counts = OUTCOMES.map((outcome) => [
    outcome,
    writer[outcome].slice(first, end).reduce((sum, count) => sum + count, 0),
  ]);
  return /** @type {Record<Outcome, number>} */ (Object.fromEntries(counts));
}

/** @param {readonly Record<Outcome, number>[]} ends */
function insteadOf(ends) {
  const sum = (/** @type {Outcome} */ outcome) => ends.reduce((all, end) => all + end[outcome], 0);
  const most = (/** @type {readonly ('rejected' | 'underAcked' | 'unknown' | 'unsent')[]} */ outcomes) =>
    outcomes.filter((outcome) => sum(outcome) > 0).sort((a, b) => sum(b) - sum(a))[0];
  // A write is not sent because those before it have no answer: what these were answered tells more.
  return most(['rejected', 'underAcked']) ?? most(['unknown', 'unsent']) ?? null;
}

/**
 * @param {readonly number[]} values at least one
 * @returns {Spread}
 */
function spread(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}
