/** Characters that GitHub accepts in a comment. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../fixture.js';
import { compareResults } from './compare.js';
import { renderComparison, renderPullRequest } from './comparison-report.js';

/** @import { Result } from '../../result/schema.js' */

const LIMIT = 65_536;

/** @param {(result: Result) => void} change @param {{metric?: string, threshold?: number}} [options] */
function render(change, { metric = 'throughput', threshold = 0.05 } = {}) {
  const b = resultOf();
  change(b);
  const a = resultOf();
  return renderComparison(
    { name: 'before', result: a },
    { name: 'after', result: b },
    compareResults(a, b, { metric, threshold }),
  );
}

test('differences come before the table', () => {
  const text = render(({ stack }) => {
    stack.server.version = '9.9.9';
  });
  assert.ok(text.indexOf('9.9.9') < text.indexOf('verdict') && text.includes('made differently'));
});

/**
 * @param {number} cases every second one is worse
 * @param {number} [settings] differences between the runs
 * @param {number} [gone] cases only in A
 */
function commentOf(cases, settings = 0, gone = 0) {
  const [a, b] = [resultOf(), resultOf()];
  for (const [result, factor] of /** @type {const} */ ([
    [a, 1],
    [b, 0.5],
  ])) {
    const [{ cases: caseList }] = result.benchmarks;
    const [one] = caseList;
    caseList.length = 0;
    for (let i = 0; i < cases; i++) {
      const rounds = one.rounds.map((round) => ({ ...round, throughput: round.throughput * (i % 2 ? factor : 1) }));
      caseList.push({ ...one, id: `native-batch1-conn1-64B-case${i}`, rounds });
    }
  }
  const [one] = a.benchmarks[0].cases;
  for (let i = 0; i < gone; i++) a.benchmarks[0].cases.push({ ...one, id: `gone${i}` });
  for (let i = 0; i < settings; i++) {
    Object.assign(a.stack.config['redis-1'], { [`setting-${i}`]: 'no' });
    Object.assign(b.stack.config['redis-1'], { [`setting-${i}`]: 'yes' });
  }
  const comparison = compareResults(a, b, { metric: 'throughput', threshold: 0.05 });
  return renderPullRequest({ name: 'a', result: a }, { name: 'b', result: b }, comparison);
}

test('a comment shows worse figures, folds the rest, and leaves nothing out', () => {
  const text = commentOf(4);
  const [shown, folded] = [text.slice(0, text.indexOf('<details>')), text.slice(text.indexOf('<details>'))];
  assert.match(shown, /\*\*4 cases compared by throughput, threshold 5\.0%: 2 worse/);
  for (const id of ['case1', 'case3']) assert.ok(shown.includes(id) && !folded.includes(id), id);
  for (const id of ['case0', 'case2']) assert.ok(folded.includes(id) && !shown.includes(id), id);
  assert.doesNotMatch(text, /left out/);
  assert.equal(text.split('<details>').length, text.split('</details>').length);
});

test('a comment does not fold circumstances that differ', () => {
  const text = commentOf(4, 2);
  assert.ok(text.indexOf('setting-1 of the primary (no, yes)') < text.indexOf('<details>'));
});

test('a comment keeps its limit with any number of cases, and counts what it leaves out', () => {
  const text = commentOf(1500, 1500, 1500);
  assert.ok(text.length < LIMIT, String(text.length));
  assert.match(text, /more rows left out/);
  assert.match(text, /- and [\d,]+ more/);
  assert.match(text, /Only in A, not compared: 1,500 cases/);
  assert.ok(text.trimEnd().endsWith('</details>'));
});
