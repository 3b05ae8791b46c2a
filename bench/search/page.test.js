import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { renderBlocks } from '../../src/report/blocks.js';
import { SearchDocument, searchPage } from './page.js';
import { Tried } from './queue.js';

const SAMPLE = new URL('../../results/searches/wait1-min1-aof-apart/search.json', import.meta.url);

/** @param {string} [timeline] */
function pageWith(timeline) {
  const search = SearchDocument.parse(JSON.parse(readFileSync(SAMPLE, 'utf8')));
  const found = search.found.map((each) => ({ ...each, timeline }));
  return renderBlocks(searchPage({ ...search, found }), { figure: () => '' });
}

describe('the timeline of a schedule that loses', () => {
  test('is on the page, below the words of its schedule', () => {
    const page = pageWith('A  0.000 s  fault begun');
    assert.match(page, /## What happened\n[^#]*for 4\.8 s:\n\n```\nA {2}0\.000 s {2}fault begun\n```/);
  });

  test('has no heading when a search before this version kept none', () => {
    assert.doesNotMatch(pageWith(), /What happened/);
  });

  test('is dropped when an agent sends what no terminal should get, and the figures stay', () => {
    const attempt = { acked: 5, lost: 1, seconds: 0.1 };
    const of = (/** @type {string} */ timeline) => Tried.parse({ id: 1, attempt: { ...attempt, timeline } }).attempt;
    assert.equal(of('sticky ██\nA  0.000 s').timeline, 'sticky ██\nA  0.000 s');
    for (const hostile of ['\u001b[2J', '\u202e', 'x'.repeat(10_001)]) {
      assert.deepEqual({ ...of(hostile), timeline: undefined }, { ...attempt, timeline: undefined });
      assert.equal(of(hostile).timeline, undefined);
    }
  });
});
