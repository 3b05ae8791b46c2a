import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundOf } from '../report/fixture.js';
import { mergeHistograms } from './histogram.js';
import { bootstrapInterval } from './statistics.js';
import { hasEnoughBeyond, isSustained, p99Interval, summarise, throughputRatios } from './summary.js';

/** @import { RoundResult } from '../result/schema.js' */

const SEED = { seed: 1 };

test('percentiles come from the merged histogram, not from an average of percentiles', () => {
  const fast = roundOf({ writes: 9000, medianNs: 10_000 });
  const slow = roundOf({ writes: 1000, medianNs: 10_000_000 });
  const summary = summarise([fast, slow], null, SEED);
  assert.equal(summary.samples, 10_000);
  assert.equal(summary.latencyNs.p50, mergeHistograms([fast.histogram, slow.histogram]).getValueAtPercentile(50));
  assert.ok(summary.latencyNs.p50 < 20_000, 'nine tenths of the values are fast');
  assert.ok(summary.latencyNs.p95 > 1_000_000, 'the slow tenth shows');
  assert.equal(summary.p50Ns.median, (fast.latencyNs.p50 + slow.latencyNs.p50) / 2, 'the interval is over rounds');
  assert.equal(summary.throughput.median, 5000);
  assert.equal(summary.relativeToBaseline, undefined);
  const p99Ns = { low: 2, high: 5 };
  const widened = [1, 9].map((p99) => p99Interval(/** @type {any} */ ({ latencyNs: { p99 }, p99Ns })));
  assert.equal(widened.map(({ low, median: ofAll, high }) => [low, ofAll, high].join()).join(' '), '1,1,5 2,9,9');
});

test('the ratio to the baseline is paired by round', () => {
  const side = (/** @type {number} */ factor) => [1, 0.5, 2].map((noise) => roundOf({ writes: 1000 * noise * factor }));
  const { relativeToBaseline } = summarise(side(3), side(4), { ...SEED, baselineId: 'none' });
  assert.deepEqual(relativeToBaseline, { baseline: 'none', throughput: { median: 0.75, low: 0.75, high: 0.75 } });
});

test('every interval is of the seed that is given', () => {
  const [rounds, baseline] = [5, 7].map((step) =>
    Array.from({ length: 14 }, (_, i) => roundOf({ writes: 50 + ((i * step) % 37), medianNs: 1000 + 90 * i })),
  );
  const figures = {
    throughput: rounds.map(({ throughput }) => throughput),
    p50Ns: rounds.map(({ latencyNs }) => latencyNs.p50),
    p99Ns: rounds.map(({ latencyNs }) => latencyNs.p99),
    ratios: rounds.map(({ throughput }, i) => throughput / baseline[i].throughput),
  };
  const seeds = [5, 6];
  const summaries = seeds.map((seed) => summarise(rounds, baseline, { seed }));
  for (const [name, values] of Object.entries(figures)) {
    const intervals = summaries.map(({ throughput, p50Ns, p99Ns, relativeToBaseline }) => {
      const all = { throughput, p50Ns, p99Ns, ratios: relativeToBaseline?.throughput };
      return all[/** @type {keyof typeof all} */ (name)];
    });
    const expected = seeds.map((seed) => bootstrapInterval(values, { seed }));
    assert.deepEqual(intervals, expected, name);
    assert.ok(new Set(expected.map((each) => JSON.stringify(each))).size > 1, `the seed does not matter to ${name}`);
  }
});

test('the ratios of throughput are those of the rounds that both sides have, in their order', () => {
  const sides = [
    [300, 100, 250],
    [200, 400, 100, 50],
  ];
  const [rounds, baseline] = sides.map((side) => side.map((writes) => roundOf({ writes })));
  const expected = { ratios: [1.5, 0.25, 2.5], interval: { median: 1.5, low: 0.25, high: 2.5 } };
  assert.deepEqual(throughputRatios(rounds, baseline, SEED), expected);
  const inverse = { ratios: [2 / 3, 4, 0.4], interval: { median: 2 / 3, low: 0.4, high: 4 } };
  assert.deepEqual(throughputRatios(baseline, rounds, SEED), inverse);
});

test('there are no ratios without a pair or with a baseline of 0; a case of 0 has a ratio of 0', () => {
  const [none, some] = [0, 100].map((writes) => [roundOf({ writes })]);
  assert.equal(throughputRatios([], [], SEED), null);
  assert.equal(throughputRatios(some, [], SEED), null);
  assert.equal(throughputRatios([], some, SEED), null);
  assert.equal(throughputRatios(some, none, SEED), null);
  assert.deepEqual(throughputRatios(none, some, SEED), { ratios: [0], interval: { median: 0, low: 0, high: 0 } });
  assert.deepEqual(
    throughputRatios(some, [...some, ...none], SEED)?.ratios,
    [1],
    'a 0 without a partner does not count',
  );
});

const load = (/** @type {number | null} */ cpu) => roundOf({ writes: 10, load: { cpu, eventLoopUtilization: 0.5 } });
const busyMachine = { machineCpu: 1, load: { cpu: 0.1, eventLoopUtilization: 0.1 } };
const replica = { id: 'a', role: /** @type {const} */ ('replica'), cpu: 0.99, mainThreadCpu: 0.99, memoryBytes: 1 };
const primary = { id: 'b', role: /** @type {const} */ ('primary'), cpu: 0.99, mainThreadCpu: null, memoryBytes: 1 };
const ofAgent = /** @type {any} */ ({ ...roundOf({ writes: 10 }), agents: [busyMachine] });

/** @type {[what: string, rounds: RoundResult[], expected: string][]} */
const LIMITS = [
  ['most rounds had a busy client', [load(0.99), load(0.98), load(0.1)], 'client'],
  ['one round had a busy client', [load(0.99), load(0.1), load(0.1)], 'nothing'],
  ['rounds without a figure do not count', [load(null), load(null), load(0.95)], 'client'],
  ['who was asked for nothing, on a busy machine', [roundOf({ writes: 0, ...busyMachine })], 'nothing'],
  ['a busy machine', [0, 10].map((writes) => roundOf({ writes, ...busyMachine })), 'machine'],
  ['a busy machine of an agent', [ofAgent], 'machine'],
  ['no nodes', [roundOf({ writes: 10, nodes: [] })], 'nothing'],
  ['a busy node that is no primary', [roundOf({ writes: 10, nodes: [replica] })], 'nothing'],
  ['a primary whose command thread has no figure', [roundOf({ writes: 10, nodes: [replica, primary] })], 'primary'],
];
for (const [what, rounds, expected] of LIMITS) {
  test(`${what}: limited by ${expected}`, () => {
    assert.equal(summarise(rounds, null, SEED).limitedBy, expected);
  });
}

/**
 * @param {boolean | null} sustained null: a closed loop
 * @returns {RoundResult} with a busy client
 */
function busyRound(sustained) {
  const load = { cpu: 1, eventLoopUtilization: 1 };
  const round = roundOf({ writes: 10, load });
  if (sustained === null) return round;
  const { latencyNs, histogram } = round;
  return {
    ...round,
    openLoop: {
      ...{ askedRate: 10, achievedRate: 10, arrivals: 'constant', due: 10, unsent: 0, sustained },
      ...{ serviceNs: latencyNs, serviceHistogram: histogram, latenessNs: latencyNs, latenessHistogram: histogram },
    },
  };
}

/** @type {[what: string, rounds: (boolean | null)[], expected: boolean][]} */
const SUSTAINED = [
  ['every round', [true, true, true], true],
  ['most rounds', [true, false, true], true],
  ['half of the rounds', [true, false], false],
  ['most rounds, the others in a closed loop', [true, true, null], true],
  ['an empty list of rounds', [], false],
];
for (const [what, rounds, expected] of SUSTAINED) {
  test(`a schedule kept in ${what} ${expected ? 'is' : 'is not'} sustained`, () => {
    assert.equal(isSustained(rounds.map(busyRound)), expected);
  });
}

test('a percentile is shown with 10 independent values beyond it', () => {
  const isShown = (/** @type {number} */ samples, /** @type {number} */ pipeline) =>
    hasEnoughBeyond(/** @type {any} */ ({ params: { pipeline }, summary: { samples } }), 0.001);
  assert.deepEqual([isShown(10_000, 1), isShown(9_999, 1), isShown(10_000, 100)], [true, false, false]);
});

test('nothing limited an open loop that kept its schedule, however busy its client', () => {
  /** @param {(boolean | null)[]} rounds */
  const limit = (...rounds) => summarise(rounds.map(busyRound), null, SEED).limitedBy;
  assert.equal(limit(true, true, false), 'nothing');
  assert.equal(limit(true, false), 'client');
  assert.equal(limit(null), 'client');
});
