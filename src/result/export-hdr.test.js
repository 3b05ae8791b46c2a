import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../report/fixture.js';
import { percentileDistribution } from './export-hdr.js';

const [, wait1] = resultOf().benchmarks[0].cases;

test('plotters can read the percentile distribution', () => {
  const lines = percentileDistribution(wait1).split('\n');
  assert.match(lines[0], /^ +Value +Percentile TotalCount 1\/\(1-Percentile\)$/);
  const rows = lines.filter((line) => /^ *\d/.test(line)).map((line) => line.trim().split(/ +/).map(Number));
  assert.ok(rows.length > 20);
  for (let i = 1; i < rows.length; i++) {
    for (const column of [0, 1, 2]) assert.ok(rows[i][column] >= rows[i - 1][column], `row ${i}: ${rows[i]}`);
  }
  for (const row of rows.slice(0, -1)) {
    assert.equal(row.length, 4);
    assert.ok(row.every(Number.isFinite));
  }
  const last = rows[rows.length - 1];
  assert.deepEqual(last.slice(1), [1, wait1.summary.samples]);
  // Values are milliseconds.
  assert.ok(Math.abs(last[0] - wait1.summary.latencyNs.max / 1e6) <= 0.001, `${last[0]}`);
  const median = rows.find(([, percentile]) => percentile === 0.5);
  assert.ok(median && Math.abs(median[0] - wait1.summary.latencyNs.p50 / 1e6) <= 0.001);
  assert.match(lines[lines.length - 4], /^#\[Mean {4}= +\d+\.\d{3}, StdDeviation {3}= +\d+\.\d{3}\]$/);
});

test('a case without a value has a file that can be read', () => {
  const nothing = caseOf('nothing', {}, [roundOf({ writes: 0 })]);
  assert.match(percentileDistribution(nothing), /Total count {4}= +0\]/);
  assert.doesNotMatch(percentileDistribution(nothing), /NaN/);
});
