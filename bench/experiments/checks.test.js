import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { auditChecks, failoverChecks } from './checks.js';

/**
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { Check } from '../../src/result/schema.js'
 */

/** @param {{mode: string, audit?: Partial<AuditResult>}[]} cases */
const oneCaseEach = (cases) =>
  failureBenchmarkOf(
    'primary-killed',
    cases.map(({ mode, audit }) => ({ mode, audits: [auditOf(mode, audit)], trials: [trialOf(mode)] })),
  );

const namesOf = (/** @type {Check[]} */ checks) => checks.map(({ name }) => name);
const WAIT_2 = 'nothing that WAIT 2 acknowledged is lost';
const REFUSED = 'nothing rejected is present';

test('a claim about cases that the run left out is not made', () => {
  assert.ok(namesOf(failoverChecks(oneCaseEach([{ mode: 'wait2' }]))).includes(WAIT_2));
  assert.ok(!namesOf(failoverChecks(oneCaseEach([{ mode: 'async' }]))).includes(WAIT_2));
  assert.ok(namesOf(auditChecks(oneCaseEach([{ mode: 'async' }]))).includes(REFUSED));
  const library = oneCaseEach([{ mode: 'async', audit: { writer: 'redis' } }]);
  assert.ok(!namesOf(auditChecks(library)).includes(REFUSED), 'a library that repeats a write may be refused');
});

test('a claim that does not hold fails', () => {
  const failing = (/** @type {Check[]} */ checks) => namesOf(checks.filter(({ ok }) => !ok));
  assert.deepEqual(failing(failoverChecks(oneCaseEach([{ mode: 'wait2' }]))), []);
  assert.deepEqual(failing(failoverChecks(oneCaseEach([{ mode: 'wait2', audit: { ackedLost: 1 } }]))), [WAIT_2]);
  assert.deepEqual(failing(auditChecks(oneCaseEach([{ mode: 'async', audit: { rejected: 2, rejectedPresent: 1 } }]))), [
    REFUSED,
  ]);
});

test('whichever replica is promoted, it has confirmed the write where all have to', () => {
  const claims = (/** @type {number} */ wait, /** @type {number | undefined} */ replicas) => {
    const result = oneCaseEach([{ mode: 'wait2', audit: { ackedLost: 1 } }]);
    Object.assign(result.cases[0].params, { mode: `wait${wait}`, wait, ...(replicas && { replicas }) });
    return failoverChecks(result).filter(({ name }) => name.startsWith('nothing that WAIT'));
  };
  assert.deepEqual(
    claims(4, 4).map(({ name, ok }) => [name, ok]),
    [['nothing that WAIT 4 acknowledged is lost', false]],
  );
  assert.equal(claims(1, 1)[0].name, 'nothing that WAIT 1 acknowledged is lost');
  assert.deepEqual([...claims(2, 4), ...claims(1, undefined)], []);
});
