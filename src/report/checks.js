/** Checks that several benchmarks share. */

import { count } from '../format.js';
import { outcomesOf } from './columns.js';

/** @import { BenchmarkResult, CaseResult, Check } from '../result/schema.js' */

/** Enough to see the problem; the table has the others. */
const SHOWN_CASES = 3;

/**
 * @template T
 * @typedef {Object} Words of a check
 * @property {(item: T) => string} [title] default: its id
 * @property {() => string} [well] the detail if all is well; default: the number of items
 * @property {string} [none] the detail if there are no items
 */

/** A stall of the machine may hold up the writes under way, but not more than this share of a case. */
const MOST_LATE = 0.01;

/**
 * No fault was injected, so every write has to be acknowledged as asked. A stall that outlasts the timeout of `WAIT` does not fail
 * the check: the writes under way then count as under-acked, and the detail says how many they are.
 * @param {BenchmarkResult} benchmark
 * @returns {Check}
 */
export function everyWriteAcked({ cases }) {
  const name = 'every write was acknowledged as asked';
  if (cases.length === 0) return { name, ok: true, detail: '0 writes' };
  return checkEach(name, cases, whatLacks, {
    well: () => {
      const sum = (/** @type {'acked' | 'underAcked'} */ outcome) =>
        cases.reduce((all, result) => all + outcomesOf(result)[outcome], 0);
      const late = sum('underAcked');
      const stall = `; ${count(late)} more under-acknowledged: a stall of the machine outlasted the timeout of WAIT`;
      return `${count(sum('acked'))} writes${late === 0 ? '' : stall}`;
    },
  });
}

/** @param {CaseResult} result @returns {boolean} at most the writes under way at one moment were under-acked */
function isOneStall(result) {
  const { acked, underAcked } = outcomesOf(result);
  const { connections, pipeline } = result.params;
  return underAcked <= connections * pipeline && underAcked <= MOST_LATE * acked;
}

/**
 * If every outcome is fine, an error comes from the background connections.
 * @param {CaseResult} result
 * @returns {string | null} what went wrong; null: nothing
 */
function whatLacks(result) {
  const { acked, underAcked, rejected, unknown } = outcomesOf(result);
  const errors = new Set(result.rounds.flatMap((round) => Object.keys(round.errors)));
  if (acked > 0 && rejected + unknown + errors.size === 0 && isOneStall(result)) return null;
  const parts = [
    `${acked === 0 ? 'nothing' : count(acked)} acknowledged`,
    underAcked > 0 && `${count(underAcked)} under-acknowledged`,
    rejected > 0 && `${count(rejected)} rejected`,
    unknown > 0 && `${count(unknown)} unknown`,
    errors.size > 0 && `errors ${[...errors].join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

const NOTHING = 'this run measured no case that it is about';

/**
 * A check of each of several cases or rounds.
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong the problem; null: none
 * @param {Words<T>} [words]
 * @returns {Check} skipped if there are no items: the run left them out, or the server cannot do them
 */
export function checkEach(name, items, wrong, { title = idOf, well, none = NOTHING } = {}) {
  if (items.length === 0) return { name, ok: true, skipped: true, detail: none };
  const found = items.flatMap((item) => {
    const what = wrong(item);
    return what === null ? [] : [`${title(item)}: ${what}`];
  });
  if (found.length === 0) return { name, ok: true, detail: well?.() ?? `${count(items.length)} checked` };
  const more = found.length - SHOWN_CASES;
  const shown = [...found.slice(0, SHOWN_CASES), ...(more > 0 ? [`and ${more} more`] : [])];
  return { name, ok: false, detail: shown.join('; ') };
}

/**
 * As {@link checkEach}, for a claim about cases that a run may leave out.
 * @template T
 * @param {string} name
 * @param {readonly T[]} items
 * @param {(item: T) => string | null} wrong
 * @param {Words<T>} [words]
 * @returns {Check[]} one, or none if there is nothing to check
 */
export function checkMeasured(name, items, wrong, words) {
  return items.length === 0 ? [] : [checkEach(name, items, wrong, words)];
}

/** @param {unknown} item */
function idOf(item) {
  return /** @type {{id: string}} */ (item).id;
}
