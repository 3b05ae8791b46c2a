import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSame, numbersIn, tablesIn } from './shown.js';

test('numbers have the unit of the text, and the tolerance of their last digit', () => {
  const values = (/** @type {string} */ text) => numbersIn(text).map(({ value }) => Number(value.toPrecision(6)));
  assert.deepEqual(values('46% (42–49)'), [0.46, 0.42, 0.49]);
  assert.deepEqual(values('undecided: −8 to 43%'), [-0.08, 0.43]);
  assert.deepEqual(values('975 µs (628 µs–1.10 ms)'), [975e-6, 628e-6, 1.1e-3]);
  assert.deepEqual(values('8 of 66,788'), [8, 66788]);
  assert.deepEqual(values('61.2 k/s'), [61_200]);
  const [shown] = numbersIn('61.2 k/s');
  assert.deepEqual([isSame(shown, 61_249), isSame(shown, 61_251)], [true, false]);
  const [endless] = numbersIn('6.28 s');
  assert.equal(isSame(endless, Number.POSITIVE_INFINITY), false);
});

test('tables have their heading, and cells without padding', () => {
  const markdown = '## Outage\n\n| mode  |  lost |\n| :-- | --: |\n| async | 1 \\| 2 |\n\ntext\n\n| other |\n| - |\n';
  assert.deepEqual(tablesIn(markdown), [
    { heading: 'Outage', header: ['mode', 'lost'], rows: [['async', '1 \\| 2']] },
    { heading: 'Outage', header: ['other'], rows: [] },
  ]);
});
