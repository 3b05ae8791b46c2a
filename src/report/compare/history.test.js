import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../trials/fixture.js';
import { historyOf, slim } from './history.js';

/**
 * @import { Result } from '../../result/schema.js'
 * @import { BenchmarkHistory } from './history.js'
 */

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

/**
 * @param {Pick<BenchmarkHistory, 'allSeries'>} history
 * @returns {[string, number[]][]} each case with the indexes of the runs that have its figure
 */
const runsByCase = ({ allSeries }) => allSeries.map(({ name, points }) => [name, points.map(({ run }) => run)]);

/** @param {number} factor of the throughput of the first case */
const timesAsFast =
  (factor) =>
  (/** @type {Result} */ { benchmarks }) => {
    for (const round of benchmarks[0].cases[0].rounds) round.throughput *= factor;
  };

const withoutSecondCase = (/** @type {Result} */ { benchmarks }) => {
  benchmarks[0].cases.pop();
};

const another = (/** @type {Result} */ { stack }) => {
  stack.server.version = '9.9.9';
};

test('runs stand by time, and changed circumstances are named', () => {
  const [history] = historyOf([runOf(3, another), runOf(1), runOf(2)]);
  assert.deepEqual(
    history.runs.map(({ name }) => name),
    ['run-1', 'run-2', 'run-3'],
  );
  assert.deepEqual(
    history.changes.map(({ run, differences }) => [run, differences.map(({ what }) => what)]),
    [[2, ['server']]],
  );
});

test('the last run is judged against the one before, and only when both were made alike', () => {
  const lastsOf = (/** @type {Parameters<typeof historyOf>[0]} */ runs) =>
    historyOf(runs)[0].allSeries.map(({ last }) => last);
  const slower = timesAsFast(0.5);
  assert.match(lastsOf([runOf(0, slower), runOf(1), runOf(2, slower)])[0], /^worse, −50%/);
  assert.match(lastsOf([runOf(1), runOf(2, slower)])[1], /^no difference/);
  assert.deepEqual(lastsOf([runOf(1), runOf(2, another)]), ['', '']);
});

test('failures: the lost share over all trials, with the least and the most of a trial', () => {
  const audits = [0, 30].map((ackedLost, i) => auditOf('async', { round: i + 1, acked: 100, ackedLost }));
  const result = failureResultOf([failureBenchmarkOf('primary-partition', [{ mode: 'async', audits }])]);
  const [{ metric, allSeries }] = historyOf([{ name: 'one', result: slim(result) }]);
  assert.equal(metric, 'lost');
  assert.deepEqual(
    allSeries.map(({ name, points }) => [name, points[0].value]),
    [['async · sticky', { median: 0.15, low: 0, high: 0.3 }]],
  );
  assert.deepEqual(historyOf([{ name: 'one', result: slim(result) }], { benchmark: 'pipeline' }), []);
});

test('a change between the runs of a case prevents its comparison, even if a run without the case had it', () => {
  const between = (/** @type {Result} */ result) => {
    another(result);
    withoutSecondCase(result);
  };
  const [history] = historyOf([runOf(1), runOf(2, between), runOf(3, another)]);
  assert.deepEqual(
    history.allSeries.map(({ last }) => last === ''),
    [false, true],
  );
});

test('a case that only some runs have is no change of circumstances, and has its own runs', () => {
  const [history] = historyOf([runOf(1), runOf(2, withoutSecondCase), runOf(3)]);
  assert.deepEqual(history.changes, []);
  assert.deepEqual(runsByCase(history), [
    ['none', [0, 1, 2]],
    ['wait1', [0, 2]],
  ]);
  assert.match(history.allSeries[1].last, /^no difference/);
});
