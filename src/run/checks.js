/**
 * Claims that several benchmarks make, and that can fail.
 */
import { outcomesOf } from '../report/columns.js';
import { count } from '../report/format.js';

/** @import { BenchmarkResult, CaseResult, Check } from '../result/schema.js' */

/** Enough to see what is wrong; the table has the others. */
const SHOWN = 3;

/**
 * @template T
 * @typedef {Object} Words of a check
 * @property {(item: T) => string} [title] default: its id
 * @property {() => string} [well] the detail when nothing is wrong; default: how many were checked
 */

/**
 * @param {BenchmarkResult} benchmark without a fault, so no write may be refused, unanswered or short of replicas
 * @returns {Check}
 */
export function everyWriteAcked({ cases }) {
  const name = 'every write was acknowledged as asked';
  if (cases.length === 0) return { name, ok: true, detail: '0 writes' };
  return checkEach(name, cases, whatLacks, {
    well: () => `${count(cases.reduce((sum, result) => sum + outcomesOf(result).acked, 0))} writes`,
  });
}

/**
 * Errors without a bad outcome are those of writers beside the measured load.
 *
 * @param {CaseResult} result
 * @returns {string | null} null: nothing
 */
function whatLacks(result) {
  const { acked, underAcked, rejected, unknown } = outcomesOf(result);
  const errors = new Set(result.rounds.flatMap((round) => Object.keys(round.errors)));
  if (acked > 0 && underAcked + rejected + unknown + errors.size === 0) return null;
  const parts = [
    `${acked === 0 ? 'nothing' : count(acked)} acknowledged`,
    underAcked > 0 && `${count(underAcked)} under-acknowledged`,
    rejected > 0 && `${count(rejected)} rejected`,
    unknown > 0 && `${count(unknown)} unknown`,
    errors.size > 0 && `errors ${[...errors].join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/**
 * A claim about each of several cases or rounds.
 *
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong what is wrong with it; null: nothing
 * @param {Words<T>} [words]
 * @returns {Check} fails when there is nothing to check
 */
export function checkEach(name, items, wrong, { title = idOf, well } = {}) {
  const found = items.flatMap((item) => {
    const what = wrong(item);
    return what === null ? [] : [`${title(item)}: ${what}`];
  });
  if (items.length === 0) return { name, ok: false, detail: 'nothing was measured' };
  if (found.length === 0) return { name, ok: true, detail: well?.() ?? `${count(items.length)} checked` };
  return { name, ok: false, detail: firstOf(found) };
}

/**
 * As {@link checkEach}, for a claim about cases that a run may leave out.
 *
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong
 * @param {Words<T>} [words]
 * @returns {Check[]} one, or none when there is nothing to check
 */
export function checkMeasured(name, items, wrong, words) {
  return items.length === 0 ? [] : [checkEach(name, items, wrong, words)];
}

/**
 * @param {readonly string[]} lines
 * @returns {string} the first ones; the others are counted
 */
function firstOf(lines) {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param {unknown} item */
function idOf(item) {
  return /** @type {{id: string}} */ (item).id;
}
