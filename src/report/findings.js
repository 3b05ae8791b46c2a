/**
 * Sentences computed from a benchmark's numbers: each says what was measured and how sure it is, and never more.
 */
import { notAckedShare } from './columns.js';
import { percent, range } from './format.js';

/** @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult */
/** @typedef {import('./schema.js').CaseResult} CaseResult */
/** @typedef {import('./schema.js').Finding} Finding */
/** @typedef {import('./schema.js').IntervalValue} IntervalValue */

/** With fewer rounds no interval of the median reaches 95 %; what is given then is the range of the rounds. */
const ROUNDS_FOR_INTERVAL = 5;
/** A wider interval, in shares of the baseline, hides costs that matter: it shows noise, not the lack of a cost. */
const WIDEST_FOR_NO_COST = 0.2;

/**
 * What a case costs against its baseline.
 *
 * @param {BenchmarkResult} benchmark
 * @param {string} id of the case
 * @param {{what: string, where: string}} words what: what the baseline does without (`WAIT 1`), starts the sentence;
 *   where: the rest of the circumstances (`at batch 1`), may be empty
 * @returns {Finding | null} null when the case or its ratio to a baseline is missing
 */
export function costFinding(benchmark, id, words) {
  const find = (/** @type {string | undefined} */ wanted) => benchmark.cases.find((one) => one.id === wanted);
  const result = find(id);
  const baseline = find(result?.summary.relativeToBaseline?.baseline);
  if (!result || !baseline) return null;
  const text = costSentence(result, baseline, words);
  return text === null ? null : { text, evidence: [baseline.id, result.id] };
}

/**
 * @param {CaseResult} result
 * @param {CaseResult} baseline
 * @param {{what: string, where: string}} words as for {@link costFinding}
 * @returns {string | null} such as `WAIT 1 costs 46 % of throughput at batch 1 (95 % interval 42–49 %)`; null when the
 *   case has no ratio to a baseline
 */
export function costSentence(result, baseline, { what, where }) {
  const ratio = result.summary.relativeToBaseline?.throughput;
  if (!ratio) return null;
  const rounds = Math.min(result.rounds.length, baseline.rounds.length);
  const at = where === '' ? '' : ` ${where}`;
  return `${what}${costOf(ratio, at, rounds)}${limits(result, baseline)}${losses(result, baseline)}`;
}

/**
 * @param {number} rounds
 * @returns {string} what an interval over so many rounds is to be called
 */
export function intervalName(rounds) {
  return rounds >= ROUNDS_FOR_INTERVAL ? '95 % interval' : `range of ${rounds} rounds`;
}

/**
 * @param {IntervalValue} ratio
 * @param {string} at
 * @param {number} rounds
 */
function costOf({ median, low, high }, at, rounds) {
  const evidence = (/** @type {number} */ from, /** @type {number} */ to) =>
    rounds === 1 ? 'one round, so no interval' : `${intervalName(rounds)} ${range(from, to, percent)}`;
  if (rounds > 1 && low <= 1 && high >= 1) {
    const shown = `(${evidence(1 - high, 1 - low)})`;
    return high - low <= WIDEST_FOR_NO_COST
      ? ` has no measurable cost in throughput${at} ${shown}`
      : `: noise hides what it costs in throughput${at}, if anything ${shown}`;
  }
  if (median <= 1) return ` costs ${percent(1 - median)} of throughput${at} (${evidence(1 - high, 1 - low)})`;
  return ` gains ${percent(median - 1)} of throughput${at} (${evidence(low - 1, high - 1)})`;
}

/**
 * A figure that the client limits says nothing about Redis.
 *
 * @param {CaseResult} result
 * @param {CaseResult} baseline
 */
function limits(result, baseline) {
  const [own, base] = [result, baseline].map(({ summary }) => summary.limitedBy === 'client');
  if (!own && !base) return '';
  const which = own && base ? 'both figures' : own ? 'this figure' : "the baseline's figure";
  return `; the client, not Redis, limited ${which}`;
}

/**
 * @param {CaseResult} result
 * @param {CaseResult} baseline
 */
function losses(result, baseline) {
  const own = notAckedShare(result);
  const base = notAckedShare(baseline);
  const told = [];
  if (own > 0) told.push(`${percent(own)} of its writes were not acked`);
  if (base > 0) told.push(`${percent(base)} of the baseline's writes were not acked`);
  return told.map((text) => `; ${text}`).join('');
}
