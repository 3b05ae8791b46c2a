import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resultOf } from '../report/fixture.js';
import { pythonWith, runPython } from '../report/python-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';
import { openMetricsLines } from './export-openmetrics.js';

const READ = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps([
  dict(name=f.name, type=f.type, unit=f.unit, help=f.documentation,
    samples=[dict(name=s.name, labels=s.labels, value=str(s.value), at=s.timestamp and float(s.timestamp)) for s in f.samples])
  for f in text_string_to_metric_families(text)]))`;

/** @import { Result } from './schema.js' */

const { python, skip } = pythonWith('prometheus_client.openmetrics.parser');

/**
 * @param {Result} result
 * @param {{timestamps?: boolean}} [options]
 * @returns {Map<string, any>} the families by name, as another program reads them
 */
function read(result, options) {
  const families = runPython(python, READ, [...openMetricsLines(result, options)].join(''));
  return new Map(families.map((/** @type {any} */ family) => [family.name, family]));
}

/**
 * @param {any} family
 * @param {Record<string, string>} labels
 * @returns {any} its only sample with these labels
 */
function sampleOf(family, labels) {
  const found = family.samples.filter((/** @type {any} */ sample) =>
    Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
  );
  assert.equal(found.length, 1, JSON.stringify(labels));
  return found[0];
}

describe('OpenMetrics, as the Prometheus client reads it', { skip }, () => {
  test('the summary of each case, in base units', () => {
    const result = resultOf();
    const { summary, rounds } = result.benchmarks[0].cases[1];
    const families = read(result);
    const throughput = families.get('sentinel_bench_throughput_operations_per_second');
    assert.deepEqual([throughput.type, throughput.unit], ['gauge', 'operations_per_second']);
    for (const statistic of /** @type {const} */ (['median', 'low', 'high']))
      assert.equal(Number(sampleOf(throughput, { case: 'wait1', statistic }).value), summary.throughput[statistic]);
    const latency = families.get('sentinel_bench_latency_seconds');
    assert.deepEqual([latency.type, latency.unit], ['summary', 'seconds']);
    const p99 = sampleOf(latency, { case: 'wait1', quantile: '0.99', time: 'service' });
    assert.equal(Number(p99.value), summary.latencyNs.p99 / 1e9);
    const operations = sampleOf(families.get('sentinel_bench_operations'), { case: 'wait1', outcome: 'acked' });
    assert.equal(operations.name, 'sentinel_bench_operations_total');
    assert.equal(
      Number(operations.value),
      rounds.reduce((sum, { outcomes }) => sum + outcomes.acked, 0),
    );
    const relative = sampleOf(families.get('sentinel_bench_throughput_relative_ratio'), { statistic: 'median' });
    assert.deepEqual([relative.labels.case, relative.labels.baseline], ['wait1', 'none']);
    assert.equal(sampleOf(families.get('sentinel_bench_case'), { case: 'wait1' }).labels.payload_bytes, '64');
    assert.equal(families.get('sentinel_bench_run').samples[0].labels.server_version, '7.0.15');
  });

  test('lost writes and outages', () => {
    const audits = [
      auditOf('async', { ackedLost: 7 }),
      auditOf('async', { writer: 'failover-aware', unavailableMs: null }),
    ];
    const families = read(
      failureResultOf([failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials: [trialOf('async')] }])]),
    );
    const lost = { writer: 'sticky', finding: 'ackedLost' };
    assert.equal(Number(sampleOf(families.get('sentinel_bench_audit_findings'), lost).value), 7);
    const unavailable = families.get('sentinel_bench_audit_unavailable_seconds');
    assert.equal(Number(sampleOf(unavailable, { writer: 'sticky' }).value), 1.2);
    assert.equal(sampleOf(unavailable, { writer: 'failover-aware' }).value, 'inf');
  });

  test('labels hold any text, and samples say when the run ended if asked to', () => {
    const result = resultOf();
    const kind = 'ERR "quoted" \\n and \\ back\nnext line, Zürich {}';
    result.benchmarks[0].cases[0].rounds[0].errors = { [kind]: 3 };
    const families = read(result, { timestamps: true });
    const [sample] = families.get('sentinel_bench_errors').samples;
    assert.deepEqual([sample.labels.kind, Number(sample.value)], [kind, 3]);
    for (const { samples } of families.values())
      for (const { at } of samples) assert.equal(at, Date.parse(result.finishedAt) / 1000);
  });
});
