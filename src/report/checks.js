/** Checks that several benchmarks share. */

import { count, firstFew } from '../format.js';
import { outcomesOf } from './columns.js';
import { textsIn } from './template.js';

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

const say = textsIn(new URL('checks.yaml', import.meta.url));
/** A stall of the machine may hold up the writes under way, but not more than this share of a case. */
const MOST_LATE = 0.01;

/**
 * No fault was injected, so every write has to be acknowledged as asked. A stall that outlasts the timeout of `WAIT` does not fail
 * the check: the writes under way then count as under-acked, and the detail says how many they are.
 * @param {BenchmarkResult} benchmark
 * @returns {Check}
 */
export function everyWriteAcked({ cases }) {
  if (cases.length === 0) return { name: say('acked', 'name'), ok: true, detail: '0 writes' };
  return claim('acked', cases, {
    wrong: whatLacks,
    well: outcomesOf({ rounds: cases.flatMap(({ rounds }) => rounds) }),
  });
}

/** @param {CaseResult} result @returns {boolean} at most the writes under way at one moment were under-acked */
function isOneStall(result) {
  const { acked, underAcked } = outcomesOf(result);
  const { connections, pipeline } = result.params;
  return underAcked <= connections * pipeline && underAcked <= MOST_LATE * acked;
}

/** If every outcome is fine, an error comes from the background connections. @param {CaseResult} result @returns what went wrong; null: nothing */
function whatLacks(result) {
  const outcomes = outcomesOf(result);
  const errors = [...new Set(result.rounds.flatMap((round) => Object.keys(round.errors)))];
  const isFine = outcomes.acked > 0 && outcomes.rejected + outcomes.unknown + errors.length === 0 && isOneStall(result);
  return isFine ? null : { ...outcomes, errors };
}

/**
 * A check whose words are in checks.yaml.
 * @template T
 * @param {string} id of its words
 * @param {readonly T[]} items
 * @param {Object} how
 * @param {(item: T) => Record<string, unknown> | null} how.wrong the figures of a problem; null: none
 * @param {Record<string, unknown>} how.well the figures if all is well
 * @param {(item: T) => string} [how.title] default: its id
 * @param {number} [how.tested] what was checked: with 0 the check fails. Default: nobody asks
 * @returns {Check}
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
  return { name, ok: false, detail: firstFew(found, SHOWN_CASES).join('; ') };
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
