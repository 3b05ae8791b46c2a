import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistogramLogReader } from 'hdr-histogram-js';
import { caseOf, resultOf, roundOf } from '../report/fixture.js';
import { histogramLog, percentileDistribution } from './export-hdr.js';

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

test('the log has an interval a round, at its time, with all its values', () => {
  const text = histogramLog(wait1);
  assert.match(
    text,
    /^#\[Histogram log format version 1\.\d\]\n#\[StartTime: 1763663046\.100 \(seconds since epoch\), 2025-/,
  );
  const reader = new HistogramLogReader(text, 64);
  for (const round of wait1.rounds) {
    const interval = reader.nextIntervalHistogram();
    assert.ok(interval);
    assert.equal(interval.totalCount, round.outcomes.acked);
    assert.ok(Math.abs(interval.startTimeStampMsec - Date.parse(round.startedAt)) <= 1);
    assert.ok(Math.abs(interval.endTimeStampMsec - interval.startTimeStampMsec - 1000) <= 1);
    assert.ok(Math.abs(interval.getValueAtPercentile(50) - round.latencyNs.p50) <= round.latencyNs.p50 / 1000);
  }
  assert.equal(reader.nextIntervalHistogram(), null);
  const maxima = text
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => Number(line.split(',')[2]));
  assert.equal(maxima.length, wait1.rounds.length);
  wait1.rounds.forEach(({ latencyNs }, i) => {
    const ms = latencyNs.max / 1e6;
    assert.ok(Math.abs(maxima[i] - ms) <= ms / 1000 + 0.001, `${maxima[i]} is not ${ms}`);
  });
});

test('a case without a value has files that can be read', () => {
  const nothing = caseOf('nothing', {}, [roundOf({ writes: 0 })]);
  assert.match(percentileDistribution(nothing), /Total count {4}= +0\]/);
  assert.doesNotMatch(percentileDistribution(nothing), /NaN/);
  assert.equal(new HistogramLogReader(histogramLog(nothing), 64).nextIntervalHistogram()?.totalCount, 0);
});
