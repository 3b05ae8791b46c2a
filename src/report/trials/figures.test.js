import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossText, milliseconds } from './figures.js';
import { auditOf } from './fixture.js';

test('times: zero, without an end, not measured', () => {
  assert.deepEqual([0, 0.05, 980, 12_100, Number.POSITIVE_INFINITY, null].map(milliseconds), [
    '0',
    '50.0 µs',
    '980 ms',
    '12.1 s',
    'to the end',
    '–',
  ]);
});

test('a range over several trials', () => {
  const rounds = [auditOf('x', { acked: 500 }), auditOf('x', { acked: 500, ackedLost: 5 })];
  assert.equal(lossText(rounds), '5 of 1,000 (0.50%; 0–5 in each of 2 trials)');
  assert.equal(lossText(rounds.slice(1)), '5 of 500 (1.0%)');
});
