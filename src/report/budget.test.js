/**
 * Reports are pages that people read in ten minutes. Their budgets hold for every sample, as it was published.
 * src/report/samples.soak.test.js makes these pages anew.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** By sample: lines of report.md, its words if it is made from a template, and KiB of details.md. */
const BUDGETS = Object.freeze(
  /** @type {Record<string, {lines: number, words?: number, detailsKiB: number}>} */ ({
    main: { lines: 110, words: 900, detailsKiB: 60 },
    'first-article': { lines: 80, words: 900, detailsKiB: 60 },
    'main-docker': { lines: 110, words: 900, detailsKiB: 60 },
    'main-valkey': { lines: 110, words: 900, detailsKiB: 60 },
    failure: { lines: 110, words: 900, detailsKiB: 530 },
    'failure-docker': { lines: 110, words: 900, detailsKiB: 252 },
    'config-sweep': { lines: 110, words: 900, detailsKiB: 210 },
    persistence: { lines: 100, words: 700, detailsKiB: 112 },
    link: { lines: 90, words: 700, detailsKiB: 70 },
    copy: { lines: 70, words: 700, detailsKiB: 40 },
    resources: { lines: 60, words: 700, detailsKiB: 25 },
    clients: { lines: 90, words: 900, detailsKiB: 165 },
    versions: { lines: 100, words: 700, detailsKiB: 150 },
    upgrade: { lines: 100, words: 700, detailsKiB: 200 },
    'planned-failover': { lines: 80, words: 900, detailsKiB: 60 },
    timing: { lines: 70, words: 700, detailsKiB: 60 },
    proxy: { lines: 60, words: 700, detailsKiB: 60 },
    engine: { lines: 60, words: 700, detailsKiB: 30 },
    workloads: { lines: 110, words: 700, detailsKiB: 70 },
    'semi-sync': { lines: 110, words: 900, detailsKiB: 150 },
  }),
);
const BYTES = 20 * 1024;
/** A longer item is not read. */
const ITEM_WORDS = 30;
const ALT_CHARACTERS = 150;
/** The most characters of a command or a setting to paste: more are wider than 1,200 pixels. */
const CODE_CHARACTERS = 125;

/** @param {string} markdown @returns {number} words and figures, in tables and code, too */
const wordsIn = (markdown) =>
  markdown
    .replaceAll(/<[^>]+>/g, '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

for (const [sample, { lines: most, words, detailsKiB }] of Object.entries(BUDGETS)) {
  const folder = fileURLToPath(new URL(`../../results/sample/${sample}`, import.meta.url));

  describe(`the report of ${sample}`, { skip: existsSync(folder) ? false : 'there is no sample of it' }, () => {
    const [page, details] = ['report.md', 'details.md'].map((name) => readFileSync(`${folder}/${name}`, 'utf8'));

    test('keeps its budget', () => {
      const lines = page.trimEnd().split('\n').length;
      assert.ok(lines <= most, `${lines} lines`);
      assert.ok(Buffer.byteLength(page) <= BYTES, `${Buffer.byteLength(page)} bytes`);
      assert.ok(Buffer.byteLength(details) <= detailsKiB * 1024, `${Buffer.byteLength(details)} bytes of details`);
    });

    test('has no more words than people read, and no long item', { skip: words === undefined }, () => {
      assert.ok(wordsIn(page) <= Number(words), `${wordsIn(page)} words`);
      const items = page.split('\n').filter((line) => line.startsWith('- '));
      assert.deepEqual(
        items.filter((item) => wordsIn(item) > ITEM_WORDS),
        [],
      );
    });

    test('describes each chart briefly, has nothing to paste that is too wide, and says nothing twice', () => {
      for (const [, alt] of (page + details).matchAll(/<img alt="([^"]*)"/g)) {
        const { length } = alt.replaceAll(/&\w+;/g, '&');
        assert.ok(length > 0 && length <= ALT_CHARACTERS, alt);
      }
      const code = [...page.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, text]) => text.split('\n'));
      assert.deepEqual(
        code.filter((line) => line.length > CODE_CHARACTERS),
        [],
      );
      const items = page.split('\n').filter((line) => line.startsWith('- '));
      assert.deepEqual(
        items.filter((line, i) => items.indexOf(line) !== i),
        [],
      );
    });
  });
}
