import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { isResultFile } from '../../../result/read.js';
import { ownTemporaryFolder } from '../../../stacks/fixture.js';
import { PATIENCE_MS, skip, startChromium } from './chromium-fixture.js';

/** @import { Browser, Page } from 'playwright-core' */

const folder = await ownTemporaryFolder();

const SAMPLES = fileURLToPath(new URL('../../../../results/sample', import.meta.url));
const CLI = fileURLToPath(new URL('../../../cli/index.js', import.meta.url));
const NAMES = ['failure', 'config-sweep'];
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1200, height: 900 };
/** The most screens of the folded page of failures on a phone: its picture and its table have a row for each of some twenty faults. */
const MOST_SCREENS = 15;
const HEAT_MAP = 'figure[data-chart="failures.lost"]';

describe('the published samples in a browser', { skip }, () => {
  /** @type {Browser} */
  let browser;
  /** @type {Record<string, string>} */
  const urls = {};

  before(async () => {
    browser = await startChromium();
    for (const name of NAMES) {
      const copy = join(folder, name);
      mkdirSync(copy);
      for (const file of readdirSync(join(SAMPLES, name)).filter(isResultFile))
        cpSync(join(SAMPLES, name, file), join(copy, file));
      execFileSync(process.execPath, [CLI, 'report', copy]);
      urls[name] = pathToFileURL(join(copy, 'report.html')).href;
    }
  });
  after(() => browser?.close());

  /**
   * @param {string} name
   * @param {{viewport: {width: number, height: number}, colorScheme?: 'light' | 'dark'}} options
   * @param {(page: Page) => Promise<void>} use
   */
  async function withPage(name, options, use) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      const page = await context.newPage();
      await page.goto(urls[name]);
      // The script has run.
      await page.locator('.controls').waitFor();
      await use(page);
    } finally {
      await context.close();
    }
  }

  for (const name of NAMES) {
    test(`${name}: at 1,200 pixels no table of the first page is cut off`, () =>
      withPage(name, { viewport: DESKTOP }, async (page) => {
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.scroll')].flatMap((each) =>
            each.checkVisibility() && each.scrollWidth > each.clientWidth ? [each.getAttribute('data-name')] : [],
          ),
        );
        assert.deepEqual(cut, []);
      }));

    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`${name}, ${colorScheme}, on a phone: nothing that axe finds, no chart is cut off`, () =>
        withPage(name, { viewport: PHONE, colorScheme }, async (page) => {
          for (const place of await page.locator('.drawing').filter({ visible: true }).all()) {
            await place.scrollIntoViewIfNeeded();
            await place.locator('svg').first().waitFor();
            assert.ok(Number((await place.boundingBox())?.width) <= PHONE.width);
          }
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run());
          assert.deepEqual(
            violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes[0].html} (${each.nodes.length})`),
            [],
          );
        }));
    }
  }

  test('the page of failures opens folded, within fifteen screens of a phone', () =>
    withPage('failure', { viewport: PHONE }, async (page) => {
      assert.equal(await page.locator('details.section[open]').count(), 0);
      assert.ok((await page.locator('details.section').count()) > 20, 'its packed details are there');
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= MOST_SCREENS * PHONE.height, `${(height / PHONE.height).toFixed(1)} screens`);
    }));

  test('on a phone a heat map is a table that keeps the names of its rows', () =>
    withPage('failure', { viewport: PHONE }, async (page) => {
      const scroller = page.locator(`${HEAT_MAP} .matrix .scroll`);
      assert.equal(await page.locator(`${HEAT_MAP} .plot`).isVisible(), false);
      await page.locator(`${HEAT_MAP} .matrix .scroll.wide`).waitFor();
      const before = await scroller.locator('tbody th').first().boundingBox();
      await scroller.evaluate((each) => each.scrollTo({ left: each.scrollWidth }));
      await page.locator(`${HEAT_MAP} .matrix .scroll.end`).waitFor();
      assert.equal((await scroller.locator('tbody th').first().boundingBox())?.x, before?.x);
      const last = await scroller.locator('thead th').last().boundingBox();
      assert.ok(last && last.x + last.width <= PHONE.width, 'the last column is in sight');
    }));
});
