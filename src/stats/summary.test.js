import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundOf } from '../report/fixture.js';
import { mergeHistograms } from './histogram.js';
import { summarise } from './summary.js';

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
});

test('the ratio to the baseline is paired by round', () => {
  const side = (/** @type {number} */ factor) => [1, 0.5, 2].map((noise) => roundOf({ writes: 1000 * noise * factor }));
  const { relativeToBaseline } = summarise(side(3), side(4), { ...SEED, baselineId: 'none' });
  assert.deepEqual(relativeToBaseline, { baseline: 'none', throughput: { median: 0.75, low: 0.75, high: 0.75 } });
});

test('a round that only one side has does not count in the ratio', () => {
  const baseline = [roundOf({ writes: 1000 }), roundOf({ writes: 1000 })];
  const rounds = [roundOf({ writes: 500 }), roundOf({ writes: 500 }), roundOf({ writes: 900 })];
  assert.equal(summarise(rounds, baseline, SEED).relativeToBaseline?.throughput.high, 0.5);
});

test('there is no ratio to a baseline without acknowledged writes', () => {
  const baseline = [roundOf({ writes: 1000 }), roundOf({ writes: 0 })];
  assert.equal(summarise(baseline, baseline, { ...SEED, baselineId: 'none' }).relativeToBaseline, undefined);
});

test('a case without acknowledged writes has zeros', () => {
  const { throughput, latencyNs, samples } = summarise([roundOf({ writes: 0 })], null, SEED);
  assert.deepEqual(throughput, { median: 0, low: 0, high: 0 });
  assert.equal(latencyNs.p999, 0);
  assert.equal(samples, 0);
});

test('what limited the case is decided from medians over rounds', () => {
  const load = (/** @type {number | null} */ cpu) => roundOf({ writes: 10, load: { cpu, eventLoopUtilization: 0.5 } });
  assert.equal(summarise([load(0.99), load(0.98), load(0.1)], null, SEED).limitedBy, 'client');
  assert.equal(summarise([load(0.99), load(0.1), load(0.1)], null, SEED).limitedBy, 'nothing');
  assert.equal(summarise([load(null), load(null), load(0.95)], null, SEED).limitedBy, 'client');
});

test('nothing limited who was asked for nothing, however busy others kept the machine', () => {
  const busy = { machineCpu: 1, load: { cpu: 0.1, eventLoopUtilization: 0.1 } };
  assert.equal(summarise([roundOf({ writes: 0, ...busy })], null, SEED).limitedBy, 'nothing');
  assert.equal(summarise([roundOf({ writes: 10, ...busy })], null, SEED).limitedBy, 'machine');
});

test('without a figure for the command thread the whole process counts', () => {
  const nodes = [
    { id: 'a', role: /** @type {const} */ ('replica'), cpu: 0.1, mainThreadCpu: 0.1, memoryBytes: 1 },
    { id: 'b', role: /** @type {const} */ ('primary'), cpu: 0.99, mainThreadCpu: null, memoryBytes: 1 },
  ];
  assert.equal(summarise([roundOf({ writes: 10, nodes })], null, SEED).limitedBy, 'primary');
});

test('no rounds are an error, not a zero', () => {
  assert.throws(() => summarise([], null, SEED), RangeError);
});
