import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  billedBytes,
  bitRate,
  bytes,
  compress,
  count,
  duration,
  interval,
  percent,
  plural,
  range,
  rate,
  sparkline,
} from './format.js';

/** @param {string} name @param {(number: number) => string} format @param {[number, string][]} pairs */
function formats(name, format, pairs) {
  test(name, () => {
    assert.deepEqual(
      pairs.map(([number]) => [number, format(number)]),
      pairs,
    );
  });
}

formats('durations', duration, [
  [0, '0 ns'],
  [999.4, '999 ns'],
  [999.9, '1.00 µs'],
  [45_312, '45.3 µs'],
  [999_499, '999 µs'],
  [9_996_000, '10.0 ms'],
  [999_900_000, '1.00 s'],
  [999_900_000_000, '1,000 s'],
]);

formats('rates', rate, [
  [0, '0 /s'],
  [0.5, '0.500 /s'],
  [999.9, '1.00 k/s'],
  [34_123, '34.1 k/s'],
  [999_900, '1.00 M/s'],
  [1_234_567_890, '1,235 M/s'],
]);

formats('bytes', bytes, [
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [25_276_510_208, '23.5 GiB'],
]);

formats('billed bytes', billedBytes, [
  [0, '0 GB'],
  [1.93e9, '1.9 GB'],
  [7.452e12, '7,452 GB'],
]);

formats('percent never rounds to nothing or everything', percent, [
  [0, '0%'],
  [0.00001, '<0.01%'],
  [0.00996, '1.0%'],
  [0.0996, '10%'],
  [0.9949, '99.49%'],
  [0.99999, '99.99%'],
  [1, '100%'],
  [2.5, '250%'],
  [-0.12, '−12%'],
  [-0.00001, '−<0.01%'],
]);

formats('counts', count, [
  [0, '0'],
  [1_234_567, '1,234,567'],
]);

test('an interval names its unit once where it can', () => {
  assert.equal(interval({ median: 0.46, low: 0.42, high: 0.49 }, percent), '46% (42–49)');
  assert.equal(interval({ median: 34_100, low: 33_000, high: 35_200 }, rate), '34.1 k/s (33.0–35.2)');
  assert.equal(interval({ median: 1e6, low: 990_000, high: 1_100_000 }, duration), '1.00 ms (990 µs–1.10 ms)');
});

test('an interval without width is its median; a negative end is not mistaken for a dash', () => {
  assert.equal(interval({ median: 5, low: 5, high: 5 }, rate), '5.00 /s');
  assert.equal(range(-0.03, 0.02, percent), '−3.0 to 2.0%');
  assert.equal(range(-0.2, -0.1, percent), '−20 to −10%');
});

test('one has no plural', () => {
  assert.deepEqual(
    [0, 1, 2000].map((whole) => plural(whole, 'round')),
    ['0 rounds', '1 round', '2,000 rounds'],
  );
});

test('rates of links, by powers of ten', () => {
  assert.deepEqual([0, 125, 125_000, 2_875_000, 125e6].map(bitRate), [
    '0 bit/s',
    '1.00 kbit/s',
    '1.00 Mbit/s',
    '23.0 Mbit/s',
    '1.00 Gbit/s',
  ]);
});

test('each value has the block of its height', () => {
  assert.equal(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 8), '·▁▂▃▄▅▆▇█');
});

test('zero looks different from very few; more than full is drawn as full', () => {
  assert.equal(sparkline([0, 0.001, 1000, 2000], 1000), '·▁██');
  assert.equal(sparkline([0, 0], 0), '··');
});

test('values are merged by their mean, also the last group', () => {
  assert.deepEqual(compress([1, 3, 5, 7, 9], 2), [2, 6, 9]);
  assert.deepEqual(compress([1, 2], 1), [1, 2]);
  assert.deepEqual(compress([], 3), []);
});
