import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachTrial, lossText, lostCell, milliseconds, unavailableCell } from './figures.js';
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
  assert.deepEqual(
    [eachTrial([3]), eachTrial([3, 3]), eachTrial([3, 1200, 0])],
    ['', '3 in each of 2 trials', '0–1,200 in each of 3 trials'],
  );
  const rounds = [auditOf('x', { acked: 500 }), auditOf('x', { acked: 500, ackedLost: 5 })];
  assert.equal(lostCell(rounds, true), '5 (0.50%; 0–5 a trial)');
  assert.equal(lostCell(rounds, false), '5 (0.50%)');
  assert.equal(lostCell([rounds[0], rounds[0]], true), '0 of 1,000', 'without a loss there is no range');
  assert.equal(lossText(rounds), '5 of 1,000 (0.50%; 0–5 in each of 2 trials)');
});

test('unavailable in an even number of trials, some without an end', () => {
  const audits = [1000, 2000, null, null].map((unavailableMs) => auditOf('x', { unavailableMs }));
  assert.equal(unavailableCell(audits.slice(0, 2), true), '1.50 s');
  assert.equal(unavailableCell(audits, true), 'to the end (2 of 4 trials)');
  assert.equal(unavailableCell(audits, false), 'to the end');
  assert.equal(unavailableCell([], true), '–');
});
