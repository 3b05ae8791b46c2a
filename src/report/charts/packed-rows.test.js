import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packCharts, unpackCharts } from './packed-rows.js';

/** @import { Cell, Chart } from './chart.js' */

/**
 * @param {string[]} names
 * @param {Cell[][]} rows
 * @returns {Chart}
 */
const chartOf = (names, rows) => ({
  id: 'one',
  title: 'One',
  alt: '',
  columns: names.map((name) => ({ name })),
  rows,
  option: {},
  height: 100,
});

test('rows come back as they were, whatever they hold', () => {
  const rows = [
    ['a', 8.518, 950, null, 1e-9, 0.1 + 0.2, -0, 2 ** 53, null, '7'],
    ['b', 8.618, 1030.5, 0, 1e21, 1 / 3, 3, 1, null, 7],
    ['', null, -12, 4.25, 5, 0, 0, 0, null, null],
  ];
  const names = rows[0].map((_, i) => `column ${i}`);
  const [full, empty] = unpackCharts(packCharts([chartOf(names, rows), chartOf(names, [])]));
  assert.deepStrictEqual([full.rows, empty.rows], [rows, []]);
});

test('numbers become differences, and equal ones are joined', () => {
  const rows = [
    [8.5, 950],
    [8.6, 1010],
    [8.7, null],
    [8.8, 1000],
  ];
  const {
    cells: [cells],
  } = packCharts([chartOf(['time', 'rate'], rows)]);
  assert.deepEqual(cells, [
    { decimals: 1, steps: [85, [1, 3]] },
    { decimals: 0, steps: [950, 60, null, -10] },
  ]);
});
