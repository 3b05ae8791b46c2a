import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { count } from '../../src/format.js';
import { SearchDocument } from './document.js';
import { searchPage } from './page.js';

const SAMPLES = fileURLToPath(new URL('../../results/searches/', import.meta.url));
const DOCS = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');

describe('the published searches', () => {
  for (const name of readdirSync(SAMPLES)) {
    const read = (/** @type {string} */ file) => readFileSync(`${SAMPLES}${name}/${file}`, 'utf8');
    const search = SearchDocument.parse(JSON.parse(read('search.json')));

    test(`${name}: the page has the figures of search.json`, () => {
      assert.equal(read('report.md'), `${searchPage(search, { figure: () => '' })}\n`);
    });

    test(`${name}: the table in docs/search.md has its figures`, () => {
      const row = DOCS.split('\n').find((line) => line.includes(`results/searches/${name}/report.md`)) ?? '';
      const cells = row.split('|').map((cell) => cell.trim());
      assert.deepEqual(cells.slice(3, 5), [count(search.tried), count(search.losing.length)], row);
    });
  }
});
