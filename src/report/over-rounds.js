/**
 * Figures of a case over its rounds, for benchmarks that measure their rounds themselves.
 *
 * @import { CaseResult, IntervalValue, RoundResult } from '../result/schema.js'
 */
import { bootstrapInterval, knownMedian, sum } from '../stats/statistics.js';

/** The same result always has the same interval. */
const SEED = 1;

/**
 * @template T
 * @typedef {Object} OverRounds
 * @property {(result: CaseResult) => T[]} each round's figures; a round without figures is left out
 * @property {(result: CaseResult, value: (figures: T) => number | null | undefined) => number | null} typical the median of the known
 *   values; null: none is known
 * @property {(result: CaseResult, value: (figures: T) => number | null | undefined) => IntervalValue | null} spread the same with its
 *   interval
 * @property {(result: CaseResult, value: (figures: T) => number | null | undefined) => number} total of all rounds; an unknown value
 *   counts as 0
 */

/**
 * @template T
 * @param {(round: RoundResult) => T | undefined} pick the figures of a round
 * @returns {OverRounds<T>}
 */
export function overRounds(pick) {
  const each = (/** @type {CaseResult} */ { rounds }) => rounds.flatMap((round) => pick(round) ?? []);
  return {
    each,
    typical: (result, value) => knownMedian(each(result).map(value)),
    spread(result, value) {
      const known = each(result).flatMap((figures) => value(figures) ?? []);
      return known.length === 0 ? null : bootstrapInterval(known, { seed: SEED });
    },
    total: (result, value) => sum(each(result).map((figures) => value(figures) ?? 0)),
  };
}
