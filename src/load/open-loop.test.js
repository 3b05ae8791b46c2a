import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../stats/random.js';
import { mergeSamples, partOf } from './load-thread.js';
import { createSchedule } from './open-loop.js';

/** @param {number} count @param {() => number} next @returns {number[]} the first gaps of a schedule, milliseconds */
function gapsOf(count, next) {
  let last = 0;
  return Array.from({ length: count }, () => {
    const at = next();
    const gap = at - last;
    last = at;
    return gap;
  });
}

test('a constant schedule is even, and does not drift over a hundred million batches', () => {
  const next = createSchedule({ rate: 3, pipeline: 1, arrivals: 'constant', random: () => 0.5 });
  assert.deepEqual([next(), next(), next(), next()].map(Math.round), [0, 333, 667, 1000]);
  const fast = createSchedule({ rate: 30_000, pipeline: 1, arrivals: 'constant', random: () => 0.5 });
  let last = 0;
  for (let i = 0; i <= 3_000_000; i++) last = fast();
  assert.equal(last, 100_000);
});

test('at every pipeline depth as many operations are due a second as asked for', () => {
  for (const arrivals of /** @type {const} */ (['constant', 'poisson'])) {
    for (const pipeline of [1, 10, 100]) {
      const rate = 50_000;
      const next = createSchedule({ rate, pipeline, arrivals, random: randomFrom(pipeline) });
      const seconds = 20;
      let due = 0;
      while (next() < seconds * 1000) due += pipeline;
      // Chance moves the number of Poisson arrivals by at most three times the root of it.
      const slack = arrivals === 'constant' ? 0 : 3 * pipeline * Math.sqrt((rate * seconds) / pipeline);
      assert.ok(Math.abs(due - rate * seconds) <= slack, `${arrivals}, depth ${pipeline}: ${due} in ${seconds} s`);
    }
  }
});

test('gaps of Poisson arrivals pass the Kolmogorov–Smirnov test for exponential ones, and the next does not depend on the last', () => {
  const count = 20_000;
  for (const seed of [1, 2, 3]) {
    const gaps = gapsOf(
      count,
      createSchedule({ rate: 2000, pipeline: 4, arrivals: 'poisson', random: randomFrom(seed) }),
    );
    const distances = gaps
      .toSorted((a, b) => a - b)
      .map((gap, rank) => {
        const expected = 1 - Math.exp(-gap / 2);
        return Math.max(expected - rank / count, (rank + 1) / count - expected);
      });
    // Only 1% of true samples are farther away than this.
    assert.ok(Math.max(...distances) < 1.628 / Math.sqrt(count), `seed ${seed}: ${Math.max(...distances)}`);
    const products = gaps.slice(1).map((gap, i) => (gap / 2 - 1) * (gaps[i] / 2 - 1));
    const correlation = products.reduce((sum, product) => sum + product, 0) / count;
    assert.ok(Math.abs(correlation) < 2.58 / Math.sqrt(count), `seed ${seed}: correlation ${correlation}`);
  }
});

test('threads share connections, operations and rate without losing any', () => {
  /** @type {any} */
  const plan = {
    connections: 10,
    operations: 1001,
    seed: 5,
    openLoop: { rate: 900, arrivals: 'constant', graceSeconds: 1 },
  };
  const parts = [0, 1, 2].map((index) => partOf(plan, index, 3));
  assert.deepEqual(
    parts.map(({ connections }) => connections),
    [4, 3, 3],
  );
  assert.deepEqual(
    parts.map(({ operations }) => operations),
    [334, 334, 333],
  );
  assert.deepEqual(
    parts.map(({ openLoop }) => openLoop?.rate),
    [300, 300, 300],
  );
  assert.equal(new Set(parts.map(({ seed }) => seed)).size, 3, 'no two threads write the same keys in the same order');
});

test('samples of threads are merged exactly', async () => {
  const { newHistogram, encodeHistogram, latencyOf } = await import('../stats/histogram.js');
  const make = (/** @type {number[]} */ values, /** @type {number} */ cpu) => {
    const histogram = newHistogram();
    for (const value of values) histogram.recordValue(value);
    return {
      seconds: values.length,
      operations: values.length,
      outcomes: { acked: values.length, underAcked: 1, rejected: 2, unknown: 3 },
      errors: { READONLY: values.length },
      firstError: cpu > 0.5 ? 'READONLY x' : null,
      histogram: encodeHistogram(histogram),
      latencyNs: latencyOf(histogram),
      load: { cpu, eventLoopUtilization: cpu / 2 },
    };
  };
  const merged = mergeSamples([make([1000, 2000, 3000], 0.4), make([500_000], 0.9)]);
  assert.deepEqual(merged.outcomes, { acked: 4, underAcked: 2, rejected: 4, unknown: 6 });
  assert.deepEqual(merged.errors, { READONLY: 4 });
  assert.equal(merged.firstError, 'READONLY x');
  assert.equal(merged.seconds, 3);
  assert.equal(merged.latencyNs.min, 1000);
  assert.ok(Math.abs(merged.latencyNs.max - 500_000) < 500);
  assert.deepEqual(merged.load, { cpu: 0.9, eventLoopUtilization: 0.45 }, 'of the busiest thread');
});
