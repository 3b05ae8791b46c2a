import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './failure-fixture.js';
import { NAMED_FIGURES, resultOf } from './fixture.js';
import { renderMarkdown } from './markdown.js';
import { ResultSchema } from './schema.js';
import { shortAnswer } from './short-answer.js';

/** @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult */

const METHOD = 'The primary gets SIGKILL.';

/** @param {...BenchmarkResult} benchmarks */
function rendered(...benchmarks) {
  const result = failureResultOf(benchmarks);
  ResultSchema.parse(result);
  const report = renderMarkdown(result, new Map([['primary-killed', { method: METHOD, table: [] }]]), NAMED_FIGURES);
  assert.doesNotMatch(report, /undefined|NaN|\[object|Infinity|null/);
  return report;
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
    level: 'async',
    audits: [
      auditOf('async', { acked: 32_697, ackedLost: 20 }),
      auditOf('async', { writer: 'follows', acked: 31_004, unavailableMs: 982 }),
    ],
    trials: [trialOf('async', { windows: { detectionMs: 600, failoverMs: 500, splitBrainMs: 12_100, recoveryMs: 1 } })],
  },
  {
    level: 'min1',
    audits: [
      auditOf('min1', { acked: 0, rejected: 300, unsent: 5, unavailableMs: null, errors: { NOREPLICAS: 300 } }),
      auditOf('min1', { writer: 'follows', acked: 9700, rejected: 300 }),
    ],
  },
]);

test('a report of failures begins with what was lost', () => {
  const report = rendered(KILLED);
  const headings = report.split('\n').filter((line) => line.startsWith('#'));
  assert.deepEqual(headings, [
    '# sentinel-bench: failure',
    '## In short',
    '## What was lost',
    '## primary-killed',
    '### What the writers were told',
    '### What the nodes hold after healing',
    '### Windows',
    '### Timelines',
    '#### primary-killed: async',
    '## How to read this',
    '## Environment',
    '### Configuration of the Redis nodes',
    '## Run again',
  ]);
});

test('the first table: what is 0, what is a share, and what was not measured', () => {
  const rows = rowsOf(section(rendered(KILLED), '## What was lost'));
  assert.deepEqual(rows, [
    '| scenario | level | lost, stays | lost, follows | unavailable, stays | unavailable, follows | split brain | refused, stays | refused, follows |',
    '| [primary-killed](#primary-killed) | async | 20 (0.061 %) | 0 of 31,004 | 1.20 s | 982 ms | 12.1 s | 0 | 0 |',
    '| | min-replicas 1 | – | 0 of 9,700 | to the end | 1.20 s | – | 300 (100 %) | 300 (3.0 %) |',
  ]);
});

test('several rounds: sums, medians and ranges', () => {
  const audits = [0, 12, 3].map((ackedLost, i) =>
    auditOf('async', { round: i + 1, ackedLost, unavailableMs: i === 2 ? null : 1000 + i }),
  );
  const trials = [1, 2, 3].map((round) => trialOf('async', { round }));
  const report = rendered(failureBenchmarkOf('primary-killed', [{ level: 'async', audits, trials }]));
  const [, row] = rowsOf(section(report, '## What was lost'));
  assert.match(
    row,
    /\| 15 \(0\.050 %; 0–12 a round\) \| – \| 1\.00 s \(1 of 3 rounds to the end\) \| – \| 0 \| 0 \| – \|$/,
  );
  assert.deepEqual(section(report, '#### primary-killed: async').slice(0, 1), [
    'Shown is the worst of 3 rounds, round 2: 12 acknowledged writes lost, at most 1.00 s without an acknowledgement.',
  ]);
  assert.ok(section(report, '### What the writers were told').some((line) => line.startsWith('Sums over 3 rounds.')));
});

test('a scenario without figures is named, not left out', () => {
  const skipped = { ...failureBenchmarkOf('primary-cut', []), audit: undefined, timeline: undefined };
  const report = rendered(
    KILLED,
    { ...skipped, status: 'skipped', reason: 'This backend cannot cut.' },
    { ...failureBenchmarkOf('primary-paused', []), status: 'failed', reason: 'It | did not converge.' },
  );
  const lost = section(report, '## What was lost');
  assert.ok(
    lost.includes('Not measured: [primary-cut](#primary-cut) (skipped), [primary-paused](#primary-paused) (failed).'),
  );
  assert.deepEqual(section(report, '## primary-paused'), [
    '*What is lost?*',
    '',
    '**Failed.** It \\| did not converge.',
  ]);
});

test('what failed after some of it was measured is marked in the table', () => {
  const [, row] = rowsOf(section(rendered({ ...KILLED, status: 'failed', reason: 'x' }), '## What was lost'));
  assert.match(row, /^\| \[primary-killed\]\(#primary-killed\) \(failed\) \| async \|/);
});

test('variants and links have a column when there are several', () => {
  const benchmark = failureBenchmarkOf('primary-killed', [
    { id: 'a', level: 'async', variant: 'paused | first', audits: [auditOf('a')] },
    { id: 'b', level: 'async', audits: [auditOf('b')], trials: [trialOf('b', { linkMs: 5.1 })] },
  ]);
  benchmark.cases[1].params.linkLatencyMs = 5;
  const lines = section(rendered(benchmark), '## What was lost');
  const [header, first, second] = rowsOf(lines);
  assert.match(header, /^\| scenario \| level \| variant \| link \| lost, stays \|/);
  assert.match(first, /\| async \| paused \\\| first \| 0 \| 0 of 10,000 \|/);
  assert.match(second, /\| async \| \| 5\.00 ms \| 0 of 10,000 \|/);
  assert.ok(
    lines.includes(
      '- link: added to each round trip between nodes. A round trip between nodes took 5.10 ms before the faults (median of 1 trial).',
    ),
  );
});

test('the Sentinel clients of the libraries have a table of their own', () => {
  const benchmark = failureBenchmarkOf('primary-killed', [
    { level: 'wait1', audits: [auditOf('wait1')] },
    {
      id: 'async-redis',
      level: 'async',
      client: 'redis',
      audits: [auditOf('async-redis', { writer: 'redis', acked: 1800, appliedTwice: 3, unknown: 4 })],
    },
    {
      id: 'wait1-ioredis',
      level: 'wait1',
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
  const report = rendered(benchmark);
  assert.equal(rowsOf(section(report, '## What was lost')).length, 2, 'the libraries are not in the first table');
  assert.deepEqual(rowsOf(section(report, '### With the Sentinel clients of the libraries')), [
    '| scenario | level | library | acked | lost | false acks | of those lost | applied twice | unknown | unsent | hung | stale reads |',
    '| [primary-killed](#primary-killed) | async | redis | 1,800 | 0 of 1,800 | – | – | 3 | 4 | 0 | 1.20 s | – |',
    '| | WAIT 1 | ioredis | 1,800 | 9 (0.50 %) | 12 | 2 | 0 | 0 | 0 | to the end | 5 (1.3 %) |',
  ]);
  assert.ok(report.includes('\n#### primary-killed: WAIT 1, ioredis\n'));
});

test('a scenario has its method, its findings and the whole audit', () => {
  const found = { text: 'Killing it lost `20` * 3', evidence: ['async'] };
  const report = rendered({ ...KILLED, findings: [found] });
  const intro = section(report, '## primary-killed');
  const courses = '[chart primary-killed.courses]';
  assert.deepEqual(intro, ['*What is lost?*', '', METHOD, '', '- Killing it lost `20` \\* 3', '', courses]);

  const told = section(report, '### What the writers were told');
  assert.deepEqual(rowsOf(told).slice(0, 4), [
    '| level | writer | due | unsent | attempted | acked | underAcked | rejected | unknown | acked during the fault |',
    '| async | stays | 32,697 | 0 | 32,697 | 32,697 | 0 | 0 | 0 | 50 % |',
    '| | follows | 31,004 | 0 | 31,004 | 31,004 | 0 | 0 | 0 | 50 % |',
    '| min-replicas 1 | stays | 305 | 5 | 300 | 0 | 0 | 300 | 0 | 50 % |',
  ]);
  assert.ok(told.includes('- min-replicas 1, stays: NOREPLICAS × 300'));
  assert.doesNotMatch(report, /What limited|acked writes \(interval\)/, 'no table of throughput');
});

test('what the nodes hold: every kind of discrepancy has its place', () => {
  const strange = auditOf('wait1', {
    acked: 1000,
    underAcked: 100,
    rejected: 50,
    unknown: 7,
    unsent: 40,
    ackedLost: 1,
    underAckedLost: 2,
    rejectedPresent: 3,
    unknownPresent: 4,
    unknownAbsent: 3,
    unsentPresent: 5,
    wrongValue: 6,
    surplus: 8,
    appliedTwice: 9,
    falseAcks: 10,
    falseAcksLost: 1,
    present: { 'redis-1': 1100, 'redis-2': 1099 },
    formerPrimary: { id: 'redis-1', present: 1150, extra: 60, extraAcked: 45, extraUntold: 15 },
  });
  const report = rendered(failureBenchmarkOf('primary-killed', [{ level: 'wait1', audits: [strange] }]));
  assert.deepEqual(rowsOf(section(report, '### What the nodes hold after healing')), [
    '| level | writer | present | acked, lost | underAcked, lost | rejected, present | unsent, present | unknown: present | absent | wrong value | surplus keys | applied twice | false acks | only on the former primary |',
    '| WAIT 1 | stays | redis-1 1,100, redis-2 1,099 | 1 (0.10 %) | 2 (2.0 %) | 3 (6.0 %) | 5 (13 %) | 4 | 3 | 6 | 8 | 9 | 10 (1 lost) | 60 of 1,150: 45 acked, 15 untold |',
  ]);
});

test('windows over rounds, and what did not happen', () => {
  const windows = { detectionMs: 600, failoverMs: null, splitBrainMs: 0, recoveryMs: 3 };
  const trials = [
    trialOf('async', { windows }),
    trialOf('async', {
      round: 2,
      windows: { ...windows, detectionMs: 700, recoveryMs: null },
      converged: null,
      linkMs: null,
    }),
  ];
  const audits = [auditOf('async'), auditOf('async', { round: 2 })];
  const report = rendered(failureBenchmarkOf('primary-killed', [{ level: 'async', audits, trials }]));
  assert.deepEqual(rowsOf(section(report, '### Windows')), [
    '| level | detection | failover | unavailable, stays | split brain | recovery | converged | stale reads | longest stale | link |',
    '| async | 650 ms (600 ms … 700 ms) | – | 1.20 s | 0 | 3.00 ms (in 1 of 2 rounds) | 2.30 s (in 1 of 2 rounds) | 0 of 960 | 0 | 50.0 µs (in 1 of 2 rounds) |',
  ]);
});

test('beside other benchmarks failures keep their form, and the others theirs', () => {
  const report = rendered(...resultOf().benchmarks, KILLED);
  assert.ok(report.includes('\n## What was lost\n') && report.includes('acked writes (interval)'));
  assert.match(report, /Throughput and cost are medians/, 'how to read the other');
  assert.doesNotMatch(rendered(KILLED), /Throughput and cost are medians/);
  assert.doesNotMatch(renderMarkdown(resultOf(), new Map(), NAMED_FIGURES), /What was lost/);
});

test('the terminal shows the first table, narrower', () => {
  const lines = shortAnswer(failureResultOf([KILLED]))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    .replaceAll(/\u001b\[\d+m/g, '')
    .split('\n');
  assert.deepEqual(lines.slice(0, 8), [
    'Acknowledged writes lost, longest time without an acknowledgement, writes refused',
    '  level                   lost         lost  unavailable  unavailable  split brain      refused      refused',
    '                         stays      follows        stays      follows                     stays      follows',
    'primary-killed',
    '  async           20 (0.061 %)  0 of 31,004       1.20 s       982 ms       12.1 s            0            0',
    '  min-replicas 1             –   0 of 9,700   to the end       1.20 s            –  300 (100 %)  300 (3.0 %)',
    '',
    'stays: a writer that keeps its connections until an error; follows: one that moves at +switch-master.',
  ]);
  assert.ok(!shortAnswer(resultOf()).includes('Acknowledged'));
});

test('on a terminal a variant is a scenario of its own', () => {
  const cases = ['one gone', 'two gone'].flatMap((variant) =>
    ['async', 'wait1'].map((level) => ({
      id: `${level}-${variant}`,
      level,
      variant,
      audits: [auditOf(`${level}-${variant}`)],
    })),
  );
  const benchmark = failureBenchmarkOf('sentinels-lost', cases);
  for (const one of benchmark.cases) one.params.settings = { 'min-replicas-to-write': '1' };
  const lines = shortAnswer(failureResultOf([benchmark]))
    .split('\n')
    .slice(3, 9);
  assert.deepEqual(
    lines.map((line) => line.replace(/(\S) {2}.*/, '$1')),
    [
      'sentinels-lost, one gone',
      '  min-replicas 1',
      '  WAIT 1 + min-replicas 1',
      'sentinels-lost, two gone',
      '  min-replicas 1',
      '  WAIT 1 + min-replicas 1',
    ],
  );
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 120);
});
