import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareValues, sortValue } from './tables.js';

test('figures are sorted by value in any unit', () => {
  const orders = [
    ['640 ns', '45 µs', '990 µs–1.10 ms', '1.20 ms', '12.0 s', '2 min'],
    ['0 /s', '850 /s', '34.1 k/s', '34.2 k/s (30.0–36.0 k/s)', '1.20 M/s'],
    ['64 B', '1.5 KiB', '256 KiB', '23.5 GiB'],
    ['900 kbit/s', '23.0 Mbit/s'],
    ['−12%', '−3.0 to 2.0%', '0%', '<0.01%', '0.42%', '42–49%', '46% (42–49%)', '99.97%'],
    ['0 of 1,234', '13 of 1,234', '1,502 (33%)', '1,234,567'],
    ['0 B/s / 2 MiB/s', '1.75 MiB/s / 3.57 MiB/s'],
    ['0.9×', '10×'],
    ['−0.105 s', '0.000 s', '6.250 s'],
  ];
  for (const order of orders) {
    const values = order.map(sortValue);
    assert.ok(
      values.every((value) => typeof value === 'number'),
      `${order} → ${values}`,
    );
    assert.deepEqual(
      [...values].sort((a, b) => compareValues(a, b, 1)),
      values,
      order.join(', '),
    );
  }
  assert.equal(sortValue('34.1 k/s (30.0–36.0 k/s)'), 34_100);
  assert.equal(sortValue('990 µs–1.10 ms'), 990 * 1e-6);
  assert.equal(sortValue('31%\u00a0(25–\u206035)'), 0.31, 'with spaces and dashes that no line breaks at');
});

test('other cells are texts, even if they begin with a number', () => {
  for (const text of ['WAIT 1', '2 × AMD EPYC', '7.0.15', '2026-11-20', 'one after the other', '3 apples'])
    assert.equal(sortValue(text), text);
  assert.ok(compareValues('WAIT 2', 'WAIT 10', 1) < 0);
});

test('missing values come last in both directions, texts after figures', () => {
  const texts = ['–', 'b', '2', '', 'a', '1'];
  const sorted = (/** @type {1 | -1} */ direction) =>
    [...texts].sort((a, b) => compareValues(sortValue(a), sortValue(b), direction));
  assert.deepEqual(sorted(1), ['1', '2', 'a', 'b', '–', '']);
  assert.deepEqual(sorted(-1), ['2', '1', 'b', 'a', '–', '']);
});
