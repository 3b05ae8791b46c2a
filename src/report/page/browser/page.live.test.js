import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import pipeline from '../../../../bench/main/pipeline.js';
import { rate } from '../../../format.js';
import { PALETTES } from '../../charts/styles.js';
import { makeReport } from '../../document.js';
import { caseOf, resultOf, roundOf } from '../../fixture.js';
import { failureBenchmarkOf, failureResultOf, trialOf } from '../../trials/fixture.js';
import { renderPage } from '../page.js';
import { PATIENCE_MS, skip, startChromium } from './chromium-fixture.js';

/**
 * @import { Result } from '../../../result/schema.js'
 * @import { Browser, BrowserContextOptions, Page } from 'playwright-core'
 */

const CHART = 'pipeline.throughput';
const FIGURE = `figure[data-chart="${CHART}"]`;
const GROUPS = `# t

| writer | node | p99 |
| :- | :- | -: |
| a | x | 1.2 ms |
|   | y | 45 µs |
| b | x | 900 µs |
|   | y | – |
`;
const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1200, height: 900 };
const SAMPLES = fileURLToPath(new URL('../../../../results/sample', import.meta.url));
const CLI = fileURLToPath(new URL('../../../cli/index.js', import.meta.url));

describe('report.html in a browser', { skip }, () => {
  /** @type {string} */
  let folder;
  /** @type {Browser} */
  let browser;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-page-'));
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /**
   * @param {Result | string} report
   * @param {BrowserContextOptions} options
   * @param {(page: Page) => Promise<void>} use
   */
  async function withPage(report, options, use) {
    const url = pathToFileURL(join(folder, 'report.html')).href;
    const html =
      typeof report === 'string' ? report : makeReport(report, [{ name: 'main', benchmarks: [pipeline] }]).html;
    writeFileSync(new URL(url), html);
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    /** @type {string[]} */
    const trouble = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => trouble.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
      page.on('request', (request) => {
        if (request.url() !== url) trouble.push(`request: ${request.url()}`);
      });
      await page.goto(url);
      await use(page);
      assert.deepEqual(trouble, []);
    } finally {
      await context.close();
    }
  }

  test('a chart has its figures as a table, too', () =>
    withPage(resultWithBatches(), {}, async (page) => {
      await showChart(page);
      const { throughput } = resultWithBatches().benchmarks[0].cases[1].summary;
      const table = page.locator(`${FIGURE} details`);
      await table.locator('summary').click();
      // It is made once the browser has told that it is open.
      const row = table.locator('tbody tr').nth(1);
      await row.waitFor();
      const cells = await row.locator('td').allTextContents();
      assert.deepEqual(cells.slice(0, 4), ['10', ...[throughput.median, throughput.low, throughput.high].map(rate)]);
    }));

  test('a block to paste has a button that copies it as it is, output has none', () =>
    withPage(pageOf('# t\n\n```sh\nredis-cli PING  # <x>\n```\n\n```\noutput\n```\n'), {}, async (page) => {
      await page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => {
          document.title = text;
        };
      });
      const button = page.getByRole('button', { name: /^Copy/ });
      assert.equal(await button.count(), 1);
      await button.click();
      await page.getByRole('button', { name: /^Copy/ }).filter({ hasText: 'Copied' }).waitFor();
      assert.equal(await page.title(), 'redis-cli PING # <x>', 'a title has single blanks');
    }));

  test('one mode or one fault: other rows and the sections of other faults are hidden', () =>
    withPage(
      pageOf(
        '# t\n\n| mode | lost |\n| :- | -: |\n| WAIT 1 | 1 |\n| async | 2 |\n\n# Details\n\n## all\n\n' +
          '| scenario | mode |\n| :- | :- |\n| kill | async |\n| | WAIT 1 |\n| stop | async |\n\n## kill (a)\n\nx\n\n## stop (b)\n\ny\n',
      ),
      {},
      async (page) => {
        await page.locator('.controls').waitFor();
        // One section is open at a time.
        await page.evaluate(() => {
          for (const each of document.querySelectorAll('details')) each.removeAttribute('name');
          for (const each of document.querySelectorAll('details')) each.open = true;
        });
        const shown = () => page.locator('main tbody tr').filter({ visible: true }).count();
        assert.equal(await shown(), 5);
        await page.getByLabel('Show one mode').selectOption('WAIT 1');
        assert.equal(await shown(), 2);
        await page.getByLabel('Show one fault').selectOption('stop');
        assert.equal(await shown(), 1, 'the row of the first table, which has no faults');
        const sections = await page
          .locator('details.section')
          .filter({ visible: true })
          .locator('h2')
          .allTextContents();
        assert.deepEqual(sections, ['all', 'stop (b)']);
        await page.getByLabel('Show one mode').selectOption('');
        await page.getByLabel('Show one fault').selectOption('');
        assert.equal(await shown(), 5);
      },
    ));

  test('a table is sorted up, down and as it was; a group keeps its name', () =>
    withPage(renderPage({ title: 'a table', markdown: GROUPS, charts: [] }), {}, async (page) => {
      const rows = async () => {
        const cells = (await page.locator('tbody td').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
        return Array.from({ length: cells.length / 3 }, (_, i) => cells.slice(3 * i, 3 * i + 3).join(' '));
      };
      const header = page.getByRole('columnheader', { name: 'p99' });
      const original = await rows();
      await header.getByRole('button').click();
      assert.equal(await header.getAttribute('aria-sort'), 'ascending');
      assert.deepEqual(await rows(), ['a y 45 µs', 'b x 900 µs', 'a x 1.2 ms', 'b y –']);
      await header.getByRole('button').click();
      assert.equal(await header.getAttribute('aria-sort'), 'descending');
      assert.deepEqual(await rows(), ['a x 1.2 ms', 'b x 900 µs', 'a y 45 µs', 'b y –']);
      await header.getByRole('button').click();
      assert.equal(await header.getAttribute('aria-sort'), null);
      assert.deepEqual(await rows(), original);
    }));

  test('a keyboard reaches and works all: theme, sorting, legend', () =>
    withPage(resultWithBatches(), {}, async (page) => {
      await showChart(page);
      /** @param {string} selector */
      const tabTo = async (selector) => {
        for (let i = 0; i < 300; i++) {
          await page.keyboard.press('Tab');
          if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
        }
        assert.fail(`Tab does not reach ${selector}`);
      };
      await page.evaluate(() => scrollTo(0, 0));
      await tabTo('[data-control="theme"]');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
      await tabTo(`${FIGURE} .legend button`);
      await page.keyboard.press('Space');
      assert.equal(await page.locator(`${FIGURE} .legend button`).first().getAttribute('aria-pressed'), 'false');
      await hides(page, PALETTES.light.grey);
      await tabTo('details.section summary');
      await page.keyboard.press('Enter');
      await tabTo('th button');
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);
    }));

  for (const [name, result] of /** @type {const} */ ([
    ['batches', resultWithBatches],
    ['failures', failureResult],
  ])) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`${name}, ${colorScheme}, on a phone: every chart is drawn, no sideways scrolling, nothing that axe finds`, () =>
        withPage(result(), { colorScheme, viewport: PHONE }, async (page) => {
          await drawAll(page);
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
          assert.deepEqual(await page.evaluate(smallControls), []);
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run());
          assert.deepEqual(
            violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes[0].html} (${each.nodes.length})`),
            [],
          );
        }));
    }
  }

  for (const name of ['failure', 'config-sweep'])
    test(`the sample ${name}: at 1,200 pixels no table of the first page is cut off`, async () => {
      const copy = join(folder, name);
      cpSync(join(SAMPLES, name), copy, { recursive: true });
      execFileSync(process.execPath, [CLI, 'report', copy]);
      await withPage(readFileSync(join(copy, 'report.html'), 'utf8'), { viewport: DESKTOP }, async (page) => {
        // The script has run.
        await page.locator('.controls').waitFor();
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.scroll')].flatMap((each) =>
            each.checkVisibility() && each.scrollWidth > each.clientWidth ? [each.getAttribute('data-name')] : [],
          ),
        );
        assert.deepEqual(cut, []);
      });
    });
});

/** Runs in the browser. @returns {string[]} controls that are too small to tap */
function smallControls() {
  return [...document.querySelectorAll('button, summary, nav a')].flatMap((control) => {
    const { width, height } = control.getBoundingClientRect();
    if (width === 0 || (width >= 24 && height >= 24)) return [];
    return `${control.textContent}: ${width} × ${height}`;
  });
}

/** @param {Page} page */
async function showChart(page) {
  // Its chart is among the folded details.
  await page.evaluate((selector) => {
    for (let at = document.querySelector(selector)?.closest('details'); at; at = at.parentElement?.closest('details'))
      at.open = true;
  }, FIGURE);
  await page.locator(FIGURE).scrollIntoViewIfNeeded();
  await page.waitForSelector(`${FIGURE} .drawing svg`);
}

/** Unfolds all and waits for every chart and its table. @param {Page} page */
async function drawAll(page) {
  const unfold = () =>
    page.evaluate(() => {
      for (const fold of document.querySelectorAll('details')) fold.open = true;
    });
  await unfold();
  const places = page.locator('.drawing');
  assert.ok((await places.count()) > 0);
  for (const place of await places.all()) {
    // One section of the details is open at a time.
    await place.evaluate((chart) => {
      for (let fold = chart.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
        fold.open = true;
    });
    await place.scrollIntoViewIfNeeded();
    await place.locator('svg').first().waitFor();
  }
  // A chart that the script had not unpacked yet has its table only now.
  await unfold();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('details.data')].every((fold) => fold.querySelector('table')),
  );
}

/** @param {Page} page @param {string} colour that no shape of the chart has in the end */
async function hides(page, colour) {
  await page.waitForFunction((shapes) => document.querySelector(shapes) === null, shapesOf(colour));
}

/** @param {string} colour */
function shapesOf(colour) {
  return `${FIGURE} .drawing svg [fill="${colour}"]`;
}

/** @param {string} markdown */
const pageOf = (markdown) => renderPage({ title: 't', markdown, charts: [] });

function resultWithBatches() {
  const rounds = (/** @type {number} */ writes) =>
    [1, 0.9, 1.1].map((factor, i) => roundOf({ writes: Math.round(writes * factor), seed: i + 1 }));
  const cases = [0, 1].flatMap((wait) =>
    [1, 10, 100].map((batch) =>
      caseOf(`wait${wait}-batch${batch}`, { wait, pipeline: batch }, rounds((2000 * (batch + 4)) / (wait + 1))),
    ),
  );
  const check = { name: 'counts are read', ok: false, detail: 'one was not <b>' };
  const result = resultOf();
  return { ...result, benchmarks: [{ ...result.benchmarks[0], name: 'pipeline', cases, checks: [check] }] };
}

function failureResult() {
  return failureResultOf([
    failureBenchmarkOf('primary-killed', [{ mode: 'wait1', audits: [], trials: [trialOf('wait1')] }]),
  ]);
}
