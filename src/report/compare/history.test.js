import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSvg } from '../document.js';
import { resultOf } from '../fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../trials/fixture.js';
import { historyOf, slim } from './history.js';
import { historyChart, makeHistoryReport } from './history-report.js';

/** @import { Result } from '../../result/schema.js' */

/**
 * @param {number} day its runs are in that order
 * @param {(result: Result) => void} [change]
 */
function runOf(day, change = () => {}) {
  const result = resultOf();
  result.startedAt = `2026-01-0${day}T10:00:00.000Z`;
  change(result);
  return { name: `run-${day}`, result: slim(result) };
}

const another = (/** @type {Result} */ { cluster }) => {
  cluster.server.version = '9.9.9';
};

test('runs stand by time, and a line is broken where circumstances changed', () => {
  const [history] = historyOf([runOf(3, another), runOf(1), runOf(2)]);
  assert.deepEqual(
    history.runs.map(({ name }) => name),
    ['run-1', 'run-2', 'run-3'],
  );
  assert.deepEqual(
    history.changes.map(({ run, differences }) => [run, differences.map(({ what }) => what)]),
    [[2, ['server']]],
  );
  const chart = historyChart(history);
  assert.ok(chart);
  assert.deepEqual(
    chart.rows.map(([run, median]) => [run, median === null]),
    [
      ['2026-01-01 10:00', false],
      ['2026-01-02 10:00', false],
      ['change 1', true],
      ['2026-01-03 10:00', false],
    ],
  );
  assert.match(renderSvg(chart, 'dark'), /^<svg/);
});

test('the last run is judged against the one before, and only when both were made alike', () => {
  const slower = (/** @type {Result} */ { benchmarks }) => {
    for (const round of benchmarks[0].cases[0].rounds) round.throughput /= 2;
  };
  const lastOf = (/** @type {Parameters<typeof historyOf>[0]} */ runs) =>
    historyOf(runs)[0].allSeries.map(({ last }) => last);
  assert.match(lastOf([runOf(1), runOf(2, slower)])[0], /^worse, −50%/);
  assert.match(lastOf([runOf(1), runOf(2, slower)])[1], /^no difference/);
  assert.deepEqual(lastOf([runOf(1), runOf(2, another)]), ['', '']);
});

test('failures: the lost share over all trials, with the least and the most of a trial', () => {
  const audits = [0, 30].map((ackedLost, i) => auditOf('async', { round: i + 1, acked: 100, ackedLost }));
  const result = failureResultOf([failureBenchmarkOf('primary-cut', [{ level: 'async', audits }])]);
  const [{ metric, allSeries }] = historyOf([{ name: 'one', result: slim(result) }]);
  assert.equal(metric, 'lost');
  assert.deepEqual(
    allSeries.map(({ name, points }) => [name, points[0].value]),
    [['async · stays', { median: 0.15, low: 0, high: 0.3 }]],
  );
  assert.deepEqual(historyOf([{ name: 'one', result: slim(result) }], { benchmark: 'pipeline' }), []);
});

test('the report has each run, and counts unreadable files', () => {
  const { markdown, pictures } = makeHistoryReport(historyOf([runOf(1), runOf(2)]), { leftOut: 2 });
  assert.match(markdown, /2 runs of 1 benchmark; 2 unreadable files left out\./);
  assert.match(markdown, /\| run-2 \| 2026-01-02 10:00 \|/);
  assert.deepEqual([...pictures.keys()], ['charts/async-vs-wait.history.svg', 'charts/async-vs-wait.history-dark.svg']);
});
