/**
 * Figures of trials: grouped by case and writer, summed, and as text.
 * @import { AuditResult } from '../../result/failure-schema.js' @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { CaseVariation } from '../../result/variation.js' @import { Titles } from '../../run/types.js'
 * @typedef {{modes?: readonly string[], variation?: CaseVariation, writers?: readonly string[], titles?: Titles}} Choice a filter; absent fields
 *   do not restrict. modes: such as `wait1`; titles: of the cases and writers, where the choice is for something that names them
 * @typedef {{case: CaseResult, writer: string, title: string, audits: AuditResult[]}} Group one writer of a case, over all trials. title: of
 *   both; audits: one for each trial, at least one
 */
import { auditsOf, total } from '../../audit/of-trials.js';
import { count, duration, percent, rangeOrOne } from '../../format.js';
import { isVaried, variationName } from '../../result/variation.js';
import { NS_A_MS } from '../../units.js';

/**
 * @param {BenchmarkResult} benchmark @param {Choice} [choice]
 * @returns {Group[]} in the order of the cases, then of their writers; a writer without an audit has no group
 */
export function groupsOf(benchmark, { modes, variation = {}, writers, titles = PLAIN_TITLES } = {}) {
  return benchmark.cases
    .filter(({ params }) => modes === undefined || modes.includes(params.mode ?? ''))
    .filter(({ params }) => isVaried(params, variation))
    .flatMap((one) => {
      const audits = auditsOf(benchmark, one);
      const { writers: named = [] } = one.params;
      return [...new Set(audits.map(({ writer }) => writer))]
        .sort((a, b) => named.indexOf(a) - named.indexOf(b))
        .filter((writer) => writers === undefined || writers.includes(writer))
        .map((writer) => ({
          case: one,
          writer,
          title: `${titles.case(one.params)}, ${titles.writer(writer)}`,
          audits: audits.filter((audit) => audit.writer === writer),
        }));
    });
}

/** Not measured, or not applicable. Never means zero. */
export const NOT_MEASURED = '–';
/** For a benchmark whose suite gives no titles. @type {Titles} */
export const PLAIN_TITLES = Object.freeze({
  case: (params) => [params.mode ?? params.client, variationName(params)].filter(Boolean).join(', '),
  writer: (name) => name,
});

/** @param {number | null | undefined} ms ≥ 0; Infinity: it lasted until the end @returns {string} such as `1.20 s`, `0`, `–` */
export function milliseconds(ms) {
  if (ms === null || ms === undefined) return NOT_MEASURED;
  if (ms === 0) return '0';
  return Number.isFinite(ms) ? duration(ms * NS_A_MS) : 'to the end';
}

/** @param {number} part @param {number} whole @returns {string} such as `20 (0.061%)`, `0 of 38,500`, `–` when the whole is zero */
export function partOf(part, whole) {
  if (whole === 0) return NOT_MEASURED;
  return part === 0 ? `0 of ${count(whole)}` : `${count(part)} (${percent(part / whole)})`;
}

/** @param {readonly AuditResult[]} audits at least one @returns {string} such as `20 of 32,697 (0.061%)`, over several trials with their range */
export function lossText(audits) {
  const acked = total(audits, 'acked');
  const lost = total(audits, 'ackedLost');
  if (acked === 0) return 'nothing was acknowledged';
  if (lost === 0) return `0 of ${count(acked)}`;
  const each = audits.map(({ ackedLost }) => ackedLost);
  const range = `; ${rangeOrOne(Math.min(...each), Math.max(...each), count)} in each of ${each.length} trials`;
  return `${count(lost)} of ${count(acked)} (${percent(lost / acked)}${each.length < 2 ? '' : range})`;
}
