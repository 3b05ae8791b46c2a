/**
 * Failure benchmarks: the words and figures that tables and sentences have in common.
 */

import { total, unavailableOf } from './failure-totals.js';
import { count, duration, percent } from './format.js';

/**
 * @typedef {import('./failure-totals.js').AuditResult} AuditResult
 * @typedef {import('./failure-totals.js').CaseParams} CaseParams
 */

/** Stands where nothing was measured, or where it does not apply. Never a zero. */
export const NOT_MEASURED = '–';
/** Instead of a time that had no end while the writers wrote. */
export const TO_THE_END = 'to the end';

/** Redis's own default; only another one is worth a word. */
const DEFAULT_MAX_LAG = '10';
const NS_A_MS = 1e6;

/**
 * @param {CaseParams} params
 * @returns {string} the durability level as Redis calls its parts, such as `WAIT 1 + min-replicas 1`
 */
export function levelTitle({ wait, waitLocal, settings, level }) {
  if (settings === undefined && level !== undefined) return level;
  const parts = [];
  if (waitLocal !== undefined) parts.push(`WAITAOF ${waitLocal} ${wait}`);
  else if (wait > 0) parts.push(`WAIT ${wait}`);
  const { appendonly, appendfsync, ...rest } = settings ?? {};
  const replicas = rest['min-replicas-to-write'] ?? '0';
  const lag = rest['min-replicas-max-lag'] ?? DEFAULT_MAX_LAG;
  if (replicas !== '0') parts.push(`min-replicas ${replicas}${lag === DEFAULT_MAX_LAG ? '' : `, lag ${lag}`}`);
  if (appendonly === 'yes') parts.push(appendfsync === 'no' ? 'AOF, no fsync' : `AOF ${appendfsync ?? ''}`.trimEnd());
  return parts.length === 0 ? 'async' : parts.join(' + ');
}

/**
 * @param {CaseParams} params
 * @returns {string} level and variant, for sentences and headings
 */
export function caseTitle(params) {
  return params.variant === undefined ? levelTitle(params) : `${levelTitle(params)}, ${params.variant}`;
}

/**
 * @param {{params: CaseParams}} one
 * @returns {string} as {@link caseTitle}, with the library that wrote, where one did
 */
export function titleWithClient({ params }) {
  return params.client === 'native' ? caseTitle(params) : `${caseTitle(params)}, ${params.client}`;
}

/**
 * @param {number | null | undefined} ms ≥ 0; Infinity: had no end
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
 * @returns {string} such as `20 (0.061 %)`; of nothing nothing can be told; `0 of 38,500`, for a zero weighs as much as
 *   what it was found among
 */
export function partOf(part, whole) {
  if (whole === 0) return NOT_MEASURED;
  return part === 0 ? `0 of ${count(whole)}` : `${count(part)} (${percent(part / whole)})`;
}

/**
 * @param {readonly AuditResult[]} audits at least one
 * @returns {string} for a sentence: `20 of 32,697 (0.061 %)`, over several rounds with their range
 */
export function lossText(audits) {
  const acked = total(audits, 'acked');
  const lost = total(audits, 'ackedLost');
  if (acked === 0) return 'none, for nothing was acknowledged';
  if (lost === 0) return `none of ${count(acked)}`;
  const rounds = eachRound(audits.map(({ ackedLost }) => ackedLost));
  return `${count(lost)} of ${count(acked)} (${percent(lost / acked)}${rounds === '' ? '' : `; ${rounds}`})`;
}

/**
 * @param {readonly number[]} values one a round
 * @returns {string} such as `0–12 in each of 3 rounds`; empty when there is but one
 */
export function eachRound(values) {
  if (values.length < 2) return '';
  const low = Math.min(...values);
  const high = Math.max(...values);
  return `${low === high ? count(low) : `${count(low)}–${count(high)}`} in each of ${values.length} rounds`;
}

/**
 * @param {readonly AuditResult[]} audits at least one
 * @returns {string} for a sentence: `1.20 s`, over several rounds `1.20 s (0.98 s to 1.41 s over 3 rounds)`
 */
export function unavailableText(audits) {
  const { medianMs, lowMs, highMs } = unavailableOf(audits);
  const spread =
    lowMs === highMs ? '' : ` (${milliseconds(lowMs)} … ${milliseconds(highMs)} over ${audits.length} rounds)`;
  return `${milliseconds(medianMs)}${spread}`;
}
