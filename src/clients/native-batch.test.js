import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { randomFrom } from '../stats/random.js';
import { keyName, payload, writeKeyNumber } from './native-batch.js';

test('a number that is written in place is the end of the key’s name', () => {
  const random = randomFrom(1);
  const numbers = [0, 1, 999, 1000, 999_999, 1_000_000, 999_999_999];
  for (let i = 0; i < 1000; i++) numbers.push(Math.floor(random() ** 3 * 1e9));
  const buffer = Buffer.from(`p:${'0'.repeat(12)}|`);
  for (const number of numbers) {
    writeKeyNumber(buffer, 2, number);
    assert.equal(buffer.toString(), `${keyName('p:', number)}|`);
  }
  assert.equal(keyName('p:', 12), 'p:000000000012');
});

test('a value has its length in small letters, is always the same, and hardly compresses', () => {
  const value = payload(4096);
  assert.match(value, /^[a-z]{4096}$/);
  assert.equal(payload(64), value.slice(0, 64));
  assert.equal(payload(4096), value);
  assert.equal(new Set(value).size, 26);
  // A random one of 26 letters takes 4.7 bits of 8.
  assert.ok(deflateRawSync(value).length > 0.58 * 4096, `${deflateRawSync(value).length}`);
});
