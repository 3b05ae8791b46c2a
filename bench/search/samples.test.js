import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { count } from '../../src/format.js';
import { ATTACKED, attackedIn } from '../workloads/attacked.js';
import { SearchDocument } from './document.js';
import { searchPage } from './page.js';

const SAMPLES = fileURLToPath(new URL('../../results/searches/', import.meta.url));
const DOCS = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');
const DOCS_OF_WORKLOADS = readFileSync(new URL('../../docs/workloads.md', import.meta.url), 'utf8');

/** @param {string} name */
const searchIn = (name) => SearchDocument.parse(JSON.parse(readFileSync(`${SAMPLES}${name}/search.json`, 'utf8')));

describe('the published searches', () => {
  for (const name of readdirSync(SAMPLES)) {
    const search = searchIn(name);

    test(`${name}: the page has the figures of search.json`, () => {
      assert.equal(
        readFileSync(`${SAMPLES}${name}/report.md`, 'utf8'),
        `${searchPage(search, { figure: () => '' })}\n`,
      );
    });

    test(`${name}: the table in docs/search.md has its figures`, () => {
      const row = DOCS.split('\n').find((line) => line.includes(`results/searches/${name}/report.md`)) ?? '';
      const cells = row.split('|').map((cell) => cell.trim());
      assert.deepEqual(cells.slice(3, 5), [count(search.tried), count(search.losing.length)], row);
    });
  }

  test('attacked.yaml and docs/workloads.md have those of workloads', () => {
    assert.deepEqual(
      ATTACKED,
      readdirSync(SAMPLES)
        .sort()
        .flatMap((name) => attackedIn(name, searchIn(name))),
    );
    for (const { search, broke, schedules } of ATTACKED) {
      const link = `[${broke} of ${count(schedules)}](../results/searches/${search}/report.md)`;
      assert.ok(DOCS_OF_WORKLOADS.includes(link), link);
    }
  });
});
