import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, text } from './blocks.js';
import { NAMED_FIGURES, resultOf } from './fixture.js';
import { renderFrontPage } from './front-page.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

/** @param {(result: Result) => void} [change] */
function rendered(change = () => {}, suites = /** @type {Suite[]} */ ([])) {
  const result = resultOf();
  change(result);
  return renderFrontPage(result, suites, NAMED_FIGURES);
}

test('a benchmark of no suite: its finding is the answer, and has a short section', () => {
  const lines = rendered().split('\n');
  assert.equal(lines[0], '# sentinel-bench: main');
  assert.match(
    lines[2],
    /^Measured 2025-11-20 18:24 UTC, profile quick: each setting timed in 5 rounds of 1 s; values of 64 B, connections 1, pipeline depth 1\.$/,
  );
  assert.match(lines[4], /^redis 7\.0\.15, backend local/);
  assert.equal(
    lines[6],
    '- WAIT 1 costs 46% of throughput. Conditions: 64 B, 1 connection, pipeline depth 1, loopback.',
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('## ')),
    ['## async-vs-wait', '## Limits'],
  );
  assert.ok(lines.includes('- 1 of 1 check of this run passed.'));
  assert.match(lines.at(-3) ?? '', / --seed \d+$/);
});

test("the suite's answer comes first, about its own benchmarks only", () => {
  /** @type {string[][]} */
  const benchmarkNames = [];
  const suite = (/** @type {string} */ name) => ({
    name,
    benchmarks: [/** @type {any} */ ({ name })],
    frontPage: (/** @type {Result} */ { benchmarks }) => {
      benchmarkNames.push(benchmarks.map((each) => each.name));
      return {
        answer: ['Use WAIT 1.'],
        evidence: [text('the table')],
        actions: [list(['set it'])],
        limits: ['One day.'],
      };
    },
  });
  const page = rendered(
    (result) => {
      result.benchmarks.push({ ...result.benchmarks[0], name: 'other' });
    },
    [suite('async-vs-wait'), suite('not-measured')],
  );
  assert.deepEqual(benchmarkNames, [['async-vs-wait']]);
  assert.match(
    page,
    /\n\n- Use WAIT 1\. Conditions: 64 B, 1 connection, pipeline depth 1, loopback\.\n\nthe table\n\n## What to do\n\n- set it\n\n## async-vs-wait\n/,
  );
  assert.match(page, /## Limits\n\n- One day\.\n/);
});

test('failures come before everything else', () => {
  const empty = { question: 'What?', cases: [], findings: [], checks: [] };
  const page = rendered(({ benchmarks }) => {
    benchmarks[0].checks.push({ name: 'no stale read', ok: false, detail: '3 of 1,000 reads were stale.' });
    benchmarks.push({ ...empty, name: 'links', status: 'skipped', reason: 'This backend cannot do it. Use docker.' });
    benchmarks.push({ ...empty, name: 'faults', status: 'failed', reason: 'The primary went away.' });
  });
  const failed = page.indexOf('- `async-vs-wait`: check failed: no stale read. 3 of 1,000 reads were stale.');
  assert.ok(failed > 0 && failed < page.indexOf('WAIT 1 costs'));
  assert.match(page, /- `faults` failed\. The primary went away\.\n/);
  assert.match(page, /## Limits\n\n- Not measured: `links`\. This backend cannot do it\. Use docker\.\n/);
  assert.match(page, /- 1 of 2 checks of this run passed\.\n/);
});

test('a benchmark with too few rounds for an interval is named, and the others are not', () => {
  const page = rendered(({ benchmarks }) => {
    const [first] = benchmarks;
    const cases = first.cases.map((one) => ({ ...one, rounds: one.rounds.slice(0, 3) }));
    benchmarks.push({ ...first, name: 'short', cases });
  });
  assert.match(
    page,
    /In parentheses after a rate, a time or a cost: the 95% bootstrap interval of the median over rounds, on this machine\. With fewer than 5 rounds \(`short` 3\): their range\./,
  );
  assert.doesNotMatch(rendered(), /fewer than 5 rounds/);
});
