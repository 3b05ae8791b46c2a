import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEAST_VALUE_BYTES, valueChecker, valueMaker } from './value.js';

const SIZES = [LEAST_VALUE_BYTES, LEAST_VALUE_BYTES + 1, 64, LEAST_VALUE_BYTES + 128, LEAST_VALUE_BYTES + 129, 1000];
const NUMBERS = [0, 1, 9, 999, 1000, 123_456, 999_999, 1_000_000, 10_000_000, 999_999_999];

for (const size of SIZES) {
  test(`a value of ${size} bytes differs from every other`, () => {
    const value = valueMaker('salt:', size);
    const isRight = valueChecker('salt:', size);
    const other = valueMaker('other:', size);
    for (const number of NUMBERS) {
      const right = Buffer.from(`..${value(number)}..`);
      assert.equal(right.length, size + 4);
      assert.ok(isRight(right, 2, number), value(number));
      assert.ok(!isRight(right, 2, (number + 1) % 1e9), 'another number');
      assert.ok(!isRight(Buffer.from(`..${other(number)}..`), 2, number), 'another writer');
      for (let at = 2; at < size + 2; at++) {
        right[at] ^= 1;
        assert.ok(!isRight(right, 2, number), `a damaged byte at ${at - 2}`);
        right[at] ^= 1;
      }
    }
  });
}

test('a value without room for its number is refused', () => {
  assert.throws(() => valueMaker('salt:', LEAST_VALUE_BYTES - 1), /no room for a number and a checksum \(21 bytes\)/);
});
