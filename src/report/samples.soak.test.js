/** The pages of every published sample, made anew: each sample is read once and rendered once. */

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ResultSchema, suites } from '../../bench/index.js';
import { documents } from '../../perf/docs.js';
import { compareFigures } from '../../test/figures/figures.js';
import { FINDING_CHARACTERS } from '../format.js';
import { readResult } from '../result/read.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { finishOption, WIDTH } from './charts/chart.js';
import { PALETTES } from './charts/styles.js';
import { makeReport } from './document.js';
import { withFindings } from './findings.js';
import { chartsIn } from './fixture.js';
import { echartsScript } from './page/scripts.js';

/** @import { Chart } from './charts/chart.js' */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SAMPLES = join(ROOT, 'results/sample');
/** The most KiB of report.html, which people send by mail: 300 are the library of charts. */
const PAGE_KIB = 1500;

const folder = await ownTemporaryFolder();
const ajv = new Ajv2020({ strict: true });
// What ajv-formats has as its default export is a module to TypeScript.
/** @type {any} */ (addFormats)(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(join(ROOT, 'results/result.schema.json'), 'utf8')));
/** A page has only some parts of ECharts. Charts look the same with them as with the whole library. */
const whole = createRequire(import.meta.url)('echarts/dist/echarts.min.js');
const parts = runInThisContext(`${echartsScript()};echarts`);
/** Of all samples. @type {Set<string>} */
const compared = new Set();

/** @param {typeof import('echarts')} echarts @param {Pick<Chart, 'option' | 'height'>} chart */
function draw(echarts, chart) {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: chart.height });
  try {
    drawing.setOption(
      finishOption(/** @type {Chart} */ (chart), { colourOf: (name) => PALETTES.light[name], alone: true }),
    );
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

/** @param {Pick<Chart, 'option'>} chart */
function kindOf({ option }) {
  const series = [option.series]
    .flat()
    .map((each) => `${each.type} ${Object.keys(each).filter((key) => /^mark|label/.test(key))}`);
  return [...new Set([...series, ...Object.keys(option)])].sort().join();
}

for (const sample of readdirSync(SAMPLES)) {
  test(`${sample}: a valid result, and a page with findings and charts that can be shown`, async () => {
    const result = await readResult(join(SAMPLES, sample), ResultSchema);
    assert.ok(validate(result), ajv.errorsText(validate.errors));
    // The page of a second sample of a suite shows nothing new.
    if (!suites.some(({ name }) => name === sample)) return;
    for (const { name, findings } of withFindings(result, suites).benchmarks) {
      const ids = findings.map(({ id }) => id).filter((id) => id !== undefined);
      assert.equal(new Set(ids).size, ids.length, `${name}: ${ids.join(', ')}`);
      for (const { text } of findings) assert.ok(text.length <= FINDING_CHARACTERS, text);
    }
    const { markdown, details, html } = makeReport(result, suites);
    for (const text of [markdown, details]) assert.doesNotMatch(text, /undefined|NaN|\[object/);
    assert.ok(Buffer.byteLength(html) <= PAGE_KIB * 1024, `${Buffer.byteLength(html)} bytes`);
    for (const chart of chartsIn(html)) {
      const kind = kindOf(chart);
      if (!compared.has(kind)) assert.equal(draw(parts, chart), draw(whole, chart), chart.id);
      compared.add(kind);
    }
  });
}

describe('figures of the README and of the sample reports', () => {
  test('at least 25 are computed anew, and none differs', async () => {
    const { compared: numbers, wrong } = await compareFigures();
    assert.deepEqual(wrong, []);
    assert.ok(numbers >= 25, `${numbers} numbers`);
  });

  test('a figure that was changed in a report is found', async () => {
    const sample = 'results/sample/main-valkey';
    mkdirSync(join(folder, 'results/sample'), { recursive: true });
    for (const file of ['README.md', sample]) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
    const page = join(folder, sample, 'report.md');
    const text = readFileSync(page, 'utf8');
    const changed = text.replace(/(?<=\| native, no WAIT .*)[\d.]+(?= k\/s)/, (figure) => String(Number(figure) + 7));
    assert.notEqual(changed, text);
    writeFileSync(page, changed);
    assert.match((await compareFigures(folder)).wrong.join(), /^main-valkey\/report\.md: native, no WAIT, writes/);
  });
});

test('README.md and docs/choose.md are made from the samples', async () => {
  for (const [file, text] of Object.entries(await documents())) {
    assert.equal(readFileSync(join(ROOT, file), 'utf8'), text, `${file}: run node perf/docs.js`);
  }
});
