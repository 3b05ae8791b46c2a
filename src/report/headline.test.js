import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepResultOf } from './decision-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from './failure-fixture.js';
import { resultOf } from './fixture.js';
import { headlines } from './headline.js';

test('failures: which levels lost something, in how many of them, and which did not', () => {
  const result = failureResultOf([
    failureBenchmarkOf('primary-cut', [
      { level: 'async', audits: [auditOf('async', { ackedLost: 8600 }), auditOf('async', { writer: 'follows' })] },
      { level: 'wait1', audits: [auditOf('wait1'), auditOf('wait1', { writer: 'ioredis', ackedLost: 1 })] },
    ]),
    failureBenchmarkOf('primary-killed', [
      { level: 'async', audits: [auditOf('async')] },
      // Of a level at which nothing was acknowledged nothing can be lost: it saved nothing either.
      { level: 'min1', audits: [auditOf('min1', { acked: 0, rejected: 300 })] },
    ]),
  ]);
  assert.deepEqual(headlines(result), [
    {
      benchmark: null,
      text: 'Acknowledged writes were lost in failures with async in 1 of 2 (up to 86 %, `primary-cut`)',
    },
    {
      benchmark: null,
      text: 'No acknowledged write was lost in failures with WAIT 1 (1 failure; some through ioredis)',
    },
  ]);
});

test('a sweep: how many keep to the usual limits, and the cheapest of them; its failures are not told twice', () => {
  const [first, ...others] = headlines(sweepResultOf());
  assert.match(
    first.text,
    /^\d+ of \d+ configurations keep to lost on kill: at most 0; .* The cheapest of them is WAIT 1: .* at batch 1, .* of async/,
  );
  assert.deepEqual(others, []);
});

test('other benchmarks: how the first finding begins, with the answer when it is a question', () => {
  const result = resultOf();
  const text = `Is it fast? No. ${'It is not. '.repeat(40)}`;
  result.benchmarks[0].findings.unshift({ text, evidence: [] });
  const [{ benchmark, text: told }, ...others] = headlines(result);
  assert.equal(benchmark, 'async-vs-wait');
  assert.match(told, /^Is it fast\? No\. It is not\./);
  assert.ok(told.length < 250 && told.endsWith('It is not.'));
  assert.deepEqual(others, []);
  result.benchmarks[0].findings = [];
  assert.deepEqual(headlines(result), []);
});
