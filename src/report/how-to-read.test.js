import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from './fixture.js';
import { renderCircumstances } from './how-to-read.js';

/** @import { BenchmarkResult } from '../result/schema.js' */

const PACE = { rounds: 3, seconds: 1.1, warmUpSeconds: 0.1 };

/** @returns {BenchmarkResult} measured on stacks of its own, at its own pace */
function ownStacks() {
  const cases = [caseOf('alone', { replicas: 0 }, [roundOf({ writes: 100 })])];
  return { name: 'persistence', question: '?', status: 'ok', pace: PACE, cases, findings: [], checks: [] };
}

test('a benchmark with a pace of its own: its own number of rounds is told, not the profile’s', () => {
  const result = { ...resultOf(), benchmarks: [ownStacks()] };
  const text = renderCircumstances(result);
  assert.match(text, /^- Throughput and cost are medians over 3 rounds; in parentheses the range of 3 rounds/m);
  assert.doesNotMatch(text, /5 rounds|95% interval of/);
});

test('benchmarks that differ in it: each is named', () => {
  const result = resultOf();
  result.benchmarks.push(ownStacks());
  const text = renderCircumstances(result);
  assert.match(text, /^- Throughput and cost are medians over 5 rounds; in parentheses the 95% interval/m);
  assert.match(
    text,
    /^- Of persistence: Throughput and cost are medians over 3 rounds; in parentheses the range of 3/m,
  );
});

test('nothing was measured: the profile’s number', () => {
  const result = resultOf();
  for (const each of result.benchmarks) each.cases = [];
  assert.match(renderCircumstances(result), /medians over 5 rounds/);
});

test('the configuration is that of the first stack, where others were measured', () => {
  const result = resultOf();
  assert.doesNotMatch(renderCircumstances(result), /stacks of their own/);
  result.benchmarks.push(ownStacks());
  assert.match(
    renderCircumstances(result),
    /^Of the stack that the run began with\. `persistence` had stacks of their own/m,
  );
});
