import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults } from './compare.js';
import { withOtherMetrics } from './compare-markdown.js';
import { renderPullRequest } from './compare-pr.js';
import { resultOf } from './fixture.js';

/** What GitHub takes as a comment. */
const LIMIT = 65_536;

/**
 * @param {number} cases of which every other is worse
 * @param {number} [settings] in which the runs differ
 * @param {number} [gone] cases that only A has
 */
function commentOf(cases, settings = 0, gone = 0) {
  const [a, b] = [resultOf(), resultOf()];
  for (const [result, factor] of /** @type {const} */ ([
    [a, 1],
    [b, 0.5],
  ])) {
    const [{ cases: own }] = result.benchmarks;
    const [one] = own;
    own.length = 0;
    for (let i = 0; i < cases; i++) {
      const rounds = one.rounds.map((round) => ({ ...round, throughput: round.throughput * (i % 2 ? factor : 1) }));
      own.push({ ...one, id: `native-batch1-conn1-64B-case${i}`, rounds });
    }
  }
  const [one] = a.benchmarks[0].cases;
  for (let i = 0; i < gone; i++) a.benchmarks[0].cases.push({ ...one, id: `gone${i}` });
  for (let i = 0; i < settings; i++) {
    Object.assign(a.cluster.config['redis-1'], { [`setting-${i}`]: 'no' });
    Object.assign(b.cluster.config['redis-1'], { [`setting-${i}`]: 'yes' });
  }
  const comparison = compareResults(a, b, { metric: 'throughput', threshold: 0.05 });
  return renderPullRequest(withOtherMetrics({ name: 'a', result: a }, { name: 'b', result: b }, comparison));
}

test('what is worse stands first, the rest is folded, and nothing is left out', () => {
  const text = commentOf(4);
  const [shown, folded] = [text.slice(0, text.indexOf('<details>')), text.slice(text.indexOf('<details>'))];
  assert.match(shown, /4 cases by throughput, threshold 5\.0 %: \*\*2 worse\*\*/);
  for (const id of ['case1', 'case3']) assert.ok(shown.includes(id) && !folded.includes(id), id);
  for (const id of ['case0', 'case2']) assert.ok(folded.includes(id) && !shown.includes(id), id);
  assert.doesNotMatch(text, /left out/);
  assert.equal(text.split('<details>').length, text.split('</details>').length);
});

test('circumstances that differ are not folded', () => {
  const text = commentOf(4, 2);
  assert.ok(text.indexOf('setting-1 of the primary (no, yes)') < text.indexOf('<details>'));
});

test('cases that B no longer has, and what verdicts do not show, are told', () => {
  const text = commentOf(40, 0, 3);
  assert.match(text, /<summary>Only in A, not compared: 3 cases<\/summary>\n\nOnly in A:\n\n- async-vs-wait\/gone0\n/);
  assert.doesNotMatch(text, /Only in B/);
  assert.match(text.slice(0, text.indexOf('<details>')), /2 may leave out 0 % by chance/);
});

test('however many cases and differences there are, it fits a comment, and says what it leaves out', () => {
  const text = commentOf(1500, 1500, 1500);
  assert.ok(text.length < LIMIT, String(text.length));
  assert.match(text, /more rows left out/);
  assert.match(text, /- and [\d,]+ more/);
  assert.match(text, /Only in A, not compared: 1,500 cases/);
  assert.ok(text.trimEnd().endsWith('</details>'));
});
