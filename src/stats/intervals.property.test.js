/** Properties of intervals and of the rank-sum test, on generated rounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rankSumP } from './comparison.js';
import { bootstrapInterval, median, pairedRatio } from './statistics.js';

const CASES = { seed: 18, numRuns: 100 };
const OPTIONS = { seed: 1, resamples: 200 };

const value = fc.integer({ min: 1, max: 1_000_000 });
const rounds = fc.array(value, { minLength: 1, maxLength: 25 });

/**
 * @param {{median: number, low: number, high: number}} actual
 * @param {{median: number, low: number, high: number}} expected
 */
function assertClose(actual, expected) {
  for (const end of /** @type {const} */ (['median', 'low', 'high'])) {
    assert.ok(Math.abs(actual[end] - expected[end]) <= 1e-9 * Math.abs(expected[end]), `${end}: ${actual[end]}`);
  }
}

test('an interval holds the median and lies within the values', () => {
  fc.assert(
    fc.property(rounds, (values) => {
      const { median: middle, low, high } = bootstrapInterval(values, OPTIONS);
      assert.equal(middle, median(values));
      assert.ok(Math.min(...values) <= low && low <= middle && middle <= high && high <= Math.max(...values));
    }),
    CASES,
  );
});

test('a paired ratio does not see what disturbs both sides of a round', () => {
  const pairs = fc.array(fc.record({ measured: value, base: value, noise: fc.integer({ min: 1, max: 100 }) }), {
    minLength: 1,
    maxLength: 25,
  });
  fc.assert(
    fc.property(pairs, (all) => {
      const of = (/** @type {(pair: {measured: number, base: number, noise: number}) => number} */ side) =>
        all.map(side);
      const calm = pairedRatio(
        of(({ measured }) => measured),
        of(({ base }) => base),
        OPTIONS,
      );
      const disturbed = pairedRatio(
        of(({ measured, noise }) => measured * noise),
        of(({ base, noise }) => base * noise),
        OPTIONS,
      );
      assertClose(disturbed, calm);
    }),
    CASES,
  );
});

/**
 * @param {readonly number[]} items
 * @param {number} count
 * @returns {number[][]} every choice of so many positions' items
 */
function choices(items, count) {
  if (count === 0) return [[]];
  return items.flatMap((item, i) => choices(items.slice(i + 1), count - 1).map((rest) => [item, ...rest]));
}

test('the rank-sum test is the share of all ways to deal the values that are at least as far apart', () => {
  const side = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(side, side, (a, b) => {
      const all = [...a, ...b];
      const rank = (/** @type {number} */ each) =>
        all.filter((other) => other < each).length + (all.filter((other) => other === each).length + 1) / 2;
      const sumOf = (/** @type {number[]} */ some) => some.reduce((sum, each) => sum + rank(each), 0);
      const middle = (a.length * (all.length + 1)) / 2;
      const deals = choices(all, a.length);
      const far = deals.filter((deal) => Math.abs(sumOf(deal) - middle) >= Math.abs(sumOf(a) - middle));
      assert.ok(Math.abs(rankSumP(a, b) - far.length / deals.length) < 1e-12);
      assert.ok(Math.abs(rankSumP(b, a) - rankSumP(a, b)) < 1e-12);
    }),
    CASES,
  );
});
