import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { libraryFindings, outcomeFindings, underAckedFindings } from './findings.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */

const EMPTY = failureBenchmarkOf('primary-killed', []);

/** One trial: async loses through the sticky writer; WAIT 1 loses nothing. */
const ONE_ROUND = failureBenchmarkOf('primary-killed', [
  {
    mode: 'async',
    audits: [
      auditOf('async', { acked: 32_697, ackedLost: 20, rejected: 0 }),
      auditOf('async', { writer: 'failover-aware', acked: 31_004 }),
    ],
    trials: [trialOf('async')],
  },
  {
    mode: 'wait1',
    audits: [
      auditOf('wait1', { acked: 30_000, rejected: 300, underAcked: 700, unavailableMs: 980 }),
      auditOf('wait1', { writer: 'failover-aware', acked: 0, unavailableMs: null }),
    ],
    trials: [trialOf('wait1', { windows: { detectionMs: 1, failoverMs: 1, splitBrainMs: 12_100, recoveryMs: 1 } })],
  },
]);

const THREE_ROUNDS = failureBenchmarkOf('primary-killed', [
  {
    mode: 'async',
    audits: [
      auditOf('async', { acked: 10_000, ackedLost: 12, unavailableMs: 1000 }),
      auditOf('async', { round: 2, acked: 10_000, ackedLost: 0, unavailableMs: 1500 }),
      auditOf('async', { round: 3, acked: 10_000, ackedLost: 3, unavailableMs: null }),
    ],
    trials: [1, 2, 3].map((round) =>
      trialOf('async', {
        round,
        windows: { detectionMs: 1, failoverMs: 1, splitBrainMs: 100 * round, recoveryMs: null },
      }),
    ),
  },
]);

/** @param {{text: string}[]} findings */
const textsOf = (findings) => findings.map(({ text }) => text);

test('a scenario in one sentence: the worse writer of each mode, the largest loss first', () => {
  assert.deepEqual(outcomeFindings(ONE_ROUND), [
    {
      id: 'lost',
      text: 'async lost 20 acknowledged writes (20.0 ms); WAIT 1 lost none; outage 1.20 s or to the end, split brain up to 12.1 s (1 trial each)',
      evidence: ['async', 'wait1'],
    },
  ]);
});

test('several trials: the worst one counts', () => {
  assert.deepEqual(textsOf(outcomeFindings(THREE_ROUNDS)), [
    'async lost up to 12 acknowledged writes (12.0 ms); outage 1.50 s, split brain up to 300 ms (3 trials each)',
  ]);
});

test('a primary that something else restarted is named beside what was lost', () => {
  const events = [{ at: 0, by: 'harness', kind: /** @type {const} */ ('restarted'), node: 'redis-1' }];
  const restarted = failureBenchmarkOf('primary-killed', [
    { mode: 'async', audits: [auditOf('async')], trials: [trialOf('async', { events })] },
  ]);
  assert.equal(
    textsOf(outcomeFindings(restarted))[1],
    '1 of 1 trial: a supervisor restarted the primary, and no replica was promoted',
  );
});

test('under-acknowledged writes are shares of the attempted writes', () => {
  assert.deepEqual(textsOf(underAckedFindings(ONE_ROUND)), [
    'Redis said OK, but the WAIT count was too low (not confirmed): WAIT 1 had 700 (2.3%)',
  ]);
  const quiet = failureBenchmarkOf('x', [{ mode: 'wait1', audits: [auditOf('wait1')] }]);
  assert.deepEqual(textsOf(underAckedFindings(quiet)), ['Every WAIT count reached what was asked (10,000 writes)']);
  assert.deepEqual(underAckedFindings(THREE_ROUNDS), [], 'without a WAIT there is no count');
});

test('without measurements there is no finding', () => {
  for (const findings of [outcomeFindings, underAckedFindings, libraryFindings]) {
    assert.deepEqual(findings(EMPTY), []);
    assert.deepEqual(findings({ ...ONE_ROUND, audit: undefined, timeline: undefined }), []);
  }
});

/** @param {Partial<AuditResult>} audit */
const libraryWith = (audit) =>
  failureBenchmarkOf('primary-killed', [
    {
      mode: 'wait1',
      audits: [auditOf('wait1', { writer: 'redis', acked: 1000, ...audit })],
      trials: [trialOf('wait1')],
    },
  ]);

test('what a library lost, acknowledged falsely and applied twice', () => {
  assert.deepEqual(
    textsOf(libraryFindings(libraryWith({ ackedLost: 9, falseAcks: 10, falseAcksLost: 9, appliedTwice: 1 }))),
    ['`node-redis` with WAIT 1 lost 9 (9.00 ms), had 10 false acks, applied 1 twice (1 trial each)'],
  );
  assert.deepEqual(textsOf(libraryFindings(libraryWith({ falseAcks: 0, falseAcksLost: 0, appliedTwice: 0 }))), [
    'Libraries lost no write, applied none twice and acknowledged none falsely (1 trial each)',
  ]);
});
