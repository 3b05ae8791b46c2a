import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compress, placeLabels, sparkline } from './sparkline.js';

test('each value has the block of its height', () => {
  assert.equal(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 8), '·▁▂▃▄▅▆▇█');
});

test('none at all is told from very few, and more than full is full', () => {
  assert.equal(sparkline([0, 0.001, 1000, 2000], 1000), '·▁██');
  assert.equal(sparkline([0, 0], 0), '··');
});

test('values are put together as their mean, the rest as the mean of the rest', () => {
  assert.deepEqual(compress([1, 3, 5, 7, 9], 2), [2, 6, 9]);
  assert.deepEqual(compress([1, 2], 1), [1, 2]);
  assert.deepEqual(compress([], 3), []);
});

test('labels stand at their columns, on further lines where one would hide another', () => {
  assert.deepEqual(
    placeLabels([
      { column: 0, text: 'A' },
      { column: 3, text: 'B' },
      { column: 3, text: 'C' },
      { column: 5, text: 'D' },
    ]),
    ['A  B D', '   C'],
  );
  assert.deepEqual(placeLabels([]), []);
});
