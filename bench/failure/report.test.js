import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDetails } from '../../src/report/details.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { failoverChecks } from '../experiments/checks.js';
import { EMPTY } from '../experiments/stale-replica-preferred.js';
import { ResultSchema } from '../index.js';
import { PUBLISHED } from '../pages/published.js';
import { APART } from '../pages/published-costs.js';
import failure from './index.js';

/**
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 */

/** @param {...BenchmarkResult} benchmarks */
function rendered(...benchmarks) {
  const result = failureResultOf(benchmarks);
  ResultSchema.parse(result);
  const [page, details] = [renderFrontPage, renderDetails].map((render) => render(result, [failure], NAMED_FIGURES));
  for (const text of [page, details]) assert.doesNotMatch(text, /undefined|NaN|\[object|Infinity|null/);
  return { page, details };
}

/**
 * @param {string} report
 * @param {string} heading
 * @returns {string[]} lines without padding
 */
function section(report, heading) {
  const [, text] = report.split(`\n${heading}\n`);
  assert.ok(text !== undefined, `no ${heading} in\n${report}`);
  return text.split(/\n#+ /)[0].trim().replaceAll(/ +/g, ' ').split('\n');
}

/** @param {string[]} lines */
function rowsOf(lines) {
  return lines.filter((line) => line.startsWith('|') && !line.startsWith('| :'));
}

/** @type {Readonly<Record<string, Partial<BenchmarkResult['cases'][0]['params']>>>} modes with an append-only file */
const WITH_FILE = {
  aof: { wait: 0, settings: { appendonly: 'yes', appendfsync: 'everysec' } },
  'wait1-min1-aof': {
    wait: 1,
    settings: { 'min-replicas-to-write': '1', appendonly: 'yes', appendfsync: 'everysec' },
  },
  'wait2-min2-aof-always': {
    wait: 2,
    settings: { 'min-replicas-to-write': '2', appendonly: 'yes', appendfsync: 'always' },
  },
};
const FIVE_FAULTS = [
  'primary-killed',
  'primary-paused',
  'primary-partition',
  'primary-machine-lost',
  'planned-failover',
];

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
      audits: [auditOf(mode, { ackedLost, unavailableMs: mode.startsWith('wait2') ? 3500 : 1200 })],
      trials: [trialOf(mode, { goneSteps: mode.startsWith('wait2') ? 35 : 12 })],
    })),
  );
  for (const { params } of benchmark.cases) Object.assign(params, WITH_FILE[params.mode ?? '']);
  return benchmark;
}

/** @param {string} page */
const answerOf = (page) => `- ${page.split('\n\n- ')[1]}`.split('\n\n')[0].split('\n');

test('a mode with a file is chosen among those that went through the same faults', () => {
  const { page } = rendered(
    ...FIVE_FAULTS.map((name) =>
      inFault(name, {
        async: 900,
        wait2: 0,
        'wait1-min1-aof': name === 'planned-failover' ? 50 : 0,
        'wait2-min2-aof-always': 0,
      }),
    ),
    // Tried in one fault only, so it is not compared.
    inFault('primary-stopped', { aof: 0 }),
  );
  const { cost, p99 } = PUBLISHED['WAIT 2 + min-replicas 2 + AOF always'];
  const apart = APART.modes['WAIT 2 + min-replicas 2 + AOF always'];
  assert.deepEqual(answerOf(page), [
    '- Use WAIT 2 + min-replicas 2 + AOF always if writes may stop while any node is away. It lost 0 of 50,000 acknowledged writes in 5 faults (1 trial each). Conditions: 64 B, 1 connection, pipeline depth 1, loopback.',
    '- Its price: all writes stop while any node is away, also after a failover, until it is back. The outage after a kill (3.50 s) ended only with our restart.',
    '- To paste: “What to do” has the settings, with an undo, and a client that checks each WAIT. A write without a WAIT of its own stays async.',
    '- How sure: 1 trial without a loss is few. Each time one of these faults happens, the risk of a loss may still be 95% (95% confidence).',
    '- Not covered: power loss; an empty replica with priority; network delay; client libraries and the client to paste in this mode.',
  ]);
  const cells = (page.match(/^\| WAIT 2 \+ min-replicas 2 \+ AOF always .*refused.*$/m)?.[0] ?? '').split('|');
  assert.deepEqual(
    cells.slice(2, 7).map((cell) => cell.trim()),
    ['0 of 5', '0', 'every write is refused', `${cost}; 1 ms apart ${apart.cost}`, `${p99}; 1 ms apart ${apart.p99}`],
  );
  assert.match(page, /WAIT 2 \+ min-replicas 2 \+ AOF always was not tried in: graceful stop\. /);
  assert.match(page, /\| WAIT 2 \+ min-replicas 2 \+ AOF always +\| +3\.50 s § /);
  assert.match(page, /§: it ended only after we had ended the fault/);
  assert.match(
    page,
    /^npx sentinel-bench configure --sentinel SENTINEL-HOST:26379 .*\n {2}--set min-replicas-to-write=2 .*--set appendfsync=always/m,
  );
  assert.match(page, /confirmedSet\(key, value, \{ replicas: 2, timeoutMs: 1000 \}\)/);
});

test('a mode that lost somewhere is not recommended, and one without a file never', () => {
  const lossy = rendered(
    ...FIVE_FAULTS.map((name) =>
      inFault(name, { wait2: 0, aof: 70, 'wait1-min1-aof': name === 'primary-paused' ? 8 : 0 }),
    ),
  ).page;
  assert.match(
    lossy,
    /^- No mode kept every write\. WAIT 1 \+ min-replicas 1 \+ AOF everysec lost in the fewest faults: 1 of 5 faults \(1 trial each\), at most 8 acknowledged writes \(8\.00 ms, primary frozen\)\./m,
  );
  assert.match(lossy, /\| AOF everysec +\| +5 of 5 \|/);
  const plain = rendered(...FIVE_FAULTS.map((name) => inFault(name, { async: 900, wait2: 0 }))).page;
  assert.doesNotMatch(plain, /- Use |lost in the fewest|sentinel-bench configure/);
});

test('a fault that takes everything from every mode is no loss of the mode to use, and has a line of its own', () => {
  const emptied = failureBenchmarkOf(
    'stale-replica-preferred',
    ['aof', 'wait2-min2-aof-always'].map((mode) => ({
      mode,
      audits: [auditOf(mode, { ackedLost: 1000 })],
      trials: [trialOf(mode, { events: trialOf(mode).events.filter(({ kind }) => kind !== 'promoted') })],
    })),
  );
  for (const { params } of emptied.cases) Object.assign(params, WITH_FILE[params.mode ?? ''], { setting: EMPTY });
  const faults = FIVE_FAULTS.map((name) => inFault(name, { aof: 70, 'wait2-min2-aof-always': 0 }));
  const { page } = rendered(...faults, emptied);
  assert.match(
    page,
    /^- Use WAIT 2 \+ min-replicas 2 \+ AOF always .*\. It lost 0 of 50,000 acknowledged writes in 5 of 6 faults \(1 trial\)/m,
  );
  assert.match(page, /^- In empty replica preferred each mode tried lost everything: keep `replica-priority` /m);
  assert.match(page, /lost in 5 of 5 faults/);
  assert.match(page, /\| empty replica preferred +\| +ALL/);
  for (const { audit } of [emptied]) for (const each of audit ?? []) each.ackedLost = 3;
  assert.doesNotMatch(rendered(...faults, emptied).page, /each mode tried lost everything/);
});

test('writes that were refused for another reason than the fault: no outage of a failover, and the kinds of errors', () => {
  const audits = [
    auditOf('async', { rejected: 50_000, rejectedBefore: 9000, errors: { OOM: 50_000 }, unavailableMs: null }),
  ];
  const { page } = rendered(
    failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials: [trialOf('async')] }]),
  );
  assert.match(page, /Outage after a kill: not measured, because writes were refused for another reason \(OOM\)\./);
  const outage = section(page, '## Outage');
  assert.deepEqual(rowsOf(outage), ['| mode | primary killed |', '| async | to the end ‡ |']);
  assert.match(outage.join(' '), /‡: writes were refused for another reason than the fault, .*\(OOM\)/);
});

test('a primary that a supervisor restarted: its losses count, and the page says so', () => {
  const all = trialOf('async').events;
  const [begun, undone] = [all[0], all[all.length - 1]];
  const events = [begun, { ...undone, kind: /** @type {const} */ ('restarted'), node: 'redis-1' }, undone];
  const audits = [auditOf('wait2', { ackedLost: 9950 })];
  const benchmark = failureBenchmarkOf('primary-killed', [
    { mode: 'wait2', audits, trials: [trialOf('wait2', { events })] },
  ]);
  const { page } = rendered(benchmark);
  assert.match(
    page,
    /primary killed: in 1 of 1 trial a supervisor restarted the primary before a replica was promoted\. They count\./,
  );
  assert.match(page, /\| WAIT 2 +\| +ALL \|/);
  const failed = failoverChecks(benchmark).filter(({ ok }) => !ok);
  assert.deepEqual(failed, [], 'no promotion is expected, and WAIT promises nothing about a restart');
});

test('several trials: the worst one, and how many had a loss', () => {
  const audits = [0, 12, 3].map((ackedLost, round) => auditOf('async', { round: round + 1, ackedLost }));
  const { page } = rendered(
    failureBenchmarkOf('primary-partition', [{ mode: 'async', audits, trials: [trialOf('async')] }]),
  );
  const [, row] = rowsOf(section(page, '## Acknowledged writes lost'));
  assert.equal(row, '| async | 12 (12.0 ms), 2/3 |');
});
