import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outcome } from '../clients/types.js';
import { Recorder } from './recorder.js';

/** @import { LoadConnection } from '../clients/types.js' */

const { acked, underAcked, rejected, unknown } = Outcome;

/** @param {number[]} outcomes @param {{fetched?: boolean, misses?: number}} [kind] */
const batch = (outcomes, { fetched = false, misses = 0 } = {}) =>
  /** @type {LoadConnection} */ ({ outcomes: Uint8Array.from(outcomes), fetched, misses });

test('reads and writes are counted apart', () => {
  const recorder = new Recorder();
  assert.equal(recorder.count(batch([acked, acked, underAcked, rejected, unknown])), 3);
  assert.equal(recorder.count(batch([acked, rejected, unknown, unknown], { fetched: true, misses: 1 })), 1);
  assert.deepEqual(recorder.outcomes, { acked: 2, underAcked: 1, rejected: 1, unknown: 1 });
  assert.deepEqual(recorder.readOutcomes, { acked: 1, underAcked: 0, rejected: 1, unknown: 2 });
  assert.deepEqual(recorder.reads, { answered: 1, misses: 1, failed: 3 });
  assert.equal(recorder.operations, 9);
  recorder.count(batch([acked], { misses: 5 }));
  assert.equal(recorder.reads.misses, 1, 'writes have none');
  assert.equal(recorder.histogram.totalCount, 0, 'a count has no latency');
});

test('each operation that was answered has the latency of its batch, in nanoseconds', () => {
  const recorder = new Recorder();
  assert.equal(recorder.batch(batch([acked, underAcked, rejected]), 2), 2);
  assert.equal(recorder.batch(batch([acked], { fetched: true }), 4), 1);
  assert.equal(recorder.batch(batch([rejected, unknown]), 9), 0);
  assert.equal(recorder.histogram.totalCount, 3);
  assert.ok(Math.abs(recorder.histogram.getValueAtPercentile(50) - 2e6) < 2000);
  assert.ok(Math.abs(recorder.histogram.maxValue - 4e6) < 4000);
});

test('errors are counted by kind, and the first one is kept', () => {
  const recorder = new Recorder();
  assert.deepEqual([recorder.firstError, recorder.errors], [null, {}]);
  for (const text of ['READONLY o\x07ne', 'READONLY two', 'CLOSED by the server', 'made up']) recorder.error(text);
  assert.equal(recorder.firstError, 'READONLY o\\u0007ne', 'cleaned');
  const other = new Recorder();
  for (const text of ['READONLY three', 'OOM full']) other.error(text);
  recorder.addErrors(other);
  assert.deepEqual(recorder.errors, { READONLY: 3, CLOSED: 1, ERR: 1, OOM: 1 });
});
