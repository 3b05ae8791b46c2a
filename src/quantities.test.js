import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytesBetween,
  countBetween,
  durationBetween,
  linkSpeedBetween,
  parseShare,
  rateBetween,
} from './quantities.js';

const range = '1 and 1,000m';
const times = '1ms and 24h';
const speeds = '1kbit and 1000gbit';

test('sizes, counts, durations, rates and shares as people write them', () => {
  assert.equal(bytesBetween(range)('64'), 64);
  assert.equal(bytesBetween(range)('64b'), 64);
  assert.equal(bytesBetween(range)('4K'), 4096);
  assert.equal(bytesBetween(range)('1.5m'), 1.5 * 2 ** 20);
  assert.equal(countBetween(range)('100k'), 100_000);
  assert.equal(countBetween(range)('1.5k'), 1500);
  assert.equal(durationBetween(times)('10s'), 10_000);
  assert.equal(durationBetween(times)('10'), 10_000);
  assert.equal(durationBetween(times)('250ms'), 250);
  assert.equal(durationBetween(times)('2m'), 120_000);
  assert.equal(rateBetween(range)('20k/s'), 20_000);
  assert.equal(rateBetween(range)('0.5m'), 500_000);
  assert.equal(linkSpeedBetween(speeds)('4mbit'), 500_000);
  assert.equal(linkSpeedBetween(speeds)('8kbit/s'), 1000);
  assert.equal(parseShare('50%'), 0.5);
  assert.equal(parseShare('0.25'), 0.25);
});

for (const text of ['', '-1', '1e3', '10 apples', '0', '2g', 'NaN', '0x10', '1.0001', '99999m']) {
  test(`nonsense is refused, with the allowed range: ${JSON.stringify(text)}`, () => {
    assert.throws(() => bytesBetween(range)(text), /between 1 and 1,000m|whole number/);
  });
}

test('a duration of bytes and a share above everything are refused', () => {
  assert.throws(() => durationBetween(times)('10k'), /between/);
  assert.throws(() => rateBetween(range)('20k/m'), /between/);
  assert.throws(() => linkSpeedBetween(speeds)('20'), /between/, 'a speed has a unit');
  assert.throws(() => parseShare('1.5'), /between 0 and 1/);
  assert.throws(() => parseShare('150%'), /between 0 and 1/);
});

test('a value that a refusal proposes is accepted', () => {
  /** @type {[(range: string) => (text: string) => number, unit: string, number[]][]} */
  const kinds = [
    [bytesBetween, '', [1, 16, 64, 4096, 2 ** 29]],
    [countBetween, '', [1, 4, 16, 64, 100, 10_000, 1e9]],
    [durationBetween, 'ms', [1, 10, 500, 1000, 2000, 10_000, 60_000, 86_400_000]],
    [rateBetween, '/s', [1, 100, 20_000, 1e8]],
    [linkSpeedBetween, 'kbit', [1, 1e6, 1e9]],
  ];
  for (const [between, unit, bounds] of kinds) {
    for (const bound of bounds) {
      for (const most of bounds.filter((each) => each >= bound)) {
        const parse = between(`${bound}${unit} and ${most}${unit}`);
        const least = parse(`${bound}${unit}`);
        assert.throws(
          () => parse('nonsense'),
          ({ message }) => {
            const [, examples = ''] = /for instance (.*)\.$/.exec(message) ?? [];
            for (const example of examples.split(' or ')) if (example !== '') assert.ok(parse(example) >= least);
            return true;
          },
        );
      }
    }
  }
  const threads = countBetween('1 and 64');
  assert.throws(() => threads('65'), { message: 'It must be a whole number between 1 and 64, for instance 1 or 4.' });
});
