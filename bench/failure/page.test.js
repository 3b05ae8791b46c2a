import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING, FORMATS } from '../../src/report/charts/chart.js';
import { renderDetails } from '../../src/report/details.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { tablesIn } from '../../test/figures/shown.js';
import { ResultSchema } from '../index.js';
import { MODES } from '../modes.js';
import failure from './index.js';
import { pageData } from './page.js';

/** @import { BenchmarkResult } from '../../src/result/schema.js' */

/** @param {...BenchmarkResult} benchmarks */
function rendered(...benchmarks) {
  const result = failureResultOf(benchmarks);
  ResultSchema.parse(result);
  const [page, details] = [renderFrontPage, renderDetails].map((render) => render(result, [failure], NAMED_FIGURES));
  for (const text of [page, details]) assert.doesNotMatch(text, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

/** @param {string} page @param {string} heading */
function tableOf(page, heading) {
  return tablesIn(page).find((table) => table.heading === heading)?.rows;
}

const LOST = 'Confirmed writes lost';
const OUTAGE = 'How long writes stop';
const FIVE_FAULTS = [
  'primary-killed',
  'primary-paused',
  'primary-partition',
  'primary-machine-lost',
  'planned-failover',
];
const FILE = { appendonly: 'yes', appendfsync: 'always' };

/**
 * @param {string} name of the benchmark
 * @param {Record<string, number>} lost by mode
 */
function inFault(name, lost) {
  const benchmark = failureBenchmarkOf(
    name,
    Object.entries(lost).map(([mode, ackedLost]) => ({
      mode,
      // With WAIT 2 nothing is confirmed until the node is back.
      audits: [auditOf(mode, { ackedLost, unavailableMs: mode === 'wait2' ? 3500 : 1200 })],
      trials: [trialOf(mode, { goneSteps: mode === 'wait2' ? 35 : 12 })],
    })),
  );
  for (const { params } of benchmark.cases)
    Object.assign(params, { settings: FILE, wait: params.mode === 'wait2' ? 2 : 0 });
  return benchmark;
}

test('the safest mode lost in the fewest of the faults that all went through; an outage that we ended is no recovery', () => {
  const page = rendered(
    ...FIVE_FAULTS.map((name) => inFault(name, { async: 900, wait2: name === 'planned-failover' ? 50 : 0 })),
    // Tried in one fault only, so it is not compared.
    inFault('primary-stopped', { aof: 0 }),
  );
  assert.match(page, /^- \*\*WAIT 2 \+ AOF always\*\* lost in 1 of 5 faults, 50\.0 ms in \*SENTINEL FAILOVER\*\.$/m);
  assert.match(
    page,
    /^- After a kill writes stop for 1\.20 s or more, and with WAIT 2 \+ AOF always until the node is back\.$/m,
  );
  assert.match(String(tableOf(page, OUTAGE)?.find(([mode]) => mode.startsWith('WAIT 2'))), /until healed/);
  assert.match(page, /Until healed: the test ended the fault/);
});

test('one fault: each mode has a row; of several trials the worst, and how many lost', () => {
  const audits = [0, 12, 3].map((ackedLost, round) => auditOf('async', { round: round + 1, ackedLost }));
  const page = rendered(
    failureBenchmarkOf('primary-partition', [{ mode: 'async', audits, trials: [trialOf('async')] }]),
  );
  assert.deepEqual(tableOf(page, LOST), [['async', '12.0 ms, 2/3']]);
  assert.match(page, /^- Most was lost with async in \*network partition\*: 12\.0 ms of .*, in 2 of 3 trials\.$/m);
});

test('faults have a row with what happens, of all lengths the worst; what can be prevented is marked, and does not lead', () => {
  const modes = { aof: 5000, 'wait1-min1-aof': 0, 'wait2-min2-aof-always': 0 };
  /** @type {Record<string, number>} */
  const losses = { 'primary-paused': 20, 'planned-failover': 3000 };
  const faults = [
    'primary-killed',
    'primary-paused',
    'primary-machine-lost',
    'planned-failover',
    'primary-partition',
  ].map((name) => inFault(name, { ...modes, 'wait1-min1-aof': losses[name] ?? 0 }));
  const longer = inFault('primary-partition', { 'wait1-min1-aof': 2000 });
  for (const { params } of longer.cases) params.length = 'promoted';
  faults.push(longer);
  for (const { params } of faults.flatMap((fault) => fault.cases)) Object.assign(params, MODES[params.mode ?? '']);
  const page = rendered(...faults);
  const [, service] = tablesIn(page)[0].rows;
  assert.match(service.join(), /2\.00 s, network partition/);
  const [row, marked, ...others] = tableOf(page, 'What they do not protect from') ?? [];
  assert.deepEqual([marked[0], marked[3]], ['SENTINEL FAILOVER ¹', '3.00 s']);
  assert.match(page, /^Marked rows: without the advice \(¹ the failover script\)\./m);
  assert.deepEqual(row.slice(0, 5), [
    'network partition',
    'the primary is cut off from replicas and Sentinels, not from clients',
    ...['5.00 s', '2.00 s', '0'],
  ]);
  assert.deepEqual(others.map(([fault]) => fault).sort(), ['machine lost', 'primary killed']);
  assert.match(page, /Lost below a second with `WAIT`: primary frozen\./);
});

test('a loss of everything is ALL, comes first, and has a colour of its own', () => {
  const emptied = failureBenchmarkOf('primary-restarted-empty', [
    {
      mode: 'async',
      audits: [auditOf('async', { ackedLost: 1000 })],
      trials: [trialOf('async', { events: trialOf('async').events.filter(({ kind }) => kind !== 'promoted') })],
    },
    { mode: 'wait1', audits: [auditOf('wait1')] },
  ]);
  const partitioned = inFault('primary-partition', { async: 9000, wait1: 0 });
  for (const { params } of partitioned.cases) delete params.settings;
  assert.match(
    rendered(emptied, partitioned),
    /^- Most was lost with async in \*fast restart\*: everything, in 1 of 1 trial\.$/m,
  );
  const chart = pageData(failureResultOf([emptied, partitioned])).charts?.losses;
  assert.deepEqual(chart?.option.visualMap.pieces.at(-1), { gte: EVERYTHING, label: 'ALL', color: '$all' });
  assert.equal(FORMATS.loss(Number(chart?.rows[0][2])), 'ALL');
});

test('the page has both scenarios of the article; a run without a trial has a page, too', () => {
  const audits = [auditOf('min1', { rejected: 300, errors: { NOREPLICAS: 300 }, acceptedShare: 0.81 })];
  const page = rendered(failureBenchmarkOf('replicas-paused', [{ mode: 'min1', audits, trials: [trialOf('min1')] }]));
  const [theirs, ours] = tableOf(page, 'While replicas are away') ?? [];
  assert.deepEqual(theirs.slice(0, 3), ['the article: min-replicas 1', '81.19%', '120']);
  assert.deepEqual(ours.slice(1, 3), ['81%', '300']);
  assert.match(rendered(failureBenchmarkOf('primary-killed', [])), /^Nothing was measured\.$/m);
});
