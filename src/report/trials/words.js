/**
 * Figures of trials as text: times, parts of a whole, and the cells that tables share.
 *
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 * @import { Titles } from '../../run/types.js'
 */
import { count, duration, percent } from '../format.js';
import { staleReadsOf, total, unavailableOf } from './totals.js';

/** Not measured, or not applicable. Never a zero. */
export const NOT_MEASURED = '–';
/** A time that had no end while the writers wrote. */
export const TO_THE_END = 'to the end';

const NS_A_MS = 1e6;

/** For a benchmark whose suite gives no titles. @type {Titles} */
export const PLAIN_TITLES = Object.freeze({
  case: ({ level, client, variant }) => [level ?? client, ...(variant === undefined ? [] : [variant])].join(', '),
  writer: (name) => name,
});

/**
 * @param {number | null | undefined} ms ≥ 0; Infinity: it had no end
 * @returns {string} such as `1.20 s`, `0`, `–`
 */
export function milliseconds(ms) {
  if (ms === null || ms === undefined) return NOT_MEASURED;
  if (ms === 0) return '0';
  return Number.isFinite(ms) ? duration(ms * NS_A_MS) : TO_THE_END;
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string} such as `20 (0.061%)`, `0 of 38,500`, `–` when the whole is zero
 */
export function partOf(part, whole) {
  if (whole === 0) return NOT_MEASURED;
  return part === 0 ? `0 of ${count(whole)}` : `${count(part)} (${percent(part / whole)})`;
}

/**
 * @param {readonly AuditResult[]} audits at least one
 * @returns {string} for a sentence: `20 of 32,697 (0.061%)`, over several trials with their range
 */
export function lossText(audits) {
  const acked = total(audits, 'acked');
  const lost = total(audits, 'ackedLost');
  if (acked === 0) return 'nothing was acknowledged';
  if (lost === 0) return `0 of ${count(acked)}`;
  const trials = eachTrial(audits.map(({ ackedLost }) => ackedLost));
  return `${count(lost)} of ${count(acked)} (${percent(lost / acked)}${trials === '' ? '' : `; ${trials}`})`;
}

/**
 * @param {readonly number[]} values one a trial
 * @returns {string} such as `0–12 in each of 3 trials`; empty when there is only one
 */
export function eachTrial(values) {
  return values.length < 2 ? '' : `${rangeOf(values)} in each of ${values.length} trials`;
}

/**
 * @param {readonly AuditResult[]} audits of one writer
 * @param {boolean} ranges
 * @returns {string} such as `20 (0.061%)`, `15 (0.050%; 0–12 a trial)`, `0 of 38,500`, `–`
 */
export function lostCell(audits, ranges) {
  const acked = total(audits, 'acked');
  const lost = total(audits, 'ackedLost');
  if (!ranges || audits.length < 2 || lost === 0) return partOf(lost, acked);
  return `${count(lost)} (${percent(lost / acked)}; ${rangeOf(audits.map(({ ackedLost }) => ackedLost))} a trial)`;
}

/**
 * @param {readonly AuditResult[]} audits of one writer
 * @param {boolean} ranges
 * @returns {string} such as `1.20 s`, `to the end`, `1.20 s (1 of 3 trials to the end)`, `–`
 */
export function unavailableCell(audits, ranges) {
  if (audits.length === 0) return NOT_MEASURED;
  const { medianMs, toTheEnd } = unavailableOf(audits);
  const some = ranges && toTheEnd > 0 && toTheEnd < audits.length;
  if (!some) return milliseconds(medianMs);
  const trials = `${toTheEnd} of ${audits.length} trials`;
  return `${milliseconds(medianMs)} (${trials}${Number.isFinite(medianMs) ? ` ${TO_THE_END}` : ''})`;
}

/**
 * @param {readonly TrialResult[]} trials of one case
 * @returns {string} stale reads, of all that were answered
 */
export function staleCell(trials) {
  const { answered, stale } = staleReadsOf(trials);
  return partOf(stale, answered);
}

/** @param {number | null} value null: does not apply */
export function countOrNone(value) {
  return value === null ? NOT_MEASURED : count(value);
}

/** @param {readonly number[]} values at least one */
function rangeOf(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? count(low) : `${count(low)}–${count(high)}`;
}
