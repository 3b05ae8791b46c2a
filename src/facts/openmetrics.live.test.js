import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suiteTerms } from '../../bench/index.js';
import { resultOf } from '../report/fixture.js';
import { pythonWith, runPython } from '../report/python-fixture.js';
import { openMetricsLines } from './openmetrics.js';

const READ = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps([
  dict(name=f.name, samples=[dict(labels=s.labels, value=str(s.value), at=s.timestamp and float(s.timestamp)) for s in f.samples])
  for f in text_string_to_metric_families(text)]))`;

const { python, skip } = pythonWith('prometheus_client.openmetrics.parser');

test('the Prometheus client reads facts in base units, with any text in a label and the end of the run as time', {
  skip,
}, () => {
  const result = resultOf();
  const name = 'ERR "quoted" \\n and \\ back\nnext line, Zürich {}';
  result.benchmarks[0].checks.push({ name, ok: false, detail: '' });
  const text = [...openMetricsLines(result, suiteTerms, { timestamps: true })].join('');
  const families = new Map(
    runPython(python, READ, text).map((/** @type {any} */ family) => [family.name, family.samples]),
  );
  const sampleOf = (/** @type {string} */ family, /** @type {Record<string, string>} */ labels) =>
    families
      .get(`sentinel_bench_${family}`)
      .find((/** @type {any} */ { labels: own }) => Object.entries(labels).every(([key, value]) => own[key] === value));
  const { throughput, p99Ns } = result.benchmarks[0].cases[1].summary;
  for (const statistic of /** @type {const} */ (['median', 'low', 'high'])) {
    const wanted = { case: 'wait1', statistic };
    assert.equal(Number(sampleOf('throughput_operations_per_second', wanted).value), throughput[statistic]);
    const p99 = Number(sampleOf('p99_service_time_seconds', wanted).value);
    assert.ok(Math.abs(p99 - p99Ns[statistic] / 1e9) < 1e-12);
  }
  assert.equal(Number(sampleOf('check_ok', { check: name }).value), 0);
  for (const samples of families.values())
    for (const { at } of samples) assert.equal(at, Date.parse(result.finishedAt) / 1000);
});
