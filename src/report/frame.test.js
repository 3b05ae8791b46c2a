import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES, resultOf } from './fixture.js';
import { renderFrontPage } from './frame.js';

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
  const failed = page.indexOf('- `async-vs-wait`: no stale read. 3 of 1,000 reads were stale.');
  assert.ok(failed > 0 && failed < page.indexOf('## async-vs-wait'));
  assert.match(page, /- `faults` failed\. The primary went away\.\n/);
  assert.match(page, /## links\n\n\*What\?\*\n\n\*\*Skipped\.\*\* This backend cannot do it\. Use docker\.\n/);
});

test('the line about the run has what an existing deployment has set itself', () => {
  const page = rendered(({ benchmarks, stack }) => {
    Object.assign(stack, { backend: 'external', path: 'as announced' });
    for (const { params } of benchmarks[0].cases) params.ownSettings = { appendonly: 'yes', save: '3600 1' };
  });
  assert.match(page, /external \(as announced\) with its own appendonly yes, save 3600 1, on /);
});
