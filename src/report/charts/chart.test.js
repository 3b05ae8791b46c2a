import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishOption } from './chart.js';
import { PALETTES } from './styles.js';

/** @import { Chart } from './chart.js' */

/** @type {Chart} */
const CHART = {
  id: 'chart',
  title: 'A chart',
  alt: '',
  columns: [{ name: 'x' }],
  rows: [['$ink']],
  height: 100,
  option: { series: [{ type: 'bar', name: '@nobody', color: '$ink' }] },
};

test('colour names become colours; data and other texts stay', () => {
  const { series, dataset } = finishOption(CHART, { colourOf: (name) => PALETTES.light[name], alone: false });
  assert.equal(series[0].color, PALETTES.light.ink);
  assert.equal(series[0].name, '@nobody');
  assert.deepEqual(dataset.source, [['$ink']]);
});
