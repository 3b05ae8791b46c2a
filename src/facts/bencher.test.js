import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { resultOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../report/trials/fixture.js';
import { renderBencher } from './bencher.js';

/** @import { Result } from '../result/schema.js' */

/** As https://bencher.dev/bmf.json publishes it, and without further fields, which Bencher’s adapter refuses. */
const BMF_SCHEMA = {
  type: 'object',
  patternProperties: {
    '.+': {
      type: 'object',
      patternProperties: {
        '.+': {
          type: 'object',
          properties: {
            value: { type: 'number' },
            lower_value: { type: 'number' },
            upper_value: { type: 'number' },
          },
          required: ['value'],
          additionalProperties: false,
        },
      },
    },
  },
};
const isBmf = new Ajv().compile(BMF_SCHEMA);

/** @param {Result} result @returns {Record<string, Record<string, any>>} */
function bencher(result) {
  /** @type {unknown} */
  const parsed = JSON.parse(renderBencher(result));
  assert.ok(isBmf(parsed), JSON.stringify(isBmf.errors));
  const document = /** @type {Record<string, Record<string, any>>} */ (parsed);
  for (const [subject, measures] of Object.entries(document)) {
    assert.ok(subject.length <= 1024);
    for (const [measure, metric] of Object.entries(measures)) {
      // A slug, so Bencher does not give it another name.
      assert.match(measure, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.ok(measure.length <= 64);
      assert.ok((metric.lower_value ?? metric.value) <= metric.value, subject);
      assert.ok((metric.upper_value ?? metric.value) >= metric.value, subject);
    }
  }
  return document;
}

describe('cases of load', () => {
  test('Bencher gets medians with their intervals, throughput by its own name', () => {
    const result = resultOf();
    const { throughput, p50Ns, p99Ns } = result.benchmarks[0].cases[1].summary;
    const metric = (/** @type {{median: number, low: number, high: number}} */ { median, low, high }) => ({
      value: median,
      lower_value: low,
      upper_value: high,
    });
    const document = bencher(result);
    assert.deepEqual(Object.keys(document), ['async-vs-wait/none', 'async-vs-wait/wait1']);
    assert.deepEqual(document['async-vs-wait/wait1'], {
      throughput: metric(throughput),
      'p50-service-time': metric(p50Ns),
      'p99-service-time': metric(p99Ns),
    });
  });
});

describe('cases of failure trials', () => {
  const audits = [
    auditOf('async', { ackedLost: 7, unavailableMs: 900 }),
    auditOf('async', { round: 2, ackedLost: 0, unavailableMs: null }),
    auditOf('async', { round: 3, ackedLost: 12 }),
    auditOf('async', { writer: 'failover-aware', unavailableMs: null }),
  ];
  const result = failureResultOf([failureBenchmarkOf('primary-killed', [{ mode: 'async', audits }])]);

  test('losses and outages by writer; a share of trials with its interval; no throughput', () => {
    const document = bencher(result);
    assert.deepEqual(Object.keys(document), ['primary-killed/async/sticky', 'primary-killed/async/failover-aware']);
    const metrics = document['primary-killed/async/sticky'];
    assert.deepEqual(metrics['acked-writes-lost'], { value: 7, lower_value: 0, upper_value: 12 });
    assert.deepEqual(metrics['unavailable-ms'], { value: 1200, lower_value: 900 }, 'one outage did not end');
    const { value, lower_value, upper_value } = metrics['trials-with-a-loss'];
    assert.equal(value, 2 / 3);
    // The exact interval of 2 of 3.
    assert.ok(Math.abs(lower_value - 0.0943) < 0.0001 && Math.abs(upper_value - 0.9916) < 0.0001);
  });

  test('an unavailability that did not end in half of the trials has no number', () => {
    assert.deepEqual(Object.keys(bencher(result)['primary-killed/async/failover-aware']), [
      'acked-writes-lost',
      'trials-with-a-loss',
    ]);
  });
});
