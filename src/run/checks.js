/**
 * Checks that several benchmarks share.
 */
import { outcomesOf } from '../report/columns.js';
import { count } from '../report/format.js';

/** @import { BenchmarkResult, CaseResult, Check } from '../result/schema.js' */

/** Enough to see the problem; the table has the others. */
const SHOWN_CASES = 3;

/**
 * No fault was injected, so every write has to be acknowledged as asked.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {Check}
 */
export function everyWriteAcked(benchmark) {
  const name = 'every write was acknowledged as asked';
  const lacking = benchmark.cases.flatMap((result) => whatLacks(result) ?? []);
  if (lacking.length === 0) {
    const attempted = benchmark.cases.reduce((sum, result) => sum + outcomesOf(result).acked, 0);
    return { name, ok: true, detail: `${count(attempted)} writes` };
  }
  const more = lacking.length - SHOWN_CASES;
  const shown = [...lacking.slice(0, SHOWN_CASES), ...(more > 0 ? [`and ${more} more cases`] : [])];
  return { name, ok: false, detail: shown.join('; ') };
}

/**
 * If every outcome is fine, an error comes from the background connections.
 *
 * @param {CaseResult} result
 * @returns {string | null} what went wrong; null: nothing
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
  return `${result.id}: ${parts.filter(Boolean).join(', ')}`;
}

/**
 * A check of each of several cases or rounds.
 *
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong the problem; null: none
 * @param {Object} [words]
 * @param {(item: T) => string} [words.title] default: its id
 * @param {() => string} [words.well] the detail if all is well; default: the number of items
 * @returns {Check} fails if there are no items
 */
export function checkEach(name, items, wrong, { title = idOf, well } = {}) {
  const found = items.flatMap((item) => {
    const what = wrong(item);
    return what === null ? [] : [`${title(item)}: ${what}`];
  });
  if (items.length === 0) return { name, ok: false, detail: 'nothing was measured' };
  if (found.length === 0) return { name, ok: true, detail: well?.() ?? `${count(items.length)} checked` };
  const more = found.length - SHOWN_CASES;
  const shown = [...found.slice(0, SHOWN_CASES), ...(more > 0 ? [`and ${more} more`] : [])];
  return { name, ok: false, detail: shown.join('; ') };
}

/** @param {unknown} item */
function idOf(item) {
  return /** @type {{id: string}} */ (item).id;
}
