/** Checks that several benchmarks share. @import { BenchmarkResult, CaseResult, Check } from '../result/schema.js' */

import { count, firstFew } from '../format.js';
import { outcomesOf } from './columns.js';
import { textsIn } from './template.js';

/** Enough to see the problem; the table has the others. */
const SHOWN_CASES = 3;
const say = textsIn(new URL('checks.yaml', import.meta.url));
/** A stall of the machine may hold up the writes under way, but not more than this share of a case. */
const MOST_LATE = 0.01;

/**
 * No fault was injected, so every write has to be acknowledged as asked. A stall that outlasts the timeout of `WAIT` does not fail
 * the check: the writes under way then count as under-acked, and the detail says how many they are.
 * @param {BenchmarkResult} benchmark @returns {Check}
 */
export function everyWriteAcked({ cases }) {
  if (cases.length === 0) return { name: say('acked', 'name'), ok: true, detail: '0 writes' };
  const all = outcomesOf({ rounds: cases.flatMap(({ rounds }) => rounds) });
  return claim('acked', cases, { wrong: whatLacks, well: all });
}

/** If every outcome is fine, an error comes from the background connections. @param {CaseResult} result @returns what went wrong; null: nothing */
function whatLacks(result) {
  const outcomes = outcomesOf(result);
  const { acked, underAcked, rejected, unknown } = outcomes;
  const { connections, pipeline } = result.params;
  const isOneStall = underAcked <= connections * pipeline && underAcked <= MOST_LATE * acked;
  const errors = [...new Set(result.rounds.flatMap((round) => Object.keys(round.errors)))];
  const isFine = acked > 0 && rejected + unknown + errors.length === 0 && isOneStall;
  return isFine ? null : { ...outcomes, errors };
}

/**
 * @template T @param {string} id of its words in checks.yaml @param {readonly T[]} items
 * @param {{wrong: (item: T) => Record<string, unknown> | null, well: Record<string, unknown>, title?: (item: T) => string, tested?: number}} how
 *   wrong: the figures of a problem, null: none; well: the figures if all is well; tested: what was checked: with 0 the check fails @returns {Check}
 */
export function claim(id, items, { wrong, well, title, tested = 1 }) {
  const wrongText = (/** @type {T} */ item) => {
    const figures = wrong(item);
    return figures && say(id, 'wrong', figures);
  };
  const check = checkEach(say(id, 'name'), items, wrongText, { title, well: () => say(id, 'well', well) });
  return tested > 0 || !check.ok ? check : { name: check.name, ok: false, detail: say(id, 'none') };
}

const NOTHING = 'this run measured no case that it is about';

/**
 * @template T @param {string} name
 * @param {readonly T[]} items cases or rounds; without any the check is skipped: the run left them out, or the server cannot do them
 * @param {(item: T) => string | null} wrong the problem; null: none
 * @param {{title?: (item: T) => string, well?: () => string, none?: string}} [words] title: of an item, default: its id; well: the detail if
 *   all is well, default: the number of items; none: the detail without items @returns {Check}
 */
export function checkEach(name, items, wrong, { title = idOf, well, none = NOTHING } = {}) {
  if (items.length === 0) return { name, ok: true, skipped: true, detail: none };
  const all = items.map((item) => ({ item, what: wrong(item) })).filter(({ what }) => what !== null);
  const found = all.map(({ item, what }) => `${title(item)}: ${what}`);
  if (found.length === 0) return { name, ok: true, detail: well?.() ?? `${count(items.length)} checked` };
  return { name, ok: false, detail: firstFew(found, SHOWN_CASES).join('; ') };
}

/** @template T @param {Parameters<typeof checkEach<T>>} of @returns {Check[]} as {@link checkEach}; none for cases that the run left out */
export function checkMeasured(...of) {
  const check = checkEach(...of);
  return check.skipped ? [] : [check];
}

/** @param {any} item */
const idOf = ({ id }) => id;
