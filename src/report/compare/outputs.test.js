import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults } from './compare.js';
import { changeText, renderComparison } from './compare-text.js';
import { resultOf } from './fixture.js';

/** @typedef {import('./schema.js').Result} Result */

const NAMES = { nameA: 'before', nameB: 'after', color: false };

/** @param {(result: Result) => void} change @param {{metric?: string, threshold?: number}} [options] */
function render(change, { metric = 'throughput', threshold = 0.05 } = {}) {
  const b = resultOf();
  change(b);
  return renderComparison(compareResults(resultOf(), b, { metric, threshold }), NAMES);
}

/** @param {string} text @param {string} word */
const lineWith = (text, word) => text.split('\n').find((line) => line.includes(word)) ?? '';

test('each case has a line with both medians, the change and the verdict', () => {
  const text = render(({ benchmarks }) => {
    for (const round of benchmarks[0].cases[1].rounds) round.throughput /= 2;
  });
  assert.match(text, /^A: before\nB: after\n/);
  assert.match(lineWith(text, 'wait1'), /10\.8 k\/s.*5\.40 k\/s.*−50 % \(.* to .* %\).*worse/);
  assert.match(lineWith(text, ' none'), /20\.0 k\/s.*20\.0 k\/s.*no difference/);
  assert.match(text, /2 cases compared by throughput, threshold 5\.0 %: 1 worse, 0 better, 1 no difference\./);
});

test('what differs is told before the table', () => {
  const text = render(({ cluster }) => {
    cluster.server.version = '9.9.9';
  });
  assert.ok(text.indexOf('9.9.9') < text.indexOf('verdict') && text.includes('differ in what matters'));
});

test('a neighbour on the machine during one of the runs is told', () => {
  assert.doesNotMatch(
    render(() => {}),
    /Other programs/,
  );
  const busy = (/** @type {Result} */ { benchmarks }) => {
    for (const round of benchmarks[0].cases.flatMap(({ rounds }) => rounds)) round.machineCpu = 1;
  };
  // Of 2 cores the fixture's load thread takes 0.45, its nodes 0.62; at 60 % of the machine that leaves 0.13.
  assert.match(render(busy), /Other programs used 0\.1 CPUs during A and 0\.9 during B/);
  assert.doesNotMatch(
    render((result) => {
      busy(result);
      result.cluster.backend = 'external';
    }),
    /Other programs/,
  );
});

test('cases of one side, and what is unknown, are told', () => {
  const text = render(({ benchmarks }) => {
    benchmarks[0].cases[1].id = 'other';
    benchmarks[0].cases[0].rounds.length = 1;
  });
  assert.match(text, /Only in A:\n {2}async-vs-wait\/wait1\n\nOnly in B:\n {2}async-vs-wait\/other\n/);
  assert.match(lineWith(text, ' none'), /unknown: too few rounds/);
  assert.match(text, /0 no difference, 1 unknown\./);
});

test('latency is shown as durations', () => {
  assert.match(
    lineWith(
      render(() => {}, { metric: 'p99' }),
      ' none',
    ),
    /µs/,
  );
});

test('an interval wider than the threshold is said to hide a difference', () => {
  assert.match(
    render(() => {}, { threshold: 0.001 }),
    /In 2 of the 2 without a difference the interval reaches beyond/,
  );
  assert.doesNotMatch(
    render(() => {}, { threshold: 0.5 }),
    /reaches beyond/,
  );
});

test('colour only when asked for', () => {
  const comparison = compareResults(resultOf(), resultOf(), { metric: 'throughput', threshold: 0.05 });
  assert.ok(!renderComparison(comparison, NAMES).includes('\u001b'));
  assert.ok(renderComparison(comparison, { ...NAMES, color: true }).includes('\u001b'));
});

test('a change has a sign, and none is without', () => {
  const text = (/** @type {number} */ median, /** @type {number} */ low, /** @type {number} */ high) =>
    changeText(/** @type {any} */ ({ ratio: { median, low, high } }));
  assert.equal(text(1.12, 1.04, 1.2), '+12 % (4.0–20 %)');
  assert.equal(text(0.88, 0.8, 0.96), '−12 % (−20 to −4.0 %)');
  assert.equal(text(1, 0.5, 1.5), '0 % (−50 to 50 %)');
});
