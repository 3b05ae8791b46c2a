/**
 * Figures of a case over its rounds, for benchmarks that measure their rounds themselves.
 *
 * @import { CaseResult, IntervalValue, RoundResult } from '../result/schema.js'
 * @import { Column } from '../run/types.js'
 */

import { count } from '../format.js';
import { bootstrapInterval, knownMedian, sum } from '../stats/statistics.js';
import { right } from './columns.js';

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
 * @property {(title: string, value: (figures: T) => number | null | undefined, text: (value: number) => string, missing?: string) => Column} medianColumn
 *   shows the typical value; missing: shown when none is known, by default nothing
 * @property {(title: string, value: (figures: T) => number | null | undefined) => Column} totalColumn shows the total, a count
 */

/**
 * @template T
 * @param {(round: RoundResult) => T | undefined} pick the figures of a round
 * @returns {OverRounds<T>}
 */
export function overRounds(pick) {
  const each = (/** @type {CaseResult} */ { rounds }) => rounds.flatMap((round) => pick(round) ?? []);
  /** @type {OverRounds<T>['typical']} */
  const typical = (result, value) => knownMedian(each(result).map(value));
  /** @type {OverRounds<T>['total']} */
  const total = (result, value) => sum(each(result).map((figures) => value(figures) ?? 0));
  return {
    each,
    typical,
    spread(result, value) {
      const values = each(result).flatMap((figures) => value(figures) ?? []);
      return values.length === 0 ? null : bootstrapInterval(values);
    },
    total,
    medianColumn: (title, value, text, missing = '') =>
      right(title, (result) => {
        const typicalValue = typical(result, value);
        return typicalValue === null ? missing : text(typicalValue);
      }),
    totalColumn: (title, value) => right(title, (result) => count(total(result, value))),
  };
}

/**
 * @template T
 * @param {(result: CaseResult) => T | null} figuresOf figures of a case from all its rounds
 * @param {string} [missing] shown for a case without figures
 * @returns {(title: string, text: (figures: T, result: CaseResult) => string) => Column} makes a column of one of them
 */
export function columnOf(figuresOf, missing = '') {
  return (title, text) =>
    right(title, (result) => {
      const figures = figuresOf(result);
      return figures ? text(figures, result) : missing;
    });
}
