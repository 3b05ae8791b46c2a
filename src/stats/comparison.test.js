import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpairedRatio, verdictOf } from './comparison.js';

test('the ratio is the median of all quotients, the interval lies as deep as the Mann–Whitney test says', () => {
  // 25 quotients by 1: with 5 rounds a side the 3rd and the 23rd are the ends (a statistic of 2: p = 8 / 252).
  const ratio = unpairedRatio([10, 20, 30, 40, 50], [1, 1, 1, 1, 1]);
  assert.deepEqual(ratio, { median: 30, low: 10, high: 50 });
  assert.deepEqual(unpairedRatio([0, 1, 2, 3], [1, 1, 1, 1]), { median: 1.5, low: 0, high: 3 });
  const values = [2, 3, 5, 7, 11];
  const quotients = values.flatMap((value) => values.map((base) => value / base)).sort((a, b) => a - b);
  assert.deepEqual(unpairedRatio(values, values), { median: 1, low: quotients[2], high: quotients[22] });
});

test('the interval excludes 1 exactly when the test finds a difference', () => {
  /** @param {number[]} values @param {number[]} base */
  const low = (values, base) => unpairedRatio(values, base)?.low ?? Number.NaN;
  // Four against four: all of one side above the other is p = 2 / 70; one pair the other way round is 4 / 70.
  assert.ok(low([5, 6, 7, 8], [1, 2, 3, 4]) > 1);
  assert.ok(low([3.5, 6, 7, 8], [1, 2, 3, 4]) < 1);
  // Five against five: two pairs the other way round are p = 8 / 252, three are 14 / 252.
  assert.ok(low([3.5, 6, 7, 8, 9], [1, 2, 3, 4, 5]) > 1);
  assert.ok(low([2.5, 6, 7, 8, 9], [1, 2, 3, 4, 5]) < 1);
});

test('there is no interval when no choice of its ends would hold in 95%', () => {
  /** @param {number} n @param {number} m */
  const isKnown = (n, m) => unpairedRatio(Array(n).fill(1), Array(m).fill(1)) !== null;
  assert.ok(![isKnown(1, 1), isKnown(3, 3), isKnown(3, 4), isKnown(4, 3), isKnown(7, 2), isKnown(1, 38)].some(Boolean));
  assert.ok([isKnown(4, 4), isKnown(3, 5), isKnown(2, 8), isKnown(20, 60), isKnown(1, 39)].every(Boolean));
});

test('a base of 0, values that are not numbers and a side without rounds are refused', () => {
  /** @param {number[]} values @param {number[]} base @param {string} message */
  const refuses = (values, base, message) =>
    assert.throws(() => unpairedRatio(values, base), { name: 'RangeError', message });
  for (const notAbove of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    refuses([1, 2, 3, 4], [1, 2, 3, notAbove], 'A ratio needs a base above 0.');
  for (const notAValue of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    refuses([1, 2, 3, notAValue], [1, 2, 3, 4], 'A ratio needs values ≥ 0.');
  refuses([], [1], 'A ratio needs rounds on both sides.');
  refuses([1], [], 'A ratio needs rounds on both sides.');
});

const slower = { median: 0.9, low: 0.85, high: 0.95 };
/** @type {[string, typeof slower, number, boolean, string][]} */
const VERDICTS = [
  ['less throughput', slower, 0.05, true, 'worse'],
  ['less latency', slower, 0.05, false, 'better'],
  ['more throughput', { median: 1.1, low: 1.01, high: 1.2 }, 0.05, true, 'better'],
  ['more latency', { median: 1.1, low: 1.01, high: 1.2 }, 0.05, false, 'worse'],
  ['an interval that holds 1', { median: 0.8, low: 0.6, high: 1 }, 0, true, 'no difference'],
  ['an interval that begins at 1', { median: 1.2, low: 1, high: 1.4 }, 0, true, 'no difference'],
  ['within the threshold', slower, 0.2, true, 'no difference'],
  ['exactly at the threshold', { median: 0.95, low: 0.94, high: 0.96 }, 0.05, true, 'no difference'],
  ['a hair beyond it', { median: 0.9499, low: 0.94, high: 0.96 }, 0.05, true, 'worse'],
  ['threshold 0', { median: 0.999, low: 0.998, high: 0.9999 }, 0, true, 'worse'],
  ['nothing acknowledged any more', { median: 0, low: 0, high: 0 }, 0.05, true, 'worse'],
];
for (const [what, ratio, threshold, higherIsBetter, expected] of VERDICTS) {
  test(`${what}: ${expected}`, () => {
    assert.equal(verdictOf(ratio, { threshold, higherIsBetter }), expected);
  });
}
