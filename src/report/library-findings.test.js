import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from './failure-fixture.js';
import { libraryFinding } from './library-findings.js';

/** @param {Partial<import('./failure-schema.js').AuditResult>} audit */
const resultWith = (audit) =>
  failureBenchmarkOf('primary-killed', [
    {
      level: 'wait1',
      audits: [auditOf('wait1', { writer: 'redis', acked: 1000, ...audit })],
      trials: [trialOf('wait1')],
    },
  ]);

test('what a library got wrong is told with its whole', () => {
  assert.equal(
    libraryFinding(
      resultWith({ ackedLost: 9, falseAcks: 10, falseAcksLost: 9, appliedTwice: 1 }),
      'Killing the primary',
    )?.text,
    'Killing the primary, the libraries’ Sentinel clients with their default options: `redis` with WAIT 1: lost 9 of 1,000 (0.90 %), ' +
      '10 acknowledgements by a WAIT on another connection than the write’s, 9 of them lost, 1 write applied twice',
  );
});

test('nothing wrong is said, too; no library, no sentence', () => {
  const quiet = resultWith({ ackedLost: 0, falseAcks: 0, falseAcksLost: 0, appliedTwice: 0 });
  assert.match(String(libraryFinding(quiet, 'X')?.text), /: nothing was lost, applied twice or acknowledged falsely$/);
  assert.equal(libraryFinding(failureBenchmarkOf('primary-killed', []), 'X'), null);
});
