import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../report/fixture.js';
import { percentileDistribution } from './histogram.js';

test('the percentile distribution is of all rounds, in milliseconds', () => {
  const [, { rounds, summary }] = resultOf().benchmarks[0].cases;
  const lines = percentileDistribution({ rounds }).split('\n');
  assert.match(lines[0], /^ +Value +Percentile TotalCount 1\/\(1-Percentile\)$/);
  const rows = lines.filter((line) => /^ *\d/.test(line)).map((line) => line.trim().split(/ +/).map(Number));
  const [value, ...last] = rows[rows.length - 1];
  assert.deepEqual(last, [1, summary.samples]);
  assert.ok(Math.abs(value - summary.latencyNs.max / 1e6) <= 0.001, `${value}`);
});

test('a case without a value has a file that can be read', () => {
  const text = percentileDistribution(caseOf('nothing', {}, [roundOf({ writes: 0 })]));
  assert.match(text, /Total count {4}= +0\]/);
  assert.doesNotMatch(text, /NaN/);
});
