import assert from 'node:assert/strict';
import { test } from 'node:test';
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
