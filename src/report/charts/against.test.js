import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../fixture.js';
import { chartAgainst } from './against.js';

const STEPS = /** @type {const} */ ({ by: 'pipeline', what: 'batch', label: String });
const [sample] = resultOf().benchmarks;
const rounds = (/** @type {number[]} */ writes) => writes.map((each, i) => roundOf({ writes: each, seed: i + 1 }));
const none = caseOf('none', {}, rounds([2000, 2100]));
const benchmark = {
  ...sample,
  cases: [
    none,
    caseOf('wait', { wait: 1 }, rounds([1000, 1100]), none),
    caseOf('none-10', { pipeline: 10 }, rounds([900, 950])),
  ],
};

test('cost is the lost share of the baseline; a single step has no chart', () => {
  assert.equal(chartAgainst('cost', benchmark, STEPS), null);
  const more = caseOf('wait-10', { wait: 1, pipeline: 10 }, rounds([1800, 1900]), benchmark.cases[2]);
  const chart = chartAgainst('cost', { ...benchmark, cases: [...benchmark.cases, more] }, STEPS);
  const [first, second] = chart?.rows ?? [];
  assert.deepEqual(
    first.slice(1).map((cell) => Number(cell).toFixed(3)),
    ['0.488', '0.476', '0.500'],
  );
  assert.equal(Number(second[1]) < 0, true);
  assert.match(chart?.note ?? '', /Below zero: more throughput with WAIT/);
});

test('p99 is a gap if fewer than ten independent values lie beyond it', () => {
  const many = caseOf('many', {}, rounds([2000]));
  const batches = caseOf('batches', { pipeline: 10 }, rounds([9000]));
  assert.equal(chartAgainst('p99', { ...benchmark, cases: [many, batches] }, STEPS), null);
  const enough = caseOf('enough', { pipeline: 10 }, rounds([10_000]));
  const chart = chartAgainst('p99', { ...benchmark, cases: [many, enough] }, STEPS);
  assert.equal(chart?.rows[1][1], enough.summary.latencyNs.p99);
});
