import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../report/fixture.js';
import { AA_PROFILE, aaBenchmark, judgePairs, mostByChance } from './aa-pairs.js';

/** @import { AaFigure } from './aa-pairs.js' */

const WAVERING = [1, 0.97, 1.02, 0.99, 1.01];

/** @param {number} pairs @param {(pair: number) => number} factor of the second side's throughput */
function measured(pairs, factor) {
  const rounds = (/** @type {number} */ writes) =>
    WAVERING.map((waver, i) => ({ ...template, throughput: writes * waver, seed: i }));
  const template = roundOf({ writes: 2000 });
  return Array.from({ length: pairs }, (_, pair) => [
    caseOf(`${pair}-a`, {}, rounds(2000)),
    caseOf(`${pair}-b`, {}, rounds(2000 * factor(pair))),
  ]).flat();
}

/** @param {AaFigure[]} figures @param {string} metric @param {number} threshold */
const pick = (figures, metric, threshold) =>
  figures.find((figure) => figure.metric === metric && figure.threshold === threshold);

test('the cases come in pairs alike in all but their id', () => {
  const cases = aaBenchmark(120).cases({
    profile: AA_PROFILE,
    server: { name: 'redis', version: '7.0.15' },
    storages: [],
  });
  assert.equal(cases.length, 240);
  assert.equal(new Set(cases.map(({ id }) => id)).size, 240);
  for (let pair = 0; pair < 120; pair++) assert.deepEqual(cases[2 * pair].params, cases[2 * pair + 1].params);
  assert.equal(new Set(cases.map(({ params }) => JSON.stringify(params))).size, 4);
});

test('equal pairs pass; too many unequal pairs fail', () => {
  const alike = judgePairs(measured(40, () => 1));
  assert.equal(alike.length, 6);
  assert.ok(alike.every(({ ok, different, compared }) => ok && different === 0 && compared === 40));

  const halfDiffer = judgePairs(measured(40, (pair) => (pair % 2 === 0 ? 0.5 : 1)));
  assert.deepEqual(pick(halfDiffer, 'throughput', 0), {
    metric: 'throughput',
    threshold: 0,
    compared: 40,
    different: 20,
    allowed: 6,
    ok: false,
  });
  assert.equal(pick(halfDiffer, 'p50', 0)?.ok, true);
});

test('a difference within the threshold counts at threshold 0 only', () => {
  const figures = judgePairs(measured(40, () => 1.045));
  assert.equal(pick(figures, 'throughput', 0)?.different, 40);
  assert.equal(pick(figures, 'throughput', 0.05)?.different, 0);
});

test('too few pairs prove nothing', () => {
  assert.ok(judgePairs(measured(39, () => 1)).every(({ ok }) => !ok));
});

test('what chance allows at 5%', () => {
  // From the binomial distribution: P(more than 6 of 40) = 0.3%, P(more than 5 of 40) = 1.4%.
  assert.equal(mostByChance(40), 6);
  assert.equal(mostByChance(120), 12);
  assert.equal(mostByChance(1), 1);
  assert.equal(mostByChance(0), 0);
});
