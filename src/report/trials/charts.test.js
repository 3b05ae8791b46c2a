import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSvg } from '../document.js';
import { renderPage } from '../page/page.js';
import { auditOf, failureBenchmarkOf, trialOf } from './fixture.js';
import { timelinesChart } from './timelines-chart.js';

/**
 * @import { TrialResult } from '../../result/failure-schema.js'
 * @import { Chart } from '../charts/chart.js'
 */

const PAGE_BYTES = 2e6;
const HOUR_STEPS = 36_000;

/**
 * @param {number} outage the step in which nothing is acked, and a p99 of a second
 * @returns {TrialResult} an hour, two writers, no two steps alike
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

/** @param {Chart | null} chart @param {string} name */
function valuesOf(chart, name) {
  assert.ok(chart);
  const column = chart.columns.findIndex((each) => each.name === name);
  assert.ok(column >= 0, `${name} in ${chart.columns.map((each) => each.name)}`);
  return chart.rows.map((row) => row[column]);
}

test('a page with an hour stays small and shows an outage of one step', () => {
  const trial = hourOf(20_000);
  const benchmark = failureBenchmarkOf('primary-killed', [
    { mode: 'async', audits: [auditOf('async')], trials: [trial] },
  ]);
  const timelines = timelinesChart(benchmark);
  assert.ok(timelines);
  assert.ok(timelines.rows.length <= 360 && timelines.rows.length > 180, `${timelines.rows.length} rows`);

  assert.equal(valuesOf(timelines, 'async: sticky, lowest').filter((value) => value === 0).length, 1);
  assert.ok(Math.min(...valuesOf(timelines, 'async: sticky').map(Number)) > 900, 'the mean is one of all steps');

  const html = renderPage({
    title: 'an hour',
    markdown: `<figure data-chart="${timelines.id}"></figure>`,
    charts: [timelines],
  });
  assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
});

test('acknowledged writes that were lost are shaded where they were acknowledged', () => {
  const trial = trialOf('async');
  const [sticky, failoverAware] = trial.writers;
  const lost = sticky.acked.map((acked, step) => (step > 22 && step < 31 ? acked : 0));
  const audits = [auditOf('async', { ackedLost: 800 }), auditOf('async', { writer: 'failover-aware' })];
  const chartOf = (/** @type {TrialResult} */ one) => {
    const benchmark = failureBenchmarkOf('primary-partition', [{ mode: 'async', audits, trials: [one] }]);
    return timelinesChart(benchmark);
  };
  const measured = chartOf({
    ...trial,
    writers: [
      { ...sticky, lost },
      { ...failoverAware, lost: lost.map(() => 0) },
    ],
  });
  const shaded = valuesOf(measured, 'async: sticky, later lost');
  assert.deepEqual([shaded[22], shaded[23], shaded[30], shaded[31]], [0, 1000, 1000, 0]);
  assert.ok(!measured?.columns.some(({ name }) => name === 'async: failover-aware, later lost'));
  assert.match(measured?.note ?? '', /acknowledged and later lost\. (?!Estimated)/);

  // An earlier result only says how many.
  /** @type {TrialResult['events']} */
  const events = [...trial.events, { at: 3050, by: 'sticky', kind: 'last-accepted', node: 'redis-1' }];
  const earlier = chartOf({ ...trial, events });
  assert.deepEqual(valuesOf(earlier, 'async: sticky, later lost'), shaded);
  assert.match(earlier?.note ?? '', /Estimated, because this result has no times of lost writes/);
  const emptied = valuesOf(chartOf(trial), 'async: sticky, later lost');
  assert.deepEqual([emptied[1], emptied[2], emptied[9]], [0, 1000, 1000], 'the last ones before the fault');
});

test('each case has a panel, the worst of its trials, drawn in both themes', () => {
  const benchmark = failureBenchmarkOf('primary-killed', [
    {
      mode: 'async',
      audits: [auditOf('async'), auditOf('async', { round: 2, ackedLost: 1234 })],
      trials: [1, 2].map((round) => trialOf('async', { round, goneSteps: 10 + round })),
    },
    { mode: 'wait1', audits: [auditOf('wait1')], trials: [trialOf('wait1')] },
  ]);
  const chart = timelinesChart(benchmark);
  assert.equal(valuesOf(chart, 'async: sticky').filter((value) => value === 0).length, 12, 'of trial 2');
  assert.equal(
    chart?.alt,
    'Acked writes lost: up to 1,234 (async). Time without an ack: up to 1.20 s (async). Split brain: none.',
  );
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const svg = renderSvg(/** @type {Chart} */ (chart), theme);
    assert.match(svg, /lost: sticky 1,234/);
  }
  assert.equal(timelinesChart(failureBenchmarkOf('primary-killed', [{ mode: 'async', audits: [] }])), null);
});
