import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeSamples } from '../load/load-thread.js';
import { decodeHistogram, encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { Plan, Sample } from './load-protocol.js';
import { stallMeter, TICK_MS } from './protocol.js';

const PLAN = {
  generator: 'writes',
  client: 'native',
  primary: { host: '10.0.0.1', port: 6379 },
  replicas: [],
  shape: {
    payloadBytes: 64,
    pipeline: 1,
    waitReplicas: 0,
    waitTimeoutMs: 1000,
    waitMode: 'pipelined',
    keyPrefix: 'sentinel-bench:x:',
  },
  connections: 1,
  keyspace: 10,
  seconds: 1,
  warmUpSeconds: 0,
  backgroundConnections: 0,
  seed: 1,
};

test('a plan from the network names no program, and no keys of others', () => {
  assert.ok(Plan.safeParse(PLAN).success);
  const refused = [
    { ...PLAN, driver: { command: { program: '/bin/sh', args: ['-c', 'id'] }, variant: 'x' } },
    { ...PLAN, client: 'redis-benchmark' },
    { ...PLAN, shape: { ...PLAN.shape, keyPrefix: 'users:' } },
    { ...PLAN, connections: 1e9 },
    { ...PLAN, seconds: 1e9 },
    { ...PLAN, primary: { host: '10.0.0.1', port: 6379, path: '/run/docker.sock' } },
  ];
  for (const plan of refused) assert.equal(Plan.safeParse(plan).success, false, JSON.stringify(plan));
});

/** @param {number[]} values nanoseconds */
function histogramOf(values) {
  const histogram = newHistogram();
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

/** @param {number[]} values */
function sampleOf(values) {
  const histogram = histogramOf(values);
  return Sample.parse({
    seconds: 1,
    operations: values.length,
    outcomes: { acked: values.length, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    firstError: null,
    histogram: encodeHistogram(histogram),
    latencyNs: latencyOf(histogram),
    load: { cpu: 0.1, eventLoopUtilization: 0.1 },
  });
}

test('merged samples have the very buckets of one process that has all of them', () => {
  const random = randomFrom(7);
  // A fast agent, a slow one, and one with few operations and a stall.
  const agents = [
    Array.from({ length: 40_000 }, () => Math.floor(20_000 + random() * 60_000)),
    Array.from({ length: 9000 }, () => Math.floor(1_000_000 + random() * 40_000_000)),
    [1, 5_000_000_000, 90_000_000_000],
  ];
  const merged = mergeSamples(agents.map(sampleOf));
  const whole = histogramOf(agents.flat());
  assert.equal(decodeHistogram(merged.histogram).totalCount, 49_003);
  // The encoding holds the count of every bucket.
  assert.equal(merged.histogram, encodeHistogram(whole));
  // An encoding has buckets, and no exact maximum.
  assert.deepEqual(merged.latencyNs, latencyOf(decodeHistogram(encodeHistogram(whole))));
  assert.equal(merged.operations, 49_003);
  // No mean of the parts' percentiles is the percentile of the union.
  const mean = agents.map(sampleOf).reduce((sum, { latencyNs }) => sum + latencyNs.p99, 0) / agents.length;
  assert.notEqual(merged.latencyNs.p99, mean);
});

test('only a tick that is late by more than a heartbeat says that the process stood still', () => {
  let nowMs = 0;
  const stalled = stallMeter(() => nowMs);
  const after = (/** @type {number} */ ms) => {
    nowMs += ms;
    return stalled();
  };
  assert.deepEqual([TICK_MS, TICK_MS + 900, TICK_MS + 4000, TICK_MS].map(after), [0, 0, 4000, 0]);
});
