import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { narrowFor } from '../experiments/own-faults.js';
import { MODES } from '../modes.js';
import { lagFindings, underAckedFindings } from './scenario-findings.js';

/** @param {Record<string, number>} lost by mode, at 1,000 writes a second */
function resultOf(lost) {
  const parts = Object.entries(lost).map(([mode, ackedLost]) => ({
    mode,
    audits: [auditOf(mode, { acked: 20_000, ackedLost })],
    trials: [trialOf(mode)],
  }));
  const result = failureBenchmarkOf('narrow-link', parts);
  for (const { params } of result.cases) Object.assign(params, MODES[params.mode ?? '']);
  return result;
}

describe('a narrow link', () => {
  test('carries a quarter of the writes of all writers', () => {
    assert.equal(narrowFor({ rate: 1000, writers: ['sticky', 'failover-aware'], payloadBytes: 64 }), 72_000);
  });

  test('a finding names a mode that lost more than its max-lag', () => {
    assert.deepEqual(lagFindings(resultOf({ async: 3700, 'min1-lag1': 3741 })), [
      {
        id: 'lag-min1-lag1',
        text: 'min-replicas 1 (lag 1) lost 3.74 s of acknowledged writes: max-lag is the age of the last ACK, not the data behind',
        evidence: ['min1-lag1'],
      },
    ]);
  });

  test('a loss within the max-lag tells nothing about it', () => {
    assert.deepEqual(lagFindings(resultOf({ 'min1-lag1': 900 })), []);
  });
});

test('under-acknowledged writes are shares of the attempted writes', () => {
  const textsOf = (/** @type {string} */ mode, /** @type {object} */ audit) =>
    underAckedFindings(failureBenchmarkOf('primary-killed', [{ mode, audits: [auditOf(mode, audit)] }])).map(
      ({ text }) => text,
    );
  assert.deepEqual(textsOf('wait1', { acked: 30_000, rejected: 300, underAcked: 700 }), [
    'Redis said OK, but the WAIT count was too low (not confirmed): WAIT 1 had 700 (2.3%)',
  ]);
  assert.deepEqual(textsOf('wait1', {}), ['Every WAIT count reached what was asked (10,000 writes)']);
  assert.deepEqual(textsOf('async', {}), [], 'without a WAIT there is no count');
});
