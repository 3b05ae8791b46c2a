import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDetails } from '../../src/report/details.js';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { shortAnswer } from '../../src/report/terminal.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { RESTARTED } from '../../src/report/trials/timeline.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import { APART } from '../main/published.js';
import { PUBLISHED } from '../sweep/published.js';
import { failoverChecks } from './checks.js';
import failure from './index.js';
import { failurePage } from './report.js';
import { EMPTY } from './stale-replica.js';

/**
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 */

/** The sample has fewer (src/report/budget.test.js): here every mode and scenario is added. */
const LINES = 168;
const BYTES = 23_040;
const FINDING = 160;

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

const KILLED = failureBenchmarkOf('primary-killed', [
  {
    mode: 'async',
    audits: [
      auditOf('async', { acked: 32_697, ackedLost: 20 }),
      auditOf('async', { writer: 'failover-aware', acked: 31_004, unavailableMs: 982 }),
    ],
    trials: [trialOf('async', { windows: { detectionMs: 600, failoverMs: 500, splitBrainMs: 12_100, recoveryMs: 1 } })],
  },
  {
    mode: 'min1',
    audits: [
      auditOf('min1', { acked: 0, rejected: 300, unsent: 5, unavailableMs: null, errors: { NOREPLICAS: 300 } }),
      auditOf('min1', { writer: 'failover-aware', acked: 9700, rejected: 300 }),
    ],
  },
]);

const LIBRARIES = failureBenchmarkOf('planned-failover', [
  {
    id: 'async-redis',
    mode: 'async',
    client: 'redis',
    audits: [auditOf('async-redis', { writer: 'redis', acked: 1800, appliedTwice: 3, unknown: 4 })],
  },
  {
    id: 'wait1-ioredis',
    mode: 'wait1',
    client: 'ioredis',
    audits: [
      auditOf('wait1-ioredis', {
        writer: 'ioredis',
        acked: 1800,
        ackedLost: 9,
        appliedTwice: 0,
        falseAcks: 12,
        falseAcksLost: 2,
        unavailableMs: null,
      }),
    ],
    trials: [
      trialOf('wait1-ioredis', {
        names: ['ioredis'],
        reads: { reads: 500, stale: 5, failed: 100, longestMs: 1.5 },
      }),
    ],
  },
]);
const ALL = '## All losses and outages';

test('the front page: the losses, then the outage; no section repeats them', () => {
  const { page } = rendered(KILLED, LIBRARIES);
  const headings = page.split('\n').filter((line) => line.startsWith('#'));
  assert.deepEqual(headings, [
    '# sentinel-bench: failure',
    '## Acknowledged writes lost',
    '## Outage',
    '## What to do',
    '## Limits',
  ]);
  const lost = rowsOf(section(page, '## Acknowledged writes lost'));
  assert.deepEqual(lost, [
    '| mode | primary killed |',
    '| async | 20 (20.0 ms) |',
    '| min-replicas 1 | 0 |',
    '| scenario, mode | node-redis | ioredis |',
    '| SENTINEL FAILOVER, WAIT 1 | – | 9 (9.00 ms) ‡ |',
  ]);
  assert.deepEqual(rowsOf(section(page, '## Outage')), [
    '| mode | primary killed |',
    '| async | 1.20 s † |',
    '| min-replicas 1 | to the end |',
  ]);
});

test('a run of few faults names no mode: the loss, the outage, and what to paste', () => {
  const { page } = rendered(KILLED, LIBRARIES);
  const [, answer] = page.split('\n\n- ');
  assert.deepEqual(`- ${answer}`.split('\n\n')[0].split('\n'), [
    '- Outage after a kill: 1.20 s or to the end. Conditions: 64 B, 1 connection, pipeline depth 1, loopback.',
    '- Lost: async 20 acknowledged writes (20.0 ms, primary killed).',
    '- The figures above are of the tool’s own client. Libraries and the clients of `examples/` were tried with async and WAIT 1 only (below).',
    '- Clients: a write without a WAIT of its own stays async. Copy a client of `examples/`, and set timeouts: a lost machine closes no connection.',
    '- Clients as they come: `ioredis` had false acknowledgements (WAIT on another connection). `ioredis` lost up to 9 (9.00 ms, SENTINEL FAILOVER).',
    '- This run recommends no mode: it tried fewer than 5 faults with an append-only file, or lost nothing. `--profile standard` tries more.',
  ]);
  assert.match(page, /`ioredis` lost up to 9 \(9\.00 ms, SENTINEL FAILOVER, WAIT 1\); 1 trial each\./);
});

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
      trials: [trialOf(mode, { marks: trialOf(mode).marks.filter(({ what }) => what !== '+switch-master') })],
    })),
  );
  for (const { params } of emptied.cases) Object.assign(params, WITH_FILE[params.mode ?? ''], { variant: EMPTY });
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

test('a fast restart: modes that lost everything say so, in the answer and in the table', () => {
  const mode = (/** @type {string} */ name, /** @type {number} */ ackedLost) => ({
    mode: name,
    audits: [auditOf(name, { ackedLost })],
    trials: [trialOf(name, { marks: trialOf(name).marks.filter(({ what }) => what !== '+switch-master') })],
  });
  // The trial of the fixture has ten steps of 100 writes.
  const before = 1000;
  const { page } = rendered(
    failureBenchmarkOf('primary-restarted-empty', [
      mode('async', before),
      mode('wait2', before),
      mode('aof-always', 3),
    ]),
  );
  assert.match(
    page,
    /Lost ALL, the whole data set, in fast restart: async, WAIT 2\. .*\n- Lost in other faults: aof-always 3 acknowledged writes \(3\.00 ms, fast restart\)\./,
  );
  assert.match(page, /\| async +\| +ALL /);
  assert.match(page, /\| aof-always +\| +3 /);
  assert.match(page, /ALL: everything that was acknowledged before the fault\./);
});

test('a machine that is lost: both pages say who closes the connections, and advise a timeout', () => {
  const audits = [auditOf('async', { unavailableMs: null })];
  const result = failureResultOf([failureBenchmarkOf('primary-machine-lost', [{ mode: 'async', audits }])]);
  const pageOn = (/** @type {Result['stack']['path']} */ path) =>
    renderFrontPage({ ...result, stack: { ...result.stack, path } }, [failure], NAMED_FIGURES);
  const [local, docker] = [pageOn('loopback'), pageOn('container address')];
  assert.match(local, /Machine lost: here the kernel still closes the connections/);
  assert.match(docker, /Machine lost: nothing closes its connections here/);
  for (const page of [local, docker]) assert.match(page, /set one, such as `socketTimeout: 3000`/);
});

test('an outage to the end of the load: the page says why, and with which mode if that differs', () => {
  const endless = (/** @type {string} */ mode, /** @type {Partial<TrialResult['writers'][number]>} */ seen) => {
    const [writer] = trialOf(mode, { names: ['sticky'] }).writers;
    const acked = writer.acked.map((each, step) => (step < 10 ? each : 0));
    const trials = [trialOf(mode, { writers: [{ ...writer, acked, ...seen }] })];
    return { mode, audits: [auditOf(mode, { unavailableMs: null })], trials };
  };
  const refused = { rejected: Array.from({ length: 50 }, (_, step) => (step < 10 ? 0 : 5)) };
  const noteOf = (/** @type {ReturnType<typeof endless>[]} */ ...modes) =>
    section(rendered(failureBenchmarkOf('primary-partition', modes)).page, '## Outage').find((line) =>
      line.includes('“to the end”'),
    );
  const few = 'too few replicas were left or in sync for the mode';
  const silent = 'nothing told a client that its connection was dead';
  assert.equal(
    noteOf(endless('min1', refused)),
    `- “to the end”: until the load ended, because ${few} (network partition).`,
  );
  assert.equal(
    noteOf(endless('async', {})),
    `- “to the end”: until the load ended, because ${silent} (network partition).`,
  );
  assert.equal(
    noteOf(endless('min1', refused), endless('async', {})),
    `- “to the end”: until the load ended, because ${few} (network partition with min-replicas 1), or ${silent} (network partition with async).`,
  );
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
  const [begun, , , , , , , undone] = trialOf('async').marks;
  const marks = [begun, { ...undone, what: RESTARTED, detail: 'redis-1' }, undone];
  const audits = [auditOf('wait2', { ackedLost: 9950 })];
  const benchmark = failureBenchmarkOf('primary-killed', [
    { mode: 'wait2', audits, trials: [trialOf('wait2', { marks })] },
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

/**
 * @param {string} mode
 * @param {readonly number[]} losses of each trial
 */
function trialsLosing(mode, losses) {
  const audits = losses.map((ackedLost, i) =>
    auditOf(mode, { round: i + 1, acked: 20_000, ackedLost, unavailableMs: 1000 + i }),
  );
  return { mode, audits, trials: losses.map((_, i) => trialOf(mode, { round: i + 1 })) };
}

test('many trials: a map with exact intervals, the median and the worst loss', () => {
  const benchmark = failureBenchmarkOf('primary-partition', [
    trialsLosing('async', [14_000, 12_000, 13_000, 0, 13_500, 12_500]),
    trialsLosing('wait1', [0, 0, 0, 0, 0, 0]),
  ]);
  const { page, details } = rendered(benchmark);
  const [note, ...lines] = section(page, '## Acknowledged writes lost');
  assert.match(note, /^Trials with a loss\/trials \(exact 95% interval of the risk; .* 6 trials a cell\.$/);
  assert.deepEqual(rowsOf(lines).slice(1), ['| async | 5/6 (36–99.6%); 12.8 s, 14.0 s |', '| WAIT 1 | 0/6 (≤39%) |']);
  assert.deepEqual(rowsOf(section(page, '## Outage')).slice(1), [
    '| async | 1.00 s, 1.00 s † |',
    '| WAIT 1 | 1.00 s, 1.00 s |',
  ]);
  const risks = rowsOf(section(details, '## Losses and outages over the trials'));
  assert.match(
    risks[1],
    /^\| network partition \| async \| sticky \| 5\/6 \(.*\) \| 12,750 \| 14,000 \| 12\.8 s \| 14\.0 s \|/,
  );
});

test('one trial: no table of frequencies, and no bound is claimed', () => {
  const { page, details } = rendered(KILLED);
  assert.doesNotMatch(page, /interval|\d\/1\b/);
  assert.doesNotMatch(details, /over the trials/);
});

test('trials with a machine that was too busy are counted', () => {
  const calm = { unsent: 0, stallMs: 12, lateMs: 30 };
  const pageOf = (/** @type {NonNullable<TrialResult['pace']>[]} */ paces) => {
    const trials = paces.map((pace, i) => trialOf('async', { round: i + 1, pace }));
    const audits = trials.map(({ round }) => auditOf('async', { round }));
    return rendered(failureBenchmarkOf('primary-partition', [{ mode: 'async', audits, trials }])).page;
  };
  const few = pageOf([{ ...calm, unsent: 3 }, ...Array.from({ length: 19 }, () => calm)]);
  assert.match(
    section(few, '## Limits').join('\n'),
    /The machine was too busy in 1 of 20 trials: .* Use fewer `--lanes`\./,
  );
  const often = pageOf([calm, { ...calm, lateMs: 251 }, { ...calm, stallMs: 300 }]);
  assert.match(often.split('##')[0], /The machine was too busy in 2 of 3 trials: /, 'beside the answer');
  assert.doesNotMatch(section(often, '## Limits').join('\n'), /too busy/);
  assert.doesNotMatch(pageOf([calm, calm]), /too busy/);
});

test('the runbook is shown when pausing writes lost nothing', () => {
  const planned = (/** @type {number} */ ackedLost) =>
    rendered(
      failureBenchmarkOf('planned-failover', [
        { mode: 'async', audits: [auditOf('async', { ackedLost: 100 })] },
        { id: 'async-by-hand', mode: 'async', variant: 'by-hand', audits: [auditOf('async-by-hand', { ackedLost })] },
      ]),
    ).page;
  assert.match(
    planned(0),
    /With async it lost 0 of 10,000 acknowledged writes \(1 trial\):\n\n```sh\n# .*\nexamples\/planned-failover\.sh --sentinel/,
  );
  assert.doesNotMatch(planned(1), /planned-failover\.sh/);
  const modes = (/** @type {number} */ ackedLost) =>
    rendered(
      failureBenchmarkOf(
        'planned-failover',
        ['async', 'wait1'].map((mode, i) => {
          const id = `${mode}-by-hand`;
          return { id, mode, variant: 'by-hand', audits: [auditOf(id, { ackedLost: i * ackedLost })] };
        }),
      ),
    ).page;
  assert.match(modes(0), /With each of 2 modes it lost 0 of 20,000 acknowledged writes/);
  assert.doesNotMatch(modes(1), /planned-failover\.sh/, 'it lost a write in one mode');
});

test('so is the coordinated failover that lost nothing', () => {
  const planned = (/** @type {number} */ ackedLost) => {
    const id = 'async-coordinated';
    const audits = [auditOf(id, { ackedLost })];
    return rendered(failureBenchmarkOf('planned-failover', [{ id, mode: 'async', variant: 'coordinated', audits }]))
      .page;
  };
  assert.match(planned(0), /which lost 0 of 10,000 .*\n\n```sh\n# .*\n.* SENTINEL FAILOVER mymaster COORDINATED\n/);
  assert.doesNotMatch(planned(1), /COORDINATED/);
});

test('n trials without a loss bound its risk', () => {
  assert.deepEqual(
    [1, 7, 300].map((trials) => riskBound(trials).toFixed(2)),
    ['0.95', '0.35', '0.01'],
  );
});

test('the page of a whole run stays within its budget, with every scenario and mode too', async () => {
  const sample = await readResult('results/sample/failure', ResultSchema);
  const whole = withEverything(sample);
  for (const result of [sample, whole]) {
    const page = renderFrontPage(result, [failure], NAMED_FIGURES);
    // A chart is one line here and six in report.md.
    const lines = page.trimEnd().split('\n').length + 5;
    assert.ok(lines <= LINES, `${lines} lines`);
    assert.ok(Buffer.byteLength(page) <= BYTES, `${Buffer.byteLength(page)} bytes`);
    for (const line of failurePage(result).answer) assert.ok(line.length <= FINDING, line);
    for (const line of page.split('\n').filter((each) => each.startsWith('|')))
      assert.ok(line.split('|').length <= 8, line);
  }
  for (const { findings } of whole.benchmarks) for (const { text } of findings) assert.ok(text.length <= FINDING, text);
});

/**
 * @param {Result} sample
 * @returns {Result} with the scenarios and the mode that the sample lacks, and findings as computed today
 */
function withEverything(sample) {
  const partitioned = sample.benchmarks.find(({ name }) => name === 'primary-partition');
  assert.ok(partitioned);
  const benchmarks = sample.benchmarks.map((each) =>
    each.cases.length === 0 ? { ...partitioned, name: each.name } : each,
  );
  return {
    ...sample,
    benchmarks: benchmarks.map((benchmark) => {
      const [one] = benchmark.cases;
      const params = { ...one.params, wait: 1, waitLocal: /** @type {const} */ (1), mode: 'waitaof' };
      const more = {
        ...benchmark,
        cases: [...benchmark.cases, { ...one, id: 'waitaof', params }],
        audit: [...(benchmark.audit ?? []), auditOf('waitaof', { ackedLost: 5 })],
      };
      const definition = failure.benchmarks.find(({ name }) => name === benchmark.name);
      return { ...more, findings: definition?.findings(more, {}) ?? [] };
    }),
  };
}

test('the whole table: zeros, shares, and what was not measured', () => {
  const rows = rowsOf(section(rendered(KILLED).details, ALL));
  assert.deepEqual(rows, [
    '| scenario | mode | lost, sticky | lost, failover-aware | unavailable, sticky | unavailable, failover-aware | split brain | refused, sticky | refused, failover-aware |',
    '| primary killed | async | 20 (0.061%) | 0 of 31,004 | 1.20 s | 982 ms | 12.1 s | 0 | 0 |',
    '| | min-replicas 1 | – | 0 of 9,700 | to the end | 1.20 s | – | 300 (100%) | 300 (3.0%) |',
  ]);
});

test('a scenario without figures is named', () => {
  const skipped = { ...failureBenchmarkOf('primary-partition', []), audit: undefined, timeline: undefined };
  const { details } = rendered(
    KILLED,
    { ...skipped, status: 'skipped', reason: 'This backend cannot partition the network.' },
    { ...failureBenchmarkOf('primary-paused', []), status: 'failed', reason: 'It did not converge.' },
  );
  assert.ok(section(details, ALL).includes('Not measured: network partition (skipped), primary frozen (failed).'));
});

test('links have a column when there are several, a variant belongs to the scenario', () => {
  const benchmark = failureBenchmarkOf('primary-killed', [
    { id: 'a', mode: 'async', variant: 'paused | first', audits: [auditOf('a')] },
    { id: 'b', mode: 'async', audits: [auditOf('b')], trials: [trialOf('b', { linkMs: 5.1 })] },
  ]);
  benchmark.cases[1].params.linkLatencyMs = 5;
  const lines = section(rendered(benchmark).details, ALL);
  const [header, first, second] = rowsOf(lines);
  assert.match(header, /^\| scenario \| mode \| link \| lost, sticky \|/);
  assert.match(first, /^\| primary killed, paused \\\| first \| async \| 0 \| 0 of 10,000 \|/);
  assert.match(second, /^\| primary killed \| async \| 5\.00 ms \| 0 of 10,000 \|/);
  assert.ok(
    lines.includes(
      '- link: added to each round trip between nodes. A round trip between nodes took 5.10 ms before the faults (median of 1 trial).',
    ),
  );
});

test('several trials in the whole table: sums, medians and ranges', () => {
  const audits = [0, 12, 3].map((ackedLost, i) =>
    auditOf('async', { round: i + 1, ackedLost, unavailableMs: i === 2 ? null : 1000 + i }),
  );
  const trials = [1, 2, 3].map((round) => trialOf('async', { round }));
  const { details } = rendered(failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials }]));
  const [, row] = rowsOf(section(details, ALL));
  assert.match(
    row,
    /\| 15 \(0\.050%; 0–12 a trial\) \| – \| 1\.00 s \(1 of 3 trials to the end\) \| – \| 0 \| 0 \| – \|$/,
  );
});

test('the Sentinel clients of the libraries have a table of their own', () => {
  const { details } = rendered(KILLED, LIBRARIES);
  assert.equal(rowsOf(section(details, ALL)).length, 3, 'the libraries are not in the first table');
  assert.deepEqual(rowsOf(section(details, '### Sentinel clients of the libraries')), [
    '| scenario | mode | library | acked | lost | false acks | false acks lost | applied twice | unknown | unsent | unavailable | stale reads |',
    '| SENTINEL FAILOVER | async | node-redis | 1,800 | 0 of 1,800 | – | – | 3 | 4 | 0 | 1.20 s | – |',
    '| | WAIT 1 | ioredis | 1,800 | 9 (0.50%) | 12 | 2 | 0 | 0 | 0 | to the end | 5 (1.3%) |',
  ]);
  assert.ok(details.includes('\n#### SENTINEL FAILOVER: WAIT 1, ioredis\n'));
});

test('the terminal shows the first table, narrower', () => {
  const lines = shortAnswer(failureResultOf([KILLED]), [failure])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    .replaceAll(/\u001b\[\d+m/g, '')
    .split('\n');
  assert.deepEqual(lines.slice(0, 8), [
    'Acknowledged writes lost, longest time without an acknowledgement, writes refused',
    '  mode                   lost         lost  unavailable  unavailable  split brain     refused     refused',
    '                       sticky        aware       sticky        aware                   sticky       aware',
    'primary killed',
    '  async           20 (0.061%)  0 of 31,004       1.20 s       982 ms       12.1 s           0           0',
    '  min-replicas 1            –   0 of 9,700   to the end       1.20 s            –  300 (100%)  300 (3.0%)',
    '',
    'sticky: keeps its connections until an error; aware: failover-aware, moves at +switch-master.',
  ]);
  assert.ok(!shortAnswer(resultOf(), [failure]).includes('Acknowledged'));
});

test('on a terminal a variant is a scenario of its own', () => {
  const cases = ['one gone', 'two gone'].flatMap((variant) =>
    ['async', 'wait1'].map((mode) => ({
      id: `${mode}-${variant}`,
      mode,
      variant,
      audits: [auditOf(`${mode}-${variant}`)],
    })),
  );
  const benchmark = failureBenchmarkOf('sentinels-lost', cases);
  for (const one of benchmark.cases) one.params.settings = { 'min-replicas-to-write': '1' };
  const lines = shortAnswer(failureResultOf([benchmark]), [failure])
    .split('\n')
    .slice(3, 9);
  assert.deepEqual(
    lines.map((line) => line.replace(/(\S) {2}.*/, '$1')),
    [
      'one gone',
      '  min-replicas 1',
      '  WAIT 1 + min-replicas 1',
      'two gone',
      '  min-replicas 1',
      '  WAIT 1 + min-replicas 1',
    ],
  );
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 120);
});

test('a planned failover: the ways that lost nothing come first', () => {
  const of = (/** @type {string} */ mode, /** @type {string | undefined} */ variant, ackedLost = 0) => {
    const id = `${mode}-${variant}`;
    return { id, mode, variant, audits: [auditOf(id, { ackedLost })] };
  };
  const tried = (scriptLost = 0) =>
    failureBenchmarkOf('planned-failover', [
      of('async', undefined, 900),
      of('wait2', undefined),
      of('async', 'by-hand', scriptLost),
      of('wait2', 'by-hand'),
      of('async', 'coordinated'),
    ]);
  const { page } = rendered(tried());
  assert.match(
    page,
    /^- Plan a failover by runbook or a coordinated failover: 0 of 30,000 acknowledged writes lost with 2 modes \(1 trial each\)\. A bare `SENTINEL FAILOVER` lost some with 1 of 2 modes\./m,
  );
  assert.doesNotMatch(page, /recommends no mode/);
  assert.match(rendered(tried(1)).page, /^- Plan a coordinated failover: 0 of 10,000 /m);
});
