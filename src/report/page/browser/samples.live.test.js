import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isResultFile } from '../../../result/read.js';
import { ownTemporaryFolder } from '../../../stacks/fixture.js';
import { PATIENCE_MS, skip, startChromium } from './chromium-fixture.js';

/** @import { Browser, Page } from 'playwright-core' */

const folder = await ownTemporaryFolder();

const SAMPLES = fileURLToPath(new URL('../../../../results/sample', import.meta.url));
const CLI = fileURLToPath(new URL('../../../cli/index.js', import.meta.url));
const NAMES = ['failure', 'config-sweep'];
const DESKTOP = { width: 1200, height: 900 };

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

  /** @param {string} name @param {(page: Page) => Promise<void>} use */
  async function withPage(name, use) {
    const context = await browser.newContext({ viewport: DESKTOP });
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
      withPage(name, async (page) => {
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.scroll')].flatMap((each) =>
            each.checkVisibility() && each.scrollWidth > each.clientWidth ? [each.getAttribute('data-name')] : [],
          ),
        );
        assert.deepEqual(cut, []);
      }));
  }
});
