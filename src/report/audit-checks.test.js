import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditChecks, failoverChecks } from './audit-checks.js';
import { auditOf, failureBenchmarkOf, trialOf } from './failure-fixture.js';

/** @param {{level: string, audit?: Partial<import('./failure-schema.js').AuditResult>}[]} cases */
const resultOf = (cases) =>
  failureBenchmarkOf(
    'primary-killed',
    cases.map(({ level, audit }) => ({ level, audits: [auditOf(level, audit)], trials: [trialOf(level)] })),
  );

const namesOf = (/** @type {import('./schema.js').Check[]} */ checks) => checks.map(({ name }) => name);
const WAIT_2 = 'nothing that WAIT 2 acknowledged is lost';
const REFUSED = 'nothing rejected is present';

test('a claim about cases that the run left out is not made', () => {
  assert.ok(namesOf(failoverChecks(resultOf([{ level: 'wait2' }]))).includes(WAIT_2));
  assert.ok(!namesOf(failoverChecks(resultOf([{ level: 'async' }]))).includes(WAIT_2));
  assert.ok(namesOf(auditChecks(resultOf([{ level: 'async' }]))).includes(REFUSED));
  const library = resultOf([{ level: 'async', audit: { writer: 'redis' } }]);
  assert.ok(
    !namesOf(auditChecks(library)).includes(REFUSED),
    'that a library is refused what it sent twice is no defect of Redis',
  );
});

test('a claim that does not hold fails', () => {
  const failing = (/** @type {import('./schema.js').Check[]} */ checks) => namesOf(checks.filter(({ ok }) => !ok));
  assert.deepEqual(failing(failoverChecks(resultOf([{ level: 'wait2' }]))), []);
  assert.deepEqual(failing(failoverChecks(resultOf([{ level: 'wait2', audit: { ackedLost: 1 } }]))), [WAIT_2]);
  assert.deepEqual(failing(auditChecks(resultOf([{ level: 'async', audit: { rejected: 2, rejectedPresent: 1 } }]))), [
    REFUSED,
  ]);
});
