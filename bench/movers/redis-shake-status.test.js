import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference, sumOf } from './movers.js';
import { reportOf } from './redis-shake-process.js';

const MOVED = { ...sumOf([]), keys: 5 };

test('the rate of several movers is the sum of their median reported rates', () => {
  assert.deepEqual(reportOf({ written: 30, rates: [[10, 30, 20], [5]] }), { written: 30, rate: 25 });
});

test('a mover that reported no rate leaves it unknown', () => {
  assert.deepEqual(reportOf({ written: 30, rates: [[10], []] }), { written: 30, rate: null });
  assert.equal(reportOf(null), undefined);
});

test('what was reported before the timed part does not count', () => {
  const before = { ...MOVED, reported: { written: 100, rates: [[50, 60]] } };
  const after = { ...MOVED, reported: { written: 150, rates: [[50, 60, 7]] } };
  assert.deepEqual(difference(after, before).reported, { written: 50, rates: [[7]] });
  assert.equal(difference({ ...MOVED, reported: null }, before).reported, null);
});
