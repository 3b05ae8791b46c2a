import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeHistogram, latencyOf } from '../../src/stats/histogram.js';
import { sampleOf } from './application/round.js';
import { unconfirmedOf } from './application.js';

const COUNTED = { requests: 2000, durationUs: 4e6, bytes: 1e5, confirmed: 1900, refused: 100, timeouts: 3, broken: 2 };

test('what wrk counts: confirmed registrations are acked, the latencies are those of its percentiles', () => {
  const permilleUs = Array.from({ length: 1000 }, (_, i) => 100 * (i + 1));
  const { seconds, operations, outcomes, errors, histogram } = sampleOf({ ...COUNTED, permilleUs }, 'register');
  assert.deepEqual([seconds, operations], [4, 2002]);
  assert.deepEqual(outcomes, { acked: 1900, underAcked: 0, rejected: 100, unknown: 2 });
  assert.deepEqual(errors, { 'HTTP status': 100, CONNECTION: 2 });
  const { p50, p99 } = latencyOf(decodeHistogram(histogram));
  assert.deepEqual([Math.round(p50 / 1e6), Math.round(p99 / 1e6)], [50, 99]);
});

test('rows that nobody confirmed: a round in which a replica has more has none', () => {
  const rows = { 'old-primary': [12, 7], 'first-replica': [9, 8], 'second-replica': [10, 8] };
  const of = Object.fromEntries(Object.entries(rows).map(([node, values]) => [`application-${node}-rows`, { values }]));
  assert.equal(unconfirmedOf(/** @type {any} */ ({ of })), 2);
});
