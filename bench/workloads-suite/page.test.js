import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundOf } from '../../src/report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { cellsOf } from '../../src/table.js';
import { harmDetails, nothingFound } from './findings.js';
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
      workloads: /** @type {{workload: string, source: string, figures: Record<string, number>}[]} */ ([
        { workload: 'lock', source: 'mixed', figures: { doubleHolds: holds, medianMs: 0.5 } },
        { workload: 'lock', source: 'aware', figures: { doubleHolds: 0, medianMs: 0.9 } },
        {
          workload: 'counter',
          source: 'mixed',
          figures: { givenTwice: holds, medianMs: one.id === 'min1' ? 1.17 : 0.75 },
        },
      ]),
    }));
  return benchmark;
}

test('the page names each harm with its trials, and the cheapest setting without it with its price', () => {
  const result = failureResultOf([
    benchmarkOf('workloads-healthy', { defaults: [0], min1: [0] }),
    benchmarkOf('workloads-planned', { defaults: [3, 0], min1: [0, 0] }),
    benchmarkOf('workloads-killed', { defaults: [0, 0], min1: [0, 0] }),
  ]);
  const { tables = {}, harmed, price, worse } = pageData(result);
  assert.deepEqual(cellsOf(tables.harms), [
    ['one lock, two holders', '1 of 2', 'none'],
    ['the same number issued twice', '1 of 2', 'none'],
  ]);
  assert.deepEqual(
    cellsOf(tables.remedies).map((row) => row.slice(0, 2)),
    [
      ['one lock, two holders', 'all move'],
      ['the same number issued twice', 'min-replicas 1: 1.17 ms'],
    ],
  );
  assert.match(cellsOf(tables.remedies)[0][2], /^0 of [1-9]/);
  assert.deepEqual([price, worse], ['0.75 ms', []]);
  assert.equal(/** @type {{fault: string}[]} */ (harmed)[0].fault, 'planned failover');
});

test('a harm that no setting prevented is in a line of its own', () => {
  const { tables = {}, hopeless } = pageData(failureResultOf([benchmarkOf('workloads-planned', { defaults: [3, 1] })]));
  assert.deepEqual(hopeless, ['the same number issued twice']);
  assert.deepEqual(
    cellsOf(tables.harms).map(([words]) => words),
    ['one lock, two holders'],
  );
});

test('a setting that does harm where the defaults did none is named', () => {
  const { worse } = pageData(failureResultOf([benchmarkOf('workloads-planned', { defaults: [0, 0], min1: [0, 79] })]));
  const faults = [{ title: 'planned failover', worst: 79 }];
  assert.deepEqual(worse, [
    { words: 'one lock, two holders', faults },
    { words: 'the same number issued twice', faults },
  ]);
});

test('details have each harm in each trial', () => {
  const [table] = harmDetails(benchmarkOf('workloads-planned', { defaults: [3, 0], min1: [0, 0] }));
  assert.deepEqual(cellsOf(table)[0], [
    'one lock, two holders',
    'held on, lease 6 s',
    'half of the clients stay',
    '3, 0',
    '0',
  ]);
  assert.equal(table.rows.length, 2);
});

test('the page has a row for each library that ran, and names those that could not, or were not there yet', () => {
  const planned = benchmarkOf('workloads-planned-libraries', { defaults: [0, 0, 0] });
  const jobs = [558, 0, 3];
  for (const [i, round] of planned.cases[0].rounds.entries())
    round.workloads = [
      { workload: 'queue', source: 'bullmq', figures: { neverRun: 0, runTwice: 1, idsReused: 1, workersExited: 0 } },
      { workload: 'queue-backlog', source: 'bullmq', figures: { neverRun: jobs[i], runTwice: 1, workersExited: 0 } },
      { workload: 'queue', source: 'bullmq-best', figures: { neverRun: 0, runTwice: 1, idsReused: 0 } },
      { workload: 'lock', source: 'redsync', figures: { doubleHolds: 0 } },
      { workload: 'lock', source: 'redsync-best', figures: { doubleHolds: 0 } },
    ];
  planned.notMeasured = [
    { id: 'defaults-java', reason: 'Redisson RLock: It is not built. Run `sentinel-bench drivers build java`.' },
  ];
  const { tables = {}, also, notMeasured, notInRun } = pageData(failureResultOf([planned]));
  assert.deepEqual(tables.libraries.rows, [
    ['two holders', 'Redsync', 'none', 'none'],
    ['job never run', 'BullMQ', '2 of 6', 'none'],
  ]);
  assert.deepEqual(also, [
    { words: 'a job run twice', libraries: ['BullMQ'] },
    { words: 'one id for two jobs', libraries: ['BullMQ, not best'] },
  ]);
  assert.deepEqual(notMeasured, ['Redisson RLock: It is not built. Run `sentinel-bench drivers build java`.']);
  const missing = /** @type {string[]} */ (notInRun);
  assert.ok(missing.includes('Sidekiq') && !missing.includes('Redisson RLock') && !missing.includes('BullMQ'));
});

test('what a checker finds where nothing fails makes the check fail', () => {
  assert.ok(nothingFound(benchmarkOf('workloads-healthy', { async: [0] })).ok);
  const { ok, detail } = nothingFound(benchmarkOf('workloads-healthy', { async: [0, 2] }));
  assert.equal(ok, false);
  assert.match(detail, /^async, lock\.mixed: one lock, two holders 0, 2;/);
});
