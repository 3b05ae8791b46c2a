/**
 * Tables of a result: the names of columns, the order of columns, and how cells are written.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, csvText, resultOf, roundOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';

/**
 * @import { RowsOf } from './export-csv.js'
 * @import { Result } from './schema.js'
 */

/**
 * @param {Result} result
 * @param {RowsOf} rowsOf
 * @returns {{columns: string[], rows: Record<string, string>[]}} cells without their quotes
 */
function read(result, rowsOf) {
  const text = csvText(result, rowsOf);
  assert.ok(text.endsWith('\r\n'));
  const [columns, ...lines] = text
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
  return { columns, rows: lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [columns[i], cell]))) };
}

/** @param {object} fields of the parameters of the only case, which has one round */
function resultWith(fields) {
  const result = resultOf();
  result.benchmarks[0].cases = [caseOf('one', fields, [roundOf({ writes: 10 })])];
  return result;
}

describe('cells', () => {
  /** @type {[value: unknown, cell: string][]} */
  const CELLS = [
    [0.1 + 0.2, '0.30000000000000004'],
    [true, 'true'],
    [false, 'false'],
    ['plain text', 'plain text'],
    [['a', 1], '"[""a"",1]"'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['say "a"', '"say ""a"""'],
    ['a\nb', '"a\nb"'],
    ['a\tb', '"a\tb"'],
    // What a spreadsheet would take for a formula.
    ['=1+1', "'=1+1"],
    [' =1+1', "' =1+1"],
    ['+a', "'+a"],
    ['-a', "'-a"],
    ['@a', "'@a"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠1', "'＠1"],
    ['-1-2', "'-1-2"],
    ['+', "'+"],
    ['-1e', "'-1e"],
    ['-.', "'-."],
    // Numbers, as text.
    ['-1', '-1'],
    ['+1.5', '+1.5'],
    ['-.5', '-.5'],
    ['-12.', '-12.'],
    ['-1e-12', '-1e-12'],
    ['-1E+5', '-1E+5'],
    ['a=1', 'a=1'],
  ];
  for (const [value, cell] of CELLS) {
    test(`${JSON.stringify(value)} is ${JSON.stringify(cell)}`, () => {
      const text = csvText(resultWith({ last: 'L', odd: value, next: 'N' }), 'cases');
      assert.ok(text.includes(`,L,${cell},N,`), text);
    });
  }

  test('control characters are shown, not sent to a terminal', () => {
    assert.match(csvText(resultWith({ odd: 'a\x1b[2Jb' }), 'cases'), /,a\\u001b\[2Jb,/);
  });

  test('null and what is missing: an empty cell, and no column if it is empty everywhere', () => {
    const result = resultWith({ never: null });
    result.benchmarks[0].cases.push(caseOf('two', /** @type {object} */ ({ only: 5 }), [roundOf({ writes: 10 })]));
    const { columns, rows } = read(result, 'cases');
    assert.ok(!columns.includes('never'));
    assert.deepEqual(
      rows.map(({ only }) => only),
      ['', '5'],
    );
  });
});

describe('rounds', () => {
  test('parameters come first, even those that only a later case has; then the figures', () => {
    const result = resultWith({});
    result.benchmarks[0].cases.push(
      caseOf('two', /** @type {object} */ ({ only: 5, settings: { appendonly: 'yes' } }), [
        roundOf({ writes: 10, errors: { OOM: 2 } }),
      ]),
    );
    const { columns, rows } = read(result, 'rounds');
    assert.equal(
      columns.join(' '),
      'run_suite run_started_at run_commit run_backend run_server_name run_server_version benchmark case client wait ' +
        'wait_timeout_ms wait_mode payload_bytes pipeline connections only settings round acked under_acked rejected unknown ' +
        'started_at seconds operations throughput_per_second errors latency_min_ns latency_p50_ns latency_p90_ns ' +
        'latency_p95_ns latency_p99_ns latency_p999_ns latency_max_ns latency_mean_ns load_cpu_cores ' +
        'load_event_loop_utilization_share machine_cpu_share node_redis_1_role node_redis_1_cpu_cores ' +
        'node_redis_1_main_thread_cpu_cores node_redis_1_memory_bytes node_redis_2_role node_redis_2_cpu_cores ' +
        'node_redis_2_main_thread_cpu_cores node_redis_2_memory_bytes',
    );
    assert.deepEqual(
      rows.map((row) => [row.benchmark, row.case, row.round, row.settings, row.errors, row.acked]),
      [
        ['async-vs-wait', 'one', '1', '', '{}', '10'],
        ['async-vs-wait', 'two', '1', '{"appendonly":"yes"}', '{"OOM":2}', '10'],
      ],
    );
    assert.deepEqual(
      [rows[0].run_suite, rows[0].run_backend, rows[0].run_server_name, rows[0].run_commit.length],
      ['main', 'local', 'redis', 40],
    );
  });

  test('rounds are numbered from 1; settings, counts by name and lists are JSON; histograms and samples are left out', () => {
    const records = ['settings', 'replicaSettings', 'errors', 'executed', 'events', 'present'];
    const histograms = ['histogram', 'serviceHistogram', 'latenessHistogram'];
    const more = {
      ...Object.fromEntries(records.map((name) => [name, { key: 1 }])),
      ...Object.fromEntries(histograms.map((name) => [name, 'text'])),
      samples: [1, 2],
    };
    const result = resultOf();
    result.benchmarks[0].cases = [
      caseOf('one', {}, [
        roundOf({ writes: 10 }),
        /** @type {any} */ ({ ...roundOf({ writes: 10 }), ...more, histogram: roundOf({ writes: 10 }).histogram }),
      ]),
    ];
    const { columns, rows } = read(result, 'rounds');
    assert.deepEqual(
      rows.map(({ round }) => round),
      ['1', '2'],
    );
    for (const name of ['settings', 'replica_settings', 'errors', 'executed', 'events', 'present'])
      assert.equal(rows[1][name], '{"key":1}', name);
    assert.deepEqual(
      columns.filter((column) => /histogram|samples/.test(column)),
      [],
    );
  });
});

test('a case: its summary, its baseline and the number of its rounds', () => {
  const { rows } = read(resultOf(), 'cases');
  const [{ summary: none }, { summary: wait }] = resultOf().benchmarks[0].cases;
  assert.deepEqual(
    rows.map((row) => [row.case, row.rounds, row.baseline, Number(row.samples), row.limited_by]),
    [
      ['none', '5', '', none.samples, none.limitedBy],
      ['wait1', '5', 'none', wait.samples, wait.limitedBy],
    ],
  );
  assert.equal(Number(rows[1].relative_to_baseline_high_ratio), wait.relativeToBaseline?.throughput.high);
  assert.equal(Number(rows[1].throughput_low_per_second), wait.throughput.low);
  assert.equal(Number(rows[1].p99_median_ns), wait.p99Ns.median);
});

describe('trials', () => {
  const audits = [
    auditOf('async', { ackedLost: 7 }),
    auditOf('async', { writer: 'failover-aware', unavailableMs: null }),
    auditOf('async', { round: 2 }),
    auditOf('wait1', { ackedLost: 1 }),
  ];
  const trials = [trialOf('async'), trialOf('async', { round: 3 })];
  const reads = { reads: 9, stale: 2, failed: 1, longestMs: 5 };
  const result = failureResultOf([
    failureBenchmarkOf('primary-killed', [
      { mode: 'async', audits: audits.slice(0, 3), trials },
      { mode: 'wait1', audits: audits.slice(3), trials: [trialOf('wait1', { reads, stepMs: 50 })] },
    ]),
  ]);

  test('a row for each writer of a trial, with the figures of its own trial', () => {
    const { columns, rows } = read(result, 'audits');
    assert.deepEqual(
      rows.map((row) => [row.mode, row.round, row.writer, row.acked_lost, row.unavailable_ms, row.trial_stale_reads]),
      [
        ['async', '1', 'sticky', '7', '1200', '0'],
        ['async', '1', 'failover-aware', '0', '', '0'],
        ['async', '2', 'sticky', '0', '1200', ''],
        ['wait1', '1', 'sticky', '1', '1200', '2'],
      ],
    );
    assert.deepEqual(
      columns.filter((column) => column.startsWith('trial_')),
      [
        'trial_detection_ms',
        'trial_failover_ms',
        'trial_split_brain_ms',
        'trial_recovery_ms',
        'trial_reads',
        'trial_stale_reads',
        'trial_failed_reads',
        'trial_longest_stale_ms',
        'trial_link_ms',
        'trial_converged_after_ms',
        'trial_converged_primary',
      ],
    );
    const { trial_reads, trial_failed_reads, trial_longest_stale_ms, present, moves } = rows[3];
    assert.deepEqual([trial_reads, trial_failed_reads, trial_longest_stale_ms], ['9', '1', '5']);
    assert.deepEqual(Object.keys(JSON.parse(present)), ['redis-1', 'redis-2', 'redis-3']);
    assert.equal(JSON.parse(moves).length, 1);
    assert.equal(columns.filter((column) => column === 'case').length, 1);
  });

  test('a row for each step of each writer', () => {
    const { rows } = read(result, 'steps');
    assert.equal(rows.length, 3 * 2 * 50);
    const steps = rows.filter(({ case: id, writer }) => id === 'wait1' && writer === 'failover-aware');
    assert.deepEqual(
      steps.slice(9, 13).map((row) => [row.from_ms, row.step_ms, row.acked, row.unknown, row.unsent, row.p99_ms]),
      [
        ['450', '50', '100', '0', '0', '0.8'],
        ['500', '50', '0', '10', '0', ''],
        ['550', '50', '0', '0', '100', ''],
        ['600', '50', '0', '0', '100', ''],
      ],
    );
    assert.deepEqual([rows[0].round, rows[100].round], ['1', '3']);
  });

  test('a benchmark without trials has no rows, and no rows are an empty text', () => {
    assert.equal(csvText(resultOf(), 'audits'), '');
    assert.equal(csvText(resultOf(), 'steps'), '');
    assert.equal(csvText({ ...resultOf(), benchmarks: [] }, 'rounds'), '');
  });
});
