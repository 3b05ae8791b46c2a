import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesBetween, countBetween, durationBetween, linkSpeedBetween, parseShare, rateBetween } from './units.js';

const range = { least: 1, most: 1e9, shown: '1 and a billion' };

test('sizes, counts, durations, rates and shares as people write them', () => {
  assert.equal(bytesBetween(range)('64'), 64);
  assert.equal(bytesBetween(range)('64b'), 64);
  assert.equal(bytesBetween(range)('4K'), 4096);
  assert.equal(bytesBetween(range)('1.5m'), 1.5 * 2 ** 20);
  assert.equal(countBetween(range)('100k'), 100_000);
  assert.equal(countBetween(range)('1.5k'), 1500);
  assert.equal(durationBetween(range)('10s'), 10_000);
  assert.equal(durationBetween(range)('10'), 10_000);
  assert.equal(durationBetween(range)('250ms'), 250);
  assert.equal(durationBetween(range)('2m'), 120_000);
  assert.equal(rateBetween(range)('20k/s'), 20_000);
  assert.equal(rateBetween(range)('0.5m'), 500_000);
  assert.equal(linkSpeedBetween(range)('4mbit'), 500_000);
  assert.equal(linkSpeedBetween(range)('8kbit/s'), 1000);
  assert.equal(parseShare('50%'), 0.5);
  assert.equal(parseShare('0.25'), 0.25);
});

for (const text of ['', '-1', '1e3', '10 apples', '0', '2g', 'NaN', '0x10', '1.0001', '99999m']) {
  test(`nonsense is refused with the range that makes sense: ${JSON.stringify(text)}`, () => {
    assert.throws(() => bytesBetween(range)(text), /between 1 and a billion|whole number/);
  });
}

test('a duration of bytes and a share above everything are refused', () => {
  assert.throws(() => durationBetween(range)('10k'), /between/);
  assert.throws(() => rateBetween(range)('20k/m'), /between/);
  assert.throws(() => linkSpeedBetween(range)('20'), /between/, 'a speed has a unit');
  assert.throws(() => parseShare('1.5'), /between 0 and 1/);
  assert.throws(() => parseShare('150%'), /between 0 and 1/);
});
