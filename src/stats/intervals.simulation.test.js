/** How often intervals hold what they claim, by simulation: the figures in docs/methods.md. Too slow for a run for each planted defect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpairedRatio, verdictOf } from './comparison.js';
import { randomFrom } from './random.js';
import { bootstrapInterval, pairedRatio } from './statistics.js';

/** @param {() => number} random */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** @param {number} times @param {(i: number) => boolean} isCounted */
const shareOf = (times, isCounted) =>
  Array.from({ length: times }, (_, i) => isCounted(i)).filter(Boolean).length / times;

/** @param {number} share @param {number} exact @param {number} times @param {number} deviations of the standard */
function assertNear(share, exact, times, deviations) {
  const slack = deviations * Math.sqrt((exact * (1 - exact)) / times);
  assert.ok(Math.abs(share - exact) <= slack, `${share} is not ${exact} ± ${slack}`);
}

for (const { rounds, exact } of [
  { rounds: 4, exact: 2 / 70 },
  { rounds: 5, exact: 8 / 252 },
  { rounds: 7, exact: 130 / 3432 },
]) {
  test(`two samples of one distribution, ${rounds} rounds a side, differ as rarely as the test says`, () => {
    const random = randomFrom(rounds);
    const side = () => Array.from({ length: rounds }, () => Math.exp(0.3 * normal(random)));
    const rate = shareOf(4000, () => {
      const ratio = unpairedRatio(side(), side());
      assert.ok(ratio && ratio.low <= ratio.median && ratio.median <= ratio.high);
      return verdictOf(ratio, { threshold: 0, higherIsBetter: true }) !== 'no difference';
    });
    assertNear(rate, exact, 4000, 4);
  });
}

// The range of five values misses the true median when all five fall on one side of it: 2 × 0.5^5, so 93.75% is what five rounds can give.
for (const { n, atLeast, atMost } of [
  { n: 5, atLeast: 0.92, atMost: 0.955 },
  { n: 10, atLeast: 0.945, atMost: 0.985 },
  { n: 20, atLeast: 0.94, atMost: 0.98 },
]) {
  test(`the interval of ${n} rounds covers the true median as often as it claims`, () => {
    const random = randomFrom(n);
    const coverage = shareOf(1500, (seed) => {
      const values = Array.from({ length: n }, () => -Math.log(1 - random()));
      const { low, high } = bootstrapInterval(values, { seed, resamples: 500 });
      return low <= Math.LN2 && Math.LN2 <= high;
    });
    assert.ok(coverage >= atLeast && coverage <= atMost, `${coverage}`);
  });
}

test('the interval of a cost holds the true cost as often as it claims, however much both sides waver together', () => {
  const random = randomFrom(11);
  const trueRatio = 0.6;
  const coverage = shareOf(800, (seed) => {
    const shared = Array.from({ length: 11 }, () => Math.exp(0.5 * normal(random)));
    const side = (/** @type {number} */ speed) =>
      shared.map((noise) => speed * noise * Math.exp(0.05 * normal(random)));
    const { low, high } = pairedRatio(side(100 * trueRatio), side(100), { seed, resamples: 600 });
    return low <= trueRatio && trueRatio <= high;
  });
  // From the third value to the ninth of 11: the true median lies below or above in 2 × 67 of 2,048 cases.
  assertNear(coverage, 1 - (2 * 67) / 2048, 800, 3);
});
