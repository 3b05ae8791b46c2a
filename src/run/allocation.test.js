import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../stats/random.js';
import { bootstrapInterval } from '../stats/statistics.js';
import { createAllocation, isNarrow } from './allocation.js';
import { makeCase } from './case.js';

const CASES = [makeCase({}), makeCase({ wait: 1 }, { wait: 0 }), makeCase({ wait: 2 }, { wait: 0 })];
const [BASELINE, ONE, TWO] = CASES;
const PRECISION = { headline: () => true, halfWidth: 0.1, least: 20, most: 200, seconds: 60 };
const PILOT = 8;

/** @param {() => number} random draws from [0, 1) */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Measures one headline case until it gets no more rounds.
 * @param {() => number} draw the ratio of a round
 * @param {import('./types.js').Precision} [precision]
 */
function measure(draw, precision = PRECISION) {
  const allocation = createAllocation([BASELINE, ONE], PILOT, precision);
  /** @type {number[]} */
  const ratios = [];
  const intervalOf = () => bootstrapInterval(ratios, { seed: ratios.length, resamples: 300 });
  for (let round = 1; allocation.takesPart(ONE, round); round++) {
    ratios.push(draw());
    allocation.look(round, () => ({ ratios, interval: intervalOf() }));
  }
  return { rounds: ratios.length, interval: intervalOf(), stop: allocation.stopOf(ONE.id) };
}

/** @param {number[]} ratios */
const pairedAs = (ratios) => ({ ratios, interval: bootstrapInterval(ratios, { seed: 1 }) });

test('without a wanted precision every case gets the rounds of the pilot', () => {
  const allocation = createAllocation(CASES, PILOT);
  assert.equal(allocation.total(), 3 * PILOT);
  allocation.look(PILOT, () => pairedAs([0.1, 0.9]));
  assert.ok(allocation.takesPart(ONE, PILOT));
  assert.ok(!allocation.takesPart(ONE, PILOT + 1));
  assert.equal(allocation.stopOf(ONE.id), undefined);
  assert.equal(createAllocation(CASES, PILOT, PRECISION).stopOf(ONE.id), 'time', 'when the time was up');
});

test('a calm case gets the least number of rounds, a wavering one gets more, and the baseline as many as that', () => {
  const allocation = createAllocation(CASES, PILOT, PRECISION);
  const wavering = Array.from({ length: 40 }, (_, i) => 0.2 + 0.2 * (i % 5));
  const look = (/** @type {number} */ round) =>
    allocation.look(round, ({ id }) => pairedAs((id === ONE.id ? [0.5, 0.51, 0.52, 0.5] : wavering).slice(0, round)));
  for (let round = 1; round <= PILOT; round++) look(round);
  assert.ok(allocation.takesPart(ONE, 20));
  assert.ok(!allocation.takesPart(ONE, 21));
  assert.ok(allocation.takesPart(TWO, 21));
  assert.ok(allocation.takesPart(BASELINE, 21));
});

test('a case that left does not come back, so its rounds stay paired with the first ones of the baseline', () => {
  const allocation = createAllocation(CASES, PILOT, PRECISION);
  /** @type {Map<string, number[]>} */
  const took = new Map(CASES.map(({ id }) => [id, []]));
  const wide = Array.from({ length: 200 }, (_, i) => (i % 2 ? 0.2 : 0.9));
  for (let round = 1; CASES.some((each) => allocation.takesPart(each, round)); round++) {
    for (const each of CASES) if (allocation.takesPart(each, round)) took.get(each.id)?.push(round);
    allocation.look(round, ({ id }) => pairedAs((id === ONE.id ? [0.5, 0.5] : wide).slice(0, round)));
  }
  for (const rounds of took.values())
    assert.deepEqual(
      rounds,
      [...rounds.keys()].map((i) => i + 1),
    );
  assert.equal(took.get(ONE.id)?.length, 20);
  assert.equal(took.get(TWO.id)?.length, 200);
  assert.equal(took.get(BASELINE.id)?.length, 200);
  assert.deepEqual(
    CASES.map(({ id }) => allocation.stopOf(id)),
    [undefined, 'decided', 'most'],
  );
});

test('a case whose baseline got nothing through gets no more rounds', () => {
  const allocation = createAllocation(CASES, PILOT, PRECISION);
  allocation.look(PILOT, () => null);
  assert.ok(!allocation.takesPart(ONE, PILOT + 1));
  assert.equal(allocation.stopOf(ONE.id), 'most');
});

test('intervals keep their coverage although the number of rounds depends on the spread', () => {
  const random = randomFrom(1);
  const draws = {
    normal: () => 0.6 + 0.25 * normal(random),
    skewed: () => 0.6 * Math.exp(0.4 * normal(random)),
    // One round in ten is disturbed.
    disturbed: () => 0.6 + (random() < 0.1 ? 0.8 : 0.15) * normal(random),
  };
  for (const [name, draw] of Object.entries(draws)) {
    const runs = Array.from({ length: 300 }, () => measure(draw));
    const decided = runs.filter(({ stop }) => stop === 'decided');
    const hit = decided.filter(({ interval: { low, high } }) => low <= 0.6 && high >= 0.6).length;
    assert.ok(decided.length > 270, `${name}: ${decided.length} of 300 were decided`);
    assert.ok(hit / decided.length > 0.92, `${name}: ${hit} of ${decided.length} hold the true ratio`);
    assert.ok(decided.every(({ interval }) => isNarrow(interval, 0.1)));
  }
});
