/** How often intervals hold what they claim, by simulation. Too slow for a run for each planted defect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpairedRatio, verdictOf } from './comparison.js';
import { randomFrom } from './random.js';
import { bootstrapInterval, pairedRatio } from './statistics.js';

/** @param {() => number} random */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

// The figures in docs/methods.md, found again on a smaller scale. The bounds are the exact rate ± 4
// standard deviations of 4,000 comparisons.
for (const { rounds, exact } of [
  { rounds: 4, exact: 2 / 70 },
  { rounds: 5, exact: 8 / 252 },
  { rounds: 7, exact: 130 / 3432 },
]) {
  test(`two samples of one distribution, ${rounds} rounds a side, differ as rarely as the test says`, (t) => {
    const comparisons = 4000;
    const random = randomFrom(rounds);
    const side = () => Array.from({ length: rounds }, () => Math.exp(0.3 * normal(random)));
    let apart = 0;
    for (let i = 0; i < comparisons; i++) {
      const ratio = unpairedRatio(side(), side());
      assert.ok(ratio && ratio.low <= ratio.median && ratio.median <= ratio.high);
      if (verdictOf(ratio, { threshold: 0, higherIsBetter: true }) !== 'no difference') apart++;
    }
    const rate = apart / comparisons;
    const slack = 4 * Math.sqrt((exact * (1 - exact)) / comparisons);
    t.diagnostic(`${(100 * rate).toFixed(1)}% of ${comparisons}; exactly ${(100 * exact).toFixed(1)}%`);
    assert.ok(Math.abs(rate - exact) <= slack, `${rate} is not ${exact} ± ${slack}`);
    assert.ok(exact <= 0.05);
  });
}

test('many rounds have an interval', () => {
  assert.ok(unpairedRatio(Array(60).fill(1), Array(60).fill(1)));
});

// The figures in docs/methods.md, found again on a smaller scale. The range of five values misses
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
    let covered = 0;
    for (let i = 0; i < samples; i++) {
      const values = Array.from({ length: n }, () => -Math.log(1 - random()));
      const { low, high } = bootstrapInterval(values, { seed: i, resamples: 500 });
      if (low <= trueMedian && trueMedian <= high) covered++;
    }
    const coverage = covered / samples;
    t.diagnostic(`${(100 * coverage).toFixed(1)}% of ${samples} intervals held the true median`);
    assert.ok(coverage >= atLeast && coverage <= atMost, `${coverage}`);
  });
}

test('the interval of a cost holds the true cost as often as it claims, however much both sides waver together', (t) => {
  const random = randomFrom(11);
  const runs = 800;
  const trueRatio = 0.6;
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    const shared = Array.from({ length: 11 }, () => Math.exp(0.5 * normal(random)));
    const side = (/** @type {number} */ speed) =>
      shared.map((noise) => speed * noise * Math.exp(0.05 * normal(random)));
    const { low, high } = pairedRatio(side(100 * trueRatio), side(100), { seed: run, resamples: 600 });
    if (low <= trueRatio && trueRatio <= high) covered++;
  }
  t.diagnostic(`${((100 * covered) / runs).toFixed(1)}% of ${runs} intervals held the true cost`);
  // From the third value to the ninth of 11: the true median lies below or above in 2 × 67 of 2,048 cases.
  const exact = 1 - (2 * 67) / 2048;
  assert.ok(Math.abs(covered / runs - exact) <= 3 * Math.sqrt((exact * (1 - exact)) / runs), `${covered / runs}`);
});
