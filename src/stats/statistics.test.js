import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCounts,
  bootstrapInterval,
  knownMedian,
  median,
  pairedRatio,
  proportionInterval,
  sum,
} from './statistics.js';

/** @param {() => unknown} call @param {string} message */
function assertRefused(call, message) {
  assert.throws(call, { name: 'RangeError', message });
}

test('sums, counts by kind, and the median of known values', () => {
  assert.deepEqual([sum([]), sum([1, 2, 3.5])], [0, 6.5]);
  assert.deepEqual(addCounts(), {});
  assert.deepEqual(addCounts({ OOM: 1, ERR: 2 }, {}, { OOM: 4 }), { OOM: 5, ERR: 2 });
  assert.deepEqual([knownMedian([]), knownMedian([null, undefined]), knownMedian([null, 0, 4])], [null, null, 2]);
});

test('the median of no value or of an infinite value is refused', () => {
  assertRefused(() => median([]), 'The median of no values is not defined.');
  assertRefused(() => bootstrapInterval([], { seed: 1 }), 'The median of no values is not defined.');
  assertRefused(() => median([1, Number.NaN]), 'The median needs finite values.');
  assertRefused(() => bootstrapInterval([1, Number.POSITIVE_INFINITY], { seed: 1 }), 'The median needs finite values.');
});

test('a recorded seed gives the interval that it always gave', () => {
  const values = Object.freeze(Array.from({ length: 16 }, (_, i) => 1000 + i ** 3));
  const intervals = [1, 2, 3, 4].map((seed) => bootstrapInterval(values, { seed, resamples: 100 }));
  assert.deepEqual(intervals, [
    { median: 1427.5, low: 1064, high: 2364 },
    { median: 1427.5, low: 1064, high: 2764 },
    { median: 1427.5, low: 1036, high: 2331 },
    { median: 1427.5, low: 1027, high: 2529.5 },
  ]);
});

/**
 * Another resample widens an interval or leaves it, unless one more of the medians is cut off.
 * @param {number} n rounds
 * @param {number} most resamples to try
 * @returns {number} the fewest resamples of which the outermost median is cut off
 */
function resamplesThatCut(n, most) {
  const values = Array.from({ length: n }, (_, i) => 1.5 ** i);
  const seeds = Array.from({ length: 10 }, (_, seed) => seed);
  const lows = (/** @type {number} */ resamples) =>
    seeds.map((seed) => bootstrapInterval(values, { seed, resamples }).low);
  let before = lows(1);
  for (let resamples = 2; resamples <= most; resamples++) {
    const now = lows(resamples);
    if (now.some((low, seed) => low > before[seed])) return resamples;
    before = now;
  }
  return Number.POSITIVE_INFINITY;
}

// The 97.5% quantiles of Student's t with n - 1 degrees of freedom stand in every table: 2.262, 2.201, 2.145, 2.093. The
// share is what the normal distribution has above that quantile times √(n / (n - 1)).
for (const { n, share } of [
  { n: 10, share: 0.00855 },
  { n: 12, share: 0.01076 },
  { n: 15, share: 0.01321 },
  { n: 20, share: 0.01588 },
]) {
  test(`the interval of ${n} rounds cuts off as much as Student's t says`, () => {
    const resamples = resamplesThatCut(n, 150);
    assert.ok(Math.abs(resamples * share - 1) <= 0.02, `${resamples} is not 1 / ${share} to 2%`);
  });
}

test('a ratio refuses unequal numbers of rounds and a baseline that is not above 0', () => {
  /** @param {number[]} values @param {number[]} baseline @param {string} message */
  const refuses = (values, baseline, message) =>
    assertRefused(() => pairedRatio(values, baseline, { seed: 1 }), message);
  refuses([1, 2], [1], 'A paired ratio needs as many rounds on both sides.');
  refuses([1], [1, 2], 'A paired ratio needs as many rounds on both sides.');
  for (const notAbove of [0, -1, Number.NaN]) refuses([1, 2], [1, notAbove], 'A ratio needs a baseline above 0.');
});

test('the exact interval of a proportion: known values', () => {
  // Clopper and Pearson 1934, and `binom.test` of R.
  /** @type {[events: number, trials: number, low: number, high: number][]} */
  const expected = [
    [0, 1, 0, 0.975],
    [1, 1, 0.025, 1],
    [0, 10, 0, 0.3085],
    [1, 10, 0.0025, 0.445],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [4, 20, 0.0573, 0.4366],
    [0, 300, 0, 0.0122],
    [3, 300, 0.0021, 0.0289],
  ];
  for (const [events, trials, low, high] of expected) {
    const interval = proportionInterval(events, trials);
    assert.deepEqual(
      [interval.low, interval.high].map((value) => value.toFixed(4)),
      [low, high].map((value) => value.toFixed(4)),
      `${events} of ${trials}`,
    );
  }
  assert.deepEqual([proportionInterval(0, 10).low, proportionInterval(10, 10).high], [0, 1]);
});

test('what is not a proportion is refused', () => {
  for (const [events, trials] of [
    [0, 0],
    [1, 0],
    [-1, 5],
    [6, 5],
    [0.5, 5],
    [0, 5.5],
    [0, -1],
    [Number.NaN, 5],
    [0, Number.POSITIVE_INFINITY],
  ])
    assertRefused(() => proportionInterval(events, trials), `${events} of ${trials} is not a proportion.`);
});
