import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../failure-fixture.js';
import { renderPage } from '../page/page.js';
import { coursesChart } from './courses.js';
import { failureOverview } from './failure-overview.js';
import { silentSpans, splitBrainSpan } from './failure-windows.js';
import { renderSvg } from './svg.js';
import { trialChart } from './trial.js';

/** @typedef {import('./types.js').Chart} Chart */

const PAGE_BYTES = 2e6;
const HOUR_STEPS = 36_000;

/**
 * @param {number} outage the step in which nothing is acked, and a p99 of a second
 * @returns {import('../failure-schema.js').TrialResult} an hour, two writers, no two steps alike
 */
function hourOf(outage) {
  const { writers } = trialOf('async');
  const steps = Array.from({ length: HOUR_STEPS }, (_, step) => step);
  return trialOf('async', {
    writers: writers.map(({ writer }) => ({
      writer,
      acked: steps.map((step) => (step === outage ? 0 : 90 + (step % 21))),
      underAcked: steps.map((step) => step % 3),
      rejected: steps.map((step) => step % 5),
      unknown: steps.map((step) => step % 7),
      unsent: steps.map((step) => step % 11),
      p99Ms: steps.map((step) => (step === outage ? 1000 : 0.8 + (step % 997) / 1000)),
    })),
  });
}

/**
 * @param {Chart | null} chart
 * @param {string} name
 */
function valuesOf(chart, name) {
  assert.ok(chart);
  const column = chart.columns.findIndex((each) => each.name === name);
  assert.ok(column >= 0, `${name} in ${chart.columns.map((each) => each.name)}`);
  return chart.rows.map((row) => row[column]);
}

/** @param {Chart} chart row → column → shown */
function cellsOf({ rows }) {
  /** @type {Record<string, Record<string, unknown>>} */
  const cells = {};
  for (const [row, column, , shown] of rows) cells[String(row)] = { ...cells[String(row)], [String(column)]: shown };
  return cells;
}

test('of an hour a page stays small, and an outage of one step shows', () => {
  const trial = hourOf(20_000);
  const benchmark = failureBenchmarkOf('primary-killed', [
    { level: 'async', audits: [auditOf('async')], trials: [trial] },
  ]);
  const course = trialChart(benchmark, benchmark.cases[0], trial);
  const courses = coursesChart(benchmark);
  assert.ok(course && courses);
  assert.ok(course.rows.length <= 1200 && course.rows.length > 600, `${course.rows.length} rows`);
  assert.ok(courses.rows.length <= 360 && courses.rows.length > 180, `${courses.rows.length} rows`);

  assert.equal(valuesOf(course, 'stays, acked, lowest step').filter((value) => value === 0).length, 1);
  assert.equal(valuesOf(courses, 'async: stays, lowest').filter((value) => value === 0).length, 1);
  assert.ok(Math.min(...valuesOf(course, 'stays, acked').map(Number)) > 900, 'the mean is one of all steps');
  assert.equal(Math.max(...valuesOf(course, 'follows, p99').map(Number)), 1000);
  assert.match(course.note ?? '', /A point is 3\.00 s: .* p99 is the highest/);

  const html = renderPage({
    title: 'an hour',
    markdown: [course, courses].map(({ id }) => `<figure data-chart="${id}"></figure>`).join('\n\n'),
    charts: [course, courses],
  });
  assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
});

test('a course is told as it was counted; gaps stay gaps, and the step in which the load ended is left out', () => {
  const trial = trialOf('async');
  const benchmark = failureBenchmarkOf('primary-killed', [{ level: 'async', audits: [], trials: [trial] }]);
  const course = trialChart(benchmark, benchmark.cases[0], trial);
  const acked = valuesOf(course, 'stays, acked');
  assert.equal(acked.length, 49);
  assert.deepEqual([acked[9], acked[10], acked[21], acked[22]], [1000, 0, 0, 1000]);
  assert.deepEqual(valuesOf(course, 'stays, p99').slice(21, 24), [null, 1000, 0.8]);
  assert.equal(valuesOf(course, 'since the fault')[0], -0.953);
  assert.ok(!course?.columns.some(({ name }) => name.includes('rejected')), 'what there never was has no line');
  assert.match(course?.alt ?? '', /stays 3,800.*none for 1\.20 s.*fault begun redis-1: kill at 0\.0 s/);
});

test('bands stand where nothing was acked, and where two nodes accepted writes', () => {
  const trial = trialOf('async');
  assert.deepEqual(silentSpans(trial), [[1003.2, 2200]]);
  assert.equal(splitBrainSpan(trial), null);
  const slow = trial.writers.map((writer) => ({
    ...writer,
    acked: writer.acked.map((_, step) => (step % 10 ? 0 : 1)),
  }));
  assert.deepEqual(silentSpans({ ...trial, writers: slow }), [], 'who writes once a second is not away in between');

  const marks = [
    ...trial.marks,
    { afterMs: 2800, who: 'stays', what: 'first accepted by', detail: 'redis-2' },
    { afterMs: 2200, who: 'follows', what: 'first accepted by', detail: 'redis-2' },
  ];
  assert.deepEqual(splitBrainSpan({ ...trial, marks, windows: { ...trial.windows, splitBrainMs: 500 } }), [2200, 2700]);
});

test('each case has a panel in the courses, the worst of its rounds, drawn in both themes', () => {
  const benchmark = failureBenchmarkOf('primary-killed', [
    {
      level: 'async',
      audits: [auditOf('async'), auditOf('async', { round: 2, ackedLost: 1234 })],
      trials: [1, 2].map((round) => trialOf('async', { round, goneSteps: 10 + round })),
    },
    { level: 'wait1', audits: [auditOf('wait1')], trials: [trialOf('wait1')] },
  ]);
  const chart = coursesChart(benchmark);
  assert.equal(valuesOf(chart, 'async: stays').filter((value) => value === 0).length, 12, 'of round 2');
  assert.equal(
    chart?.alt,
    'Acked writes lost: async (stays 1,234). No write acked for: async (1.20 s); WAIT 1 (1.20 s). Split brain for: in no case.',
  );
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const svg = renderSvg(/** @type {Chart} */ (chart), theme);
    assert.match(svg, /lost: stays 1,234/);
  }
  assert.equal(coursesChart(failureBenchmarkOf('primary-killed', [{ level: 'async', audits: [] }])), null);
});

test('the grids: a measured zero is shown, what was not measured is empty, writers alike share a row', () => {
  const both = (/** @type {string} */ id, some = {}) =>
    ['stays', 'follows'].map((writer) => auditOf(id, { writer: /** @type {'stays'} */ (writer), ...some }));
  // It was back for a while before it went for good: without an end was only the rest.
  const gone = trialOf('wait1');
  for (const { acked } of gone.writers) acked.fill(0, 30);
  const killed = failureBenchmarkOf('primary-killed', [
    { level: 'async', audits: both('async'), trials: [trialOf('async')] },
    { level: 'wait1', audits: both('wait1', { unavailableMs: null }), trials: [gone] },
  ]);
  const cut = failureBenchmarkOf('primary-cut', [
    {
      level: 'async',
      audits: [auditOf('async', { ackedLost: 2500 }), auditOf('async', { writer: 'follows', unavailableMs: 7 })],
    },
  ]);
  const [lost, unavailable] = failureOverview(failureResultOf([killed, cut]));
  assert.deepEqual(cellsOf(lost), {
    'primary-killed': { async: '0', 'WAIT 1': '0' },
    'primary-cut: stays': { async: '25 %' },
    'primary-cut: follows': { async: '0' },
  });
  assert.deepEqual(lost.rows[0], ['primary-killed', 'async', 0, '0', 0, 20_000]);
  assert.match(
    lost.alt,
    /in 1 of 6 combinations .* the most, 25 %, in primary-cut: stays with async\. None with WAIT 1\./,
  );
  assert.deepEqual(cellsOf(unavailable), {
    'primary-killed': { async: '1.20 s', 'WAIT 1': '>2.00 s' },
    'primary-cut: stays': { async: '1.20 s' },
    'primary-cut: follows': { async: '7.00 ms' },
  });
  assert.match(unavailable.alt, /It lasted until the writers stopped in 1 of 4 combinations\./);
  assert.match(renderSvg(lost, 'light'), />25 %</);

  const [one] = failureOverview(failureResultOf([killed, { ...cut, audit: cut.audit?.slice(0, 1) }]));
  assert.deepEqual(
    Object.keys(cellsOf(one)),
    ['primary-killed', 'primary-cut: stays'],
    'who lost something has a name',
  );
});

test('a sweep has a table of its own, and one scenario needs no grid', () => {
  const of = (/** @type {string} */ name) =>
    failureBenchmarkOf(name, [{ level: 'async', audits: [auditOf('async')], trials: [trialOf('async')] }]);
  assert.deepEqual(failureOverview(failureResultOf([of('sweep-killed'), of('sweep-cut')])), []);
  assert.deepEqual(failureOverview(failureResultOf([of('primary-killed')])), []);
});
