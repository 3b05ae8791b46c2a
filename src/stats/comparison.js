/**
 * Compares the rounds or trials of one case in two runs. The runs were not interleaved, so their rounds cannot be paired.
 * @import { IntervalValue } from '../result/schema.js'
 * @typedef {'better' | 'worse' | 'no difference'} Verdict
 */
import { sum } from './statistics.js';

/** Share of comparisons in which the interval may miss the true ratio. */
const MISSED = 0.05;

/** @type {Map<string, number>} */
const depths = new Map();

/**
 * The ratio of the values of two sides, with a 95% interval that is valid for few rounds. Every value of the one side is divided by every
 * value of the other; the ratio is the median of those quotients (the Hodges–Lehmann estimate for ratios), and the interval reaches from
 * the c-th smallest to the c-th largest. The exact distribution of the Mann–Whitney statistic gives c, so the interval excludes 1 exactly
 * if that test finds a difference at 5%. docs/methods.md has its error rates.
 * @param {readonly number[]} values one a round, all finite and ≥ 0
 * @param {readonly number[]} baseValues the other side's, all finite and above 0
 * @returns {IntervalValue | null} of values / baseValues; null: too few rounds for a 95% interval (fewer than 4 a side, 3 against fewer
 *   than 5, 2 against fewer than 8, or 1 against fewer than 39) @throws {RangeError} a value is not as described
 */
export function unpairedRatio(values, baseValues) {
  if (values.length === 0 || baseValues.length === 0) throw new RangeError('A ratio needs rounds on both sides.');
  if (!values.every((value) => Number.isFinite(value) && value >= 0)) throw new RangeError('A ratio needs values ≥ 0.');
  if (!baseValues.every((value) => Number.isFinite(value) && value > 0))
    throw new RangeError('A ratio needs a base above 0.');
  const depth = depthOf(values.length, baseValues.length);
  if (depth === 0) return null;
  const quotients = Float64Array.from(baseValues.flatMap((base) => values.map((value) => value / base))).sort();
  const count = quotients.length;
  return {
    median: (quotients[(count - 1) >> 1] + quotients[count >> 1]) / 2,
    low: quotients[depth - 1],
    high: quotients[count - depth],
  };
}

/**
 * @param {IntervalValue} ratio
 * @param {{threshold: number, higherIsBetter: boolean}} rule threshold: 0 … 1, 0.05 ignores differences up to 5% @returns {Verdict}
 */
export function verdictOf({ median, low, high }, { threshold, higherIsBetter }) {
  if (low <= 1 && high >= 1) return 'no difference';
  // Rounded: 0.95 − 1 is a hair more than 5%.
  const change = Number((median - 1).toPrecision(12));
  if (Math.abs(change) <= threshold) return 'no difference';
  return change > 0 === higherIsBetter ? 'better' : 'worse';
}

/** @param {number} n @param {number} m @returns {number} which of the sorted quotients the interval ends at, counted from 1; 0: no interval */
function depthOf(n, m) {
  const key = `${n} ${m}`;
  const known = depths.get(key);
  if (known !== undefined) return known;
  const ranks = Array.from({ length: n + m }, (_, i) => i + 1);
  // The Mann–Whitney statistic is how far a sum is above the least one.
  const ways = rankSums(ranks, n).slice((n * (n + 1)) / 2);
  const all = sum(ways);
  let [depth, tail] = [0, ways[0]];
  while (2 * (tail / all) <= MISSED) tail += ways[++depth];
  depths.set(key, depth);
  return depth;
}

/**
 * The exact rank-sum test, with ties: of all ways to deal the ranks to the two sides, the share in which the first side's sum is at least
 * as far from the middle as here. @param {readonly number[]} a at least one; Infinity is more than any other
 * @param {readonly number[]} b at least one @returns {number} above 0, up to 1
 */
export function rankSumP(a, b) {
  const sorted = [...a, ...b].sort((x, y) => x - y);
  // Twice the mean rank of equal values, to stay with integers.
  const rank = (/** @type {number} */ value) => sorted.indexOf(value) + sorted.lastIndexOf(value) + 2;
  const ways = rankSums(sorted.map(rank), a.length);
  const middle = a.length * (sorted.length + 1);
  const distance = Math.abs(sum(a.map(rank)) - middle);
  return sum(ways.filter((_, each) => Math.abs(each - middle) >= distance)) / sum(ways);
}

/** @param {readonly number[]} ranks from the least on @param {number} n @returns {Float64Array} by sum: in how many ways n of the ranks have it */
function rankSums(ranks, n) {
  const size = sum(ranks.slice(-n)) + 1;
  // ways[k]: of k of the ranks so far.
  const ways = Array.from({ length: n + 1 }, () => new Float64Array(size));
  ways[0][0] = 1;
  for (const [i, rank] of ranks.entries()) {
    for (let k = Math.min(n, i + 1); k >= 1; k--) {
      for (let all = rank; all < size; all++) ways[k][all] += ways[k - 1][all - rank];
    }
  }
  return ways[n];
}
