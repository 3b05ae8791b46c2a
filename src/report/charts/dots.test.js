import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSvg } from '../document.js';
import { dotChart } from './dots.js';
import { styleAt } from './styles.js';

/**
 * @import { IntervalValue } from '../../result/schema.js'
 * @import { DotsOptions } from './dots.js'
 */

/** @type {Record<string, IntervalValue>} */
const VALUES = {
  'small a': { median: 0.2, low: -3, high: 0.4 },
  'large a': { median: 0.5, low: 0.4, high: 0.6 },
  'large b': { median: 0.7, low: 0.6, high: 0.8 },
};
/** @type {DotsOptions} */
const OPTIONS = {
  id: 'x.cost',
  title: 'Cost',
  note: 'Median.',
  rowName: 'payload',
  rows: ['small', 'large'],
  series: ['a', 'b', 'nothing'].map((name, i) => ({ name, style: styleAt(i) })),
  value: (row, series) => VALUES[`${row} ${series}`],
  axis: 'throughput lost',
  format: 'percent',
};

test('each row has the values of its series, and gaps; a series without any is not shown', () => {
  const chart = dotChart(OPTIONS);
  assert.deepEqual(chart?.rows, [
    ['small', 0.2, -3, 0.4, null, null, null],
    ['large', 0.5, 0.4, 0.6, 0.7, 0.6, 0.8],
  ]);
  assert.equal(chart?.columns.length, 7);
  assert.doesNotThrow(() => chart && renderSvg(chart, 'dark'));
});

test('no chart of one value, or of a thousand rows', () => {
  assert.equal(dotChart({ ...OPTIONS, rows: ['small'] }), null);
  const rows = Array.from({ length: 1000 }, (_, i) => `${i}`);
  assert.equal(dotChart({ ...OPTIONS, rows, value: () => VALUES['large a'] }), null);
});
