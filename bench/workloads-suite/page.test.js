import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundOf } from '../../src/report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { nothingFound } from './findings.js';
import { pageData } from './page.js';

/**
 * @param {string} name
 * @param {Record<string, number[]>} doubleHolds by mode, one for each trial
 */
function benchmarkOf(name, doubleHolds) {
  const modes = Object.keys(doubleHolds);
  const parts = modes.map((mode) => ({ mode, audits: [auditOf(mode, {})], trials: [trialOf(mode, {})] }));
  const benchmark = failureBenchmarkOf(name, parts);
  for (const [i, one] of benchmark.cases.entries())
    one.rounds = doubleHolds[modes[i]].map((holds) => ({
      ...roundOf({ writes: 100 }),
      workloads: [
        { workload: 'lock', source: 'mixed', figures: { doubleHolds: holds, medianMs: 0.5 } },
        { workload: 'lock', source: 'aware', figures: { doubleHolds: 0, medianMs: 0.9 } },
      ],
    }));
  return benchmark;
}

test('the page names each harm with its trials, and the cheapest setting without it', () => {
  const result = failureResultOf([
    benchmarkOf('workloads-healthy', { defaults: [0], min1: [0] }),
    benchmarkOf('workloads-planned', { defaults: [3, 0], min1: [0, 0] }),
    benchmarkOf('workloads-killed', { defaults: [0, 0], min1: [0, 0] }),
  ]);
  const { tables = {}, harmed } = pageData(result);
  const rowOf = (/** @type {string} */ name) =>
    tables[name].rows.find(([, title]) => String(title).includes('lease 6 s'));
  assert.deepEqual(rowOf('harms')?.slice(2), ['1/2, 3', '0/2']);
  assert.deepEqual(rowOf('remedies')?.slice(2), ['all move', 'defaults']);
  assert.deepEqual(tables.prices.rows, []);
  assert.equal(/** @type {{fault: string}[]} */ (harmed)[0].fault, 'planned failover');
});

test('the page has a row for each library that ran, and names those that could not', () => {
  const planned = benchmarkOf('workloads-planned-libraries', { defaults: [0, 0, 0] });
  const jobs = [558, 0, 3];
  for (const [i, round] of planned.cases[0].rounds.entries())
    round.workloads = [
      { workload: 'queue', source: 'bullmq', figures: { neverRun: 0, runTwice: 1, workersExited: 0 } },
      { workload: 'queue-backlog', source: 'bullmq', figures: { neverRun: jobs[i], runTwice: 1, workersExited: 0 } },
      { workload: 'lock', source: 'redsync', figures: { doubleHolds: 0 } },
      { workload: 'lock', source: 'redsync-best', figures: { doubleHolds: 0 } },
    ];
  planned.notMeasured = [
    { id: 'defaults-java', reason: 'Redisson: It is not built. Run `sentinel-bench drivers build java`.' },
  ];
  const { tables = {}, notMeasured } = pageData(failureResultOf([planned]));
  assert.deepEqual(tables.libraries.rows, [
    ['two holders', 'Redsync', '0/3'],
    ['job never run', 'BullMQ', '2/6'],
    ['job run twice', 'BullMQ', '6/6'],
  ]);
  assert.deepEqual(notMeasured, ['Redisson: It is not built. Run `sentinel-bench drivers build java`.']);
});

test('what a checker finds where nothing fails makes the check fail', () => {
  assert.ok(nothingFound(benchmarkOf('workloads-healthy', { async: [0] })).ok);
  const { ok, detail } = nothingFound(benchmarkOf('workloads-healthy', { async: [0, 2] }));
  assert.deepEqual([ok, detail], [false, 'async, lock.mixed: one lock, two holders 0, 2']);
});
