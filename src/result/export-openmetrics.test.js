/**
 * The OpenMetrics text of small results, line by line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../report/trials/fixture.js';
import { interval, openMetricsLines, states } from './export-openmetrics.js';

const RUN = `# TYPE sentinel_bench_run info
# HELP sentinel_bench_run What was run, and where.
sentinel_bench_run_info{suite="main",profile="quick",seed="42",version="0.1.0",commit="0123456789abcdef0123456789abcdef01234567",backend="local",server="redis",server_version="7.0.15",cpu_model="AMD EPYC",cores="2",node="20.20.2"} 1
# TYPE sentinel_bench_run_start_time_seconds gauge
# UNIT sentinel_bench_run_start_time_seconds seconds
# HELP sentinel_bench_run_start_time_seconds When the run began, since the epoch.
sentinel_bench_run_start_time_seconds 1763663045
# TYPE sentinel_bench_run_end_time_seconds gauge
# UNIT sentinel_bench_run_end_time_seconds seconds
# HELP sentinel_bench_run_end_time_seconds When the run ended, since the epoch.
sentinel_bench_run_end_time_seconds 1763663106
`;

const BENCHMARK = `# TYPE sentinel_bench_benchmark_status stateset
# HELP sentinel_bench_benchmark_status Whether the benchmark was measured.
sentinel_bench_benchmark_status{benchmark="async-vs-wait",sentinel_bench_benchmark_status="ok"} 1
sentinel_bench_benchmark_status{benchmark="async-vs-wait",sentinel_bench_benchmark_status="failed"} 0
sentinel_bench_benchmark_status{benchmark="async-vs-wait",sentinel_bench_benchmark_status="skipped"} 0
# TYPE sentinel_bench_check_ok gauge
# HELP sentinel_bench_check_ok Whether a check of the benchmark holds: 1, or 0.
sentinel_bench_check_ok{benchmark="async-vs-wait",check="counts are read"} 1
sentinel_bench_check_ok{benchmark="async-vs-wait",check="fails"} 0
`;

const CASE = `# TYPE sentinel_bench_case info
# HELP sentinel_bench_case What the case sets.
sentinel_bench_case_info{benchmark="async-vs-wait",case="one",client="native",wait="1",wait_timeout_ms="1000",wait_mode="pipelined",payload_bytes="64",pipeline="1",connections="1",settings="{\\"appendonly\\":\\"yes\\"}"} 1
# TYPE sentinel_bench_case_limited_by stateset
# HELP sentinel_bench_case_limited_by What limited the case.
sentinel_bench_case_limited_by{benchmark="async-vs-wait",case="one",sentinel_bench_case_limited_by="client"} 0
sentinel_bench_case_limited_by{benchmark="async-vs-wait",case="one",sentinel_bench_case_limited_by="primary"} 1
sentinel_bench_case_limited_by{benchmark="async-vs-wait",case="one",sentinel_bench_case_limited_by="machine"} 0
sentinel_bench_case_limited_by{benchmark="async-vs-wait",case="one",sentinel_bench_case_limited_by="nothing"} 0
# TYPE sentinel_bench_throughput_operations_per_second gauge
# UNIT sentinel_bench_throughput_operations_per_second operations_per_second
# HELP sentinel_bench_throughput_operations_per_second Acked operations a second: median over the rounds and its 95% interval.
sentinel_bench_throughput_operations_per_second{benchmark="async-vs-wait",case="one",statistic="median"} 20
sentinel_bench_throughput_operations_per_second{benchmark="async-vs-wait",case="one",statistic="low"} 10
sentinel_bench_throughput_operations_per_second{benchmark="async-vs-wait",case="one",statistic="high"} 30
# TYPE sentinel_bench_throughput_relative_ratio gauge
# UNIT sentinel_bench_throughput_relative_ratio ratio
# HELP sentinel_bench_throughput_relative_ratio Throughput as a ratio to the baseline, paired by round: median and its 95% interval.
sentinel_bench_throughput_relative_ratio{benchmark="async-vs-wait",case="one",baseline="none",statistic="median"} 0.5
sentinel_bench_throughput_relative_ratio{benchmark="async-vs-wait",case="one",baseline="none",statistic="low"} 0.25
sentinel_bench_throughput_relative_ratio{benchmark="async-vs-wait",case="one",baseline="none",statistic="high"} 0.75
# TYPE sentinel_bench_latency_seconds summary
# UNIT sentinel_bench_latency_seconds seconds
# HELP sentinel_bench_latency_seconds Latency of all rounds together: service time, or response time where operations left on a schedule.
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0"} 1
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0.5"} 2
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0.9"} 3
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0.95"} 4
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0.99"} 5
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="0.999"} 6
sentinel_bench_latency_seconds{benchmark="async-vs-wait",case="one",time="service",quantile="1"} 7
sentinel_bench_latency_seconds_count{benchmark="async-vs-wait",case="one",time="service"} 10
sentinel_bench_latency_seconds_sum{benchmark="async-vs-wait",case="one",time="service"} 25
# TYPE sentinel_bench_latency_p50_seconds gauge
# UNIT sentinel_bench_latency_p50_seconds seconds
# HELP sentinel_bench_latency_p50_seconds The rounds’ p50 of latency: median and its 95% interval.
sentinel_bench_latency_p50_seconds{benchmark="async-vs-wait",case="one",statistic="median"} 2
sentinel_bench_latency_p50_seconds{benchmark="async-vs-wait",case="one",statistic="low"} 1
sentinel_bench_latency_p50_seconds{benchmark="async-vs-wait",case="one",statistic="high"} 4
# TYPE sentinel_bench_latency_p99_seconds gauge
# UNIT sentinel_bench_latency_p99_seconds seconds
# HELP sentinel_bench_latency_p99_seconds The rounds’ p99 of latency: median and its 95% interval.
sentinel_bench_latency_p99_seconds{benchmark="async-vs-wait",case="one",statistic="median"} 8
sentinel_bench_latency_p99_seconds{benchmark="async-vs-wait",case="one",statistic="low"} 7
sentinel_bench_latency_p99_seconds{benchmark="async-vs-wait",case="one",statistic="high"} 9
# TYPE sentinel_bench_operations counter
# HELP sentinel_bench_operations What became of the operations of all rounds.
sentinel_bench_operations_total{benchmark="async-vs-wait",case="one",outcome="acked"} 10
sentinel_bench_operations_total{benchmark="async-vs-wait",case="one",outcome="underAcked"} 20
sentinel_bench_operations_total{benchmark="async-vs-wait",case="one",outcome="rejected"} 30
sentinel_bench_operations_total{benchmark="async-vs-wait",case="one",outcome="unknown"} 40
# TYPE sentinel_bench_errors counter
# HELP sentinel_bench_errors How often each kind of error was seen in all rounds.
sentinel_bench_errors_total{benchmark="async-vs-wait",case="one",kind="OOM"} 3
sentinel_bench_errors_total{benchmark="async-vs-wait",case="one",kind="a \\"b\\" \\\\ \\n"} 4
`;

const S = 1e9;

function resultWithCase() {
  const result = resultOf();
  const [benchmark] = result.benchmarks;
  const outcomes = { acked: 5, underAcked: 10, rejected: 15, unknown: 20 };
  const one = caseOf('one', { wait: 1, settings: { appendonly: 'yes' } }, [
    roundOf({ writes: 5, outcomes, errors: { OOM: 1 } }),
    roundOf({ writes: 5, outcomes, errors: { OOM: 2, 'a "b" \\ \n': 4 } }),
  ]);
  one.summary = {
    throughput: { median: 20, low: 10, high: 30 },
    relativeToBaseline: { baseline: 'none', throughput: { median: 0.5, low: 0.25, high: 0.75 } },
    p50Ns: { median: 2 * S, low: S, high: 4 * S },
    p99Ns: { median: 8 * S, low: 7 * S, high: 9 * S },
    latencyNs: { min: S, p50: 2 * S, p90: 3 * S, p95: 4 * S, p99: 5 * S, p999: 6 * S, max: 7 * S, mean: 2.5 * S },
    samples: 10,
    limitedBy: 'primary',
  };
  benchmark.cases = [one];
  benchmark.checks.push({ name: 'fails', ok: false, detail: 'why' });
  return { result, one };
}

/** @param {string} text */
const rounded = (text) => text.replaceAll(/\d+\.\d{10,}/g, (figure) => String(Number(Number(figure).toFixed(9))));

test('a run with a case: everything, in base units', () => {
  const { result } = resultWithCase();
  assert.equal(rounded([...openMetricsLines(result)].join('')), `${RUN}${BENCHMARK}${CASE}# EOF\n`);
});

test('response time where operations left on a schedule; no quantiles and no ratio without values', () => {
  const { result, one } = resultWithCase();
  one.rounds[1].openLoop = /** @type {any} */ ({ sustained: true });
  one.summary.samples = 0;
  delete one.summary.relativeToBaseline;
  const text = [...openMetricsLines(result)].join('');
  const lines = text.split('\n').filter((line) => line.startsWith('sentinel_bench_latency_seconds'));
  const labels = '{benchmark="async-vs-wait",case="one",time="response"}';
  assert.deepEqual(lines, [
    `sentinel_bench_latency_seconds_count${labels} 0`,
    `sentinel_bench_latency_seconds_sum${labels} 0`,
  ]);
  assert.doesNotMatch(text, /relative/);
});

test('what the audit of each writer found', () => {
  const audits = [
    auditOf('async', {
      acked: 5,
      underAcked: 4,
      rejected: 3,
      unknown: 2,
      unsent: 1,
      ackedLost: 6,
      appliedTwice: 7,
      wrongValue: 8,
    }),
    auditOf('async', { round: 2, writer: 'failover-aware', unavailableMs: null, falseAcks: 9 }),
  ];
  const text = [...openMetricsLines(failureResultOf([failureBenchmarkOf('killed', [{ mode: 'async', audits }])]))].join(
    '',
  );
  const [sticky, failoverAware] = [
    'benchmark="killed",case="async",round="1",writer="sticky"',
    'benchmark="killed",case="async",round="2",writer="failover-aware"',
  ];
  const lines = text.slice(text.indexOf('# TYPE sentinel_bench_audit_writes')).split('\n');
  const of = (/** @type {string} */ labels) =>
    lines
      .filter((line) => line.includes(`{${labels}`))
      .map((line) => line.replace('sentinel_bench_audit_', '').replace(`${labels}`, ''));
  assert.deepEqual(of(sticky), [
    'writes_total{,outcome="acked"} 5',
    'writes_total{,outcome="underAcked"} 4',
    'writes_total{,outcome="rejected"} 3',
    'writes_total{,outcome="unknown"} 2',
    'writes_total{,outcome="unsent"} 1',
    'findings_total{,finding="ackedLost"} 6',
    'findings_total{,finding="underAckedLost"} 0',
    'findings_total{,finding="rejectedPresent"} 0',
    'findings_total{,finding="unsentPresent"} 0',
    'findings_total{,finding="wrongValue"} 8',
    'findings_total{,finding="appliedTwice"} 7',
    'findings_total{,finding="surplus"} 0',
    'unavailable_seconds{} 1.2',
  ]);
  // An outage to the end has no length.
  assert.deepEqual(of(failoverAware).slice(-2), [
    'findings_total{,finding="falseAcks"} 9',
    'unavailable_seconds{} +Inf',
  ]);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('#')),
    [
      '# TYPE sentinel_bench_audit_writes counter',
      '# HELP sentinel_bench_audit_writes Answers to the writes of a writer in a trial; unsent: no connection could take them in time.',
      '# TYPE sentinel_bench_audit_findings counter',
      '# HELP sentinel_bench_audit_findings Discrepancies between answers and nodes after healing. ackedLost: acknowledged, but lost.',
      '# TYPE sentinel_bench_audit_unavailable_seconds gauge',
      '# UNIT sentinel_bench_audit_unavailable_seconds seconds',
      '# HELP sentinel_bench_audit_unavailable_seconds Longest time without an acknowledgement after the fault began; +Inf: it lasted until the end of the trial.',
      '# EOF',
    ],
  );
});

test('samples of states and of intervals', () => {
  assert.deepEqual(states('of', ['a', 'b'], 'b', { x: 1 }), [
    { labels: { x: 1, sentinel_bench_of: 'a' }, value: 0 },
    { labels: { x: 1, sentinel_bench_of: 'b' }, value: 1 },
  ]);
  assert.deepEqual(
    interval({ median: 2, low: 1, high: 3 }, {}, 10).map(({ value }) => value),
    [20, 10, 30],
  );
});
