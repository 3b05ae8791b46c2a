/**
 * A page has only some parts of ECharts. Charts look the same with them as with the whole library.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { ResultSchema, suites } from '../../../bench/index.js';
import { readResult } from '../../result/read.js';
import { finishOption, WIDTH } from '../charts/chart.js';
import { PALETTES } from '../charts/palettes.js';
import { renderSections } from '../details.js';
import { renderFrontPage } from '../front-page.js';
import { echartsScript } from './page.js';

/** @import { Chart } from '../charts/chart.js' */

const SAMPLES = new URL('../../../results/sample/', import.meta.url);
const whole = createRequire(import.meta.url)('echarts/dist/echarts.min.js');
const parts = runInThisContext(`${echartsScript()};echarts`);

/**
 * @param {typeof import('echarts')} echarts
 * @param {Chart} chart
 */
function draw(echarts, chart) {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: chart.height });
  try {
    drawing.setOption(finishOption(chart, { colours: PALETTES.light, alone: true }));
    // Names of classes and clip paths count what this copy of the library has drawn so far.
    /** @type {Map<string, string>} */
    const names = new Map();
    return drawing.renderToSVGString().replaceAll(/zr\d+-[a-z]+-?\d+/g, (name) => {
      if (!names.has(name)) names.set(name, `name-${names.size}`);
      return String(names.get(name));
    });
  } finally {
    drawing.dispose();
  }
}

/** @param {Chart} chart */
function partsOf({ option }) {
  const series = [option.series]
    .flat()
    .map((each) => `${each.type} ${Object.keys(each).filter((key) => /^mark|label/.test(key))}`);
  return [...new Set([...series, ...Object.keys(option)])].sort().join();
}

/** A sample without charts has no folder for them. */
const drawn = readdirSync(SAMPLES).filter((name) => existsSync(new URL(`${name}/charts`, SAMPLES)));

for (const name of drawn) {
  test(`${name}: a chart of each kind`, async () => {
    const result = await readResult(fileURLToPath(new URL(name, SAMPLES)), ResultSchema);
    /** @type {Map<string, Chart>} */
    const kinds = new Map();
    const figures = {
      live: true,
      figure(/** @type {Chart} */ chart) {
        kinds.set(partsOf(chart), chart);
        return '';
      },
    };
    renderFrontPage(result, suites, figures);
    renderSections(result, suites, figures);
    assert.ok(kinds.size > 0);
    for (const chart of kinds.values()) assert.equal(draw(parts, chart), draw(whole, chart), chart.id);
  });
}
