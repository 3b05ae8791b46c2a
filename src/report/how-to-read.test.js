import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBlocks } from './blocks.js';
import { caseOf, NAMED_FIGURES, resultOf, roundOf } from './fixture.js';
import { circumstances } from './how-to-read.js';

/** @import { BenchmarkResult, Result } from '../result/schema.js' */

const PACE = { rounds: 3, seconds: 1.1, warmUpSeconds: 0.1 };

/** @param {Result} result */
const renderCircumstances = (result) => renderBlocks(circumstances(result), NAMED_FIGURES);

/** @returns {BenchmarkResult} measured on stacks of its own, at its own pace */
function ownStacks() {
  const cases = [caseOf('alone', { replicas: 0 }, [roundOf({ writes: 100 })])];
  return { name: 'persistence', question: '?', status: 'ok', pace: PACE, cases, findings: [], checks: [] };
}

test('a benchmark with its own pace: the report names its rounds, not those of the profile', () => {
  const result = { ...resultOf(), benchmarks: [ownStacks()] };
  const text = renderCircumstances(result);
  assert.match(text, /^- Throughput and cost are medians over 3 rounds; in parentheses the range of 3 rounds/m);
  assert.doesNotMatch(text, /5 rounds|95% interval of/);
});

test('benchmarks with different numbers of rounds are named', () => {
  const result = resultOf();
  result.benchmarks.push(ownStacks());
  const text = renderCircumstances(result);
  assert.match(text, /^- Throughput and cost are medians over 5 rounds; in parentheses the 95% interval/m);
  assert.match(text, /^- persistence: Throughput and cost are medians over 3 rounds; in parentheses the range of 3/m);
});

test('without measurements the report names the rounds of the profile', () => {
  const result = resultOf();
  for (const each of result.benchmarks) each.cases = [];
  assert.match(renderCircumstances(result), /medians over 5 rounds/);
});

test('the configuration names its stack when benchmarks used others', () => {
  const result = resultOf();
  assert.doesNotMatch(renderCircumstances(result), /other stacks/);
  result.benchmarks.push(ownStacks());
  assert.match(
    renderCircumstances(result),
    /^This is the stack that the run began with\. `persistence` used other stacks:/m,
  );
});
