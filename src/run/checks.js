/**
 * Claims that several benchmarks make, and that can fail.
 */
import { outcomesOf } from '../report/columns.js';
import { count } from '../report/format.js';

/** @import { BenchmarkResult, CaseResult, Check } from '../result/schema.js' */

/** Enough to see what is wrong; the table has the others. */
const SHOWN_CASES = 3;

/**
 * Nothing was broken on purpose, so nothing may be refused, unanswered or short of replicas.
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
 * An error where every outcome is well is one of those who write beside what is measured.
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
  return `${result.id}: ${parts.filter(Boolean).join(', ')}`;
}

/**
 * A claim about each of several cases or rounds.
 *
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong what is wrong with it; null: nothing
 * @param {Object} [words]
 * @param {(item: T) => string} [words.title] default: its id
 * @param {() => string} [words.well] the detail where nothing is wrong; default: how many there were
 * @returns {Check} fails where there is nothing to judge
 */
export function checkEach(name, items, wrong, { title = idOf, well } = {}) {
  const found = items.flatMap((item) => {
    const what = wrong(item);
    return what === null ? [] : [`${title(item)}: ${what}`];
  });
  if (items.length === 0) return { name, ok: false, detail: 'nothing was measured' };
  if (found.length === 0) return { name, ok: true, detail: well?.() ?? `${count(items.length)} looked at` };
  const more = found.length - SHOWN_CASES;
  const shown = [...found.slice(0, SHOWN_CASES), ...(more > 0 ? [`and ${more} more`] : [])];
  return { name, ok: false, detail: shown.join('; ') };
}

/** @param {unknown} item */
function idOf(item) {
  return /** @type {{id: string}} */ (item).id;
}
