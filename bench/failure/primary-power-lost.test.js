import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { scenarioNamed } from './fixture.js';

const primaryPowerLost = scenarioNamed('primary-power-lost');

/**
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 */

const VALKEY = { name: 'valkey', version: '8.0.1' };
const CASES = primaryPowerLost.cases({ server: VALKEY, storages: [], profile: PROFILES.standard });
const PROMISE = /confirmed as synced survives/;

/**
 * @param {Record<string, Partial<AuditResult>>} audits by the id of the case
 * @returns {BenchmarkResult} one trial of each case
 */
function resultOf(audits) {
  const ids = Object.keys(audits);
  const measured = failureBenchmarkOf(
    'primary-power-lost',
    ids.map((id) => ({ mode: id, audits: [auditOf(id, audits[id])], trials: [trialOf(id)] })),
  );
  return {
    ...measured,
    cases: measured.cases.map((one) => ({
      ...one,
      params: CASES.find(({ id }) => id === one.id)?.params ?? one.params,
    })),
  };
}

/** @param {BenchmarkResult} result */
const promiseOf = (result) =>
  primaryPowerLost.checks(result, { server: VALKEY }).find(({ name }) => PROMISE.test(name));

describe('a confirmed write that is lost', () => {
  test('is a broken promise, with the name and the version of the server', () => {
    const result = resultOf({
      'aof-in-place': { acked: 5000, ackedLost: 900 },
      'aof-always-in-place': { acked: 5000 },
      'waitaof-local-everysec-in-place': { acked: 400, ackedLost: 30 },
    });
    assert.equal(promiseOf(result)?.ok, false);
    assert.equal(
      promiseOf(result)?.detail,
      'WAITAOF 1 0 + AOF everysec (restarted in place): 30 of 400 writes that valkey 8.0.1 had confirmed as synced were not on its disk',
    );
  });

  test('breaks no promise of a mode that makes none, or when a replica took over', () => {
    const result = resultOf({
      'defaults-in-place': { ackedLost: 10_000 },
      'aof-always-in-place': { acked: 5000 },
      'waitaof-local-everysec-promoted': { acked: 400, ackedLost: 30 },
    });
    assert.deepEqual(promiseOf(result), {
      name: 'every write that the server confirmed as synced survives a power loss',
      ok: true,
      detail: '0 of 5,000 confirmed writes lost',
    });
  });

  test('needs a confirmed write: without one the check fails', () => {
    const check = promiseOf(resultOf({ 'waitaof-local-everysec-in-place': { acked: 0 } }));
    assert.equal(check?.ok, false);
    assert.match(String(check?.detail), /tested nothing/);
  });
});
