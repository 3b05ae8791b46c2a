import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom, shuffle } from './random.js';

const draw = (/** @type {number} */ seed, /** @type {number} */ count) =>
  Array.from({ length: count }, randomFrom(seed));

test('a seed draws what it always drew, so a recorded seed reproduces a run', () => {
  // The first numbers of mulberry32 with the seed 0.
  assert.deepEqual(draw(0, 3), [0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]);
  assert.deepEqual(draw(2 ** 32 + 5, 10), draw(5, 10), 'the low 32 bits count');
});

test('numbers are in [0, 1) and spread evenly, also for the smallest and largest seeds', () => {
  for (const seed of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
    const numbers = draw(seed, 10_000);
    assert.ok(numbers.every((number) => number >= 0 && number < 1));
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = numbers.filter((number) => Math.floor(number * 10) === tenth).length / numbers.length;
      assert.ok(Math.abs(share - 0.1) < 0.015, `seed ${seed}: ${share} of the numbers lie in tenth ${tenth}`);
    }
  }
});

test('shuffling keeps the items and the original, and every order is about equally frequent', () => {
  const original = Object.freeze(['a', 'b', 'c']);
  const random = randomFrom(3);
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (let i = 0; i < 6000; i++) {
    const order = shuffle(original, random).join('');
    seen.set(order, (seen.get(order) ?? 0) + 1);
  }
  assert.deepEqual([...seen.keys()].sort(), ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  for (const [order, count] of seen) assert.ok(Math.abs(count - 1000) < 150, `${order} came ${count} times of 6000`);
});
