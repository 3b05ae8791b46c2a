import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from './random.js';
import {
  addCounts,
  bootstrapInterval,
  knownMedian,
  median,
  pairedRatio,
  proportionInterval,
  sum,
} from './statistics.js';

test('the median of odd, even and single numbers of values', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([5]), 5);
});

test('sums, counts by kind, and the median of known values', () => {
  assert.deepEqual([sum([]), sum([1, 2, 3.5])], [0, 6.5]);
  assert.deepEqual(addCounts(), {});
  assert.deepEqual(addCounts({ OOM: 1, ERR: 2 }, {}, { OOM: 4 }), { OOM: 5, ERR: 2 });
  assert.deepEqual([knownMedian([]), knownMedian([null, undefined]), knownMedian([null, 0, 4])], [null, null, 2]);
});

test('the median of no value or of an infinite value is refused', () => {
  assert.throws(() => median([]), RangeError);
  assert.throws(() => median([1, Number.NaN]), RangeError);
  assert.throws(() => bootstrapInterval([1, Number.POSITIVE_INFINITY], { seed: 1 }), RangeError);
});

test('one round has an interval of zero width', () => {
  assert.deepEqual(bootstrapInterval([42], { seed: 1 }), { median: 42, low: 42, high: 42 });
});

test('equal rounds have an interval of zero width', () => {
  assert.deepEqual(bootstrapInterval([7, 7, 7, 7], { seed: 1 }), { median: 7, low: 7, high: 7 });
});

test('with few rounds the interval is the range of the values', () => {
  for (const values of [
    [2, 1],
    [3, 1, 2],
    [5, 1, 4, 2, 3],
    [7, 1, 6, 2, 5, 3, 4],
  ]) {
    const { low, high } = bootstrapInterval(values, { seed: 9 });
    assert.deepEqual([low, high], [1, values.length]);
  }
});

test('the interval depends on the seed and does not change the values', () => {
  const random = randomFrom(5);
  const values = Object.freeze(Array.from({ length: 15 }, () => random() ** 3));
  const first = bootstrapInterval(values, { seed: 1 });
  assert.deepEqual(bootstrapInterval(values, { seed: 1 }), first);
  assert.ok(first.low <= first.median && first.median <= first.high);
  const others = [2, 3, 4, 5, 6].map((seed) => bootstrapInterval(values, { seed, resamples: 200 }));
  assert.ok(
    new Set(others.map(({ low, high }) => `${low} ${high}`)).size > 1,
    'another seed never changed the interval',
  );
});

test('one disturbed round of nine does not move the interval', () => {
  const calm = [100, 101, 99, 100, 102, 98, 100, 101, 99];
  const disturbed = [...calm.slice(1), 5];
  const { low, high } = bootstrapInterval(disturbed, { seed: 1 });
  assert.ok(low >= 98 && high <= 102, `${low} … ${high}`);
});

test('a ratio is paired by round: noise that both share cancels', () => {
  const noise = [1, 0.5, 2, 0.8, 1.3];
  const ratio = pairedRatio(
    noise.map((factor) => 60 * factor),
    noise.map((factor) => 100 * factor),
    { seed: 1 },
  );
  for (const value of Object.values(ratio)) assert.ok(Math.abs(value - 0.6) < 1e-12);
});

test('a ratio refuses unequal numbers of rounds and a baseline of 0', () => {
  assert.throws(() => pairedRatio([1, 2], [1], { seed: 1 }), RangeError);
  assert.throws(() => pairedRatio([1, 2], [1, 0], { seed: 1 }), RangeError);
  assert.throws(() => pairedRatio([], [], { seed: 1 }), RangeError);
});

// The figures in the description of `bootstrapInterval`, found again on a smaller scale. The range of five values misses
// the true median when all five fall on one side of it: 2 × 0.5^5, so 93.75% is what five rounds can give.
for (const { n, atLeast, atMost } of [
  { n: 5, atLeast: 0.92, atMost: 0.955 },
  { n: 10, atLeast: 0.945, atMost: 0.985 },
  { n: 20, atLeast: 0.94, atMost: 0.98 },
]) {
  test(`the interval of ${n} rounds covers the true median as often as it claims`, (t) => {
    const random = randomFrom(n);
    const trueMedian = Math.LN2;
    const samples = 1500;
    let held = 0;
    for (let i = 0; i < samples; i++) {
      const values = Array.from({ length: n }, () => -Math.log(1 - random()));
      const { low, high } = bootstrapInterval(values, { seed: i, resamples: 500 });
      if (low <= trueMedian && trueMedian <= high) held++;
    }
    const coverage = held / samples;
    t.diagnostic(`${(100 * coverage).toFixed(1)}% of ${samples} intervals held the true median`);
    assert.ok(coverage >= atLeast && coverage <= atMost, `${coverage}`);
  });
}

test('the exact interval of a proportion: known values', () => {
  // Clopper and Pearson 1934, and `binom.test` of R.
  /** @type {[events: number, trials: number, low: number, high: number][]} */
  const known = [
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
  for (const [events, trials, low, high] of known) {
    const interval = proportionInterval(events, trials);
    assert.deepEqual(
      [interval.low, interval.high].map((value) => value.toFixed(4)),
      [low, high].map((value) => value.toFixed(4)),
      `${events} of ${trials}`,
    );
  }
});

test('the exact interval of a proportion is symmetric, holds it, and stands many trials', () => {
  for (const [events, trials] of [
    [2, 7],
    [13, 30],
    [5000, 10_000],
  ]) {
    const { low, high } = proportionInterval(events, trials);
    const other = proportionInterval(trials - events, trials);
    assert.ok(low < events / trials && events / trials < high);
    assert.ok(Math.abs(other.low - (1 - high)) < 1e-9);
  }
  const { low, high } = proportionInterval(5000, 10_000);
  assert.ok(high - low < 0.02, 'about ± 1 point');
});

test('what is not a proportion is refused', () => {
  for (const [events, trials] of [
    [1, 0],
    [-1, 5],
    [6, 5],
    [0.5, 5],
  ])
    assert.throws(() => proportionInterval(events, trials), RangeError);
});
