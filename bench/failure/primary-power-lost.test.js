import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { missingFor, whySkipped } from '../../src/run/abilities.js';
import { planBenchmarks } from '../../src/run/plan.js';
import { PROFILES } from '../../src/run/profiles.js';
import { redis } from '../../src/stacks/redis/system.js';
import { randomFrom } from '../../src/stats/random.js';
import { scenarioNamed } from './fixture.js';

const primaryPowerLost = scenarioNamed('primary-power-lost');

/**
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 */

const VALKEY = { name: 'valkey', version: '8.0.1' };
const OPTIONS = { server: VALKEY, storages: [] };
const CASES = primaryPowerLost.cases({ ...OPTIONS, profile: PROFILES.standard });
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

/** @param {BenchmarkResult} result */
const findingsOf = (result) => primaryPowerLost.findings(result, { server: VALKEY }).map(({ text }) => text);

describe('cases of a power loss', () => {
  test('the quick profile measures a few modes restarted in place, and one with a promotion', () => {
    const quick = primaryPowerLost.cases({ ...OPTIONS, profile: PROFILES.quick }).map(({ id }) => id);
    assert.deepEqual(quick, [
      'defaults-in-place',
      'aof-in-place',
      'aof-always-in-place',
      'wait1-min1-aof-in-place',
      'wait2-min2-aof-always-in-place',
      'wait2-aof-in-place',
      'min1-aof-in-place',
      'waitaof-local-everysec-in-place',
      'aof-promoted',
    ]);
  });

  test('Sentinels do not notice a restart in place, and WAITAOF has time for a sync a second', () => {
    for (const { id, params } of CASES) {
      assert.equal(params.downAfterMs, params.way === 'promoted' ? undefined : 30_000, id);
      if (params.waitLocal === 1 && params.settings?.appendfsync === 'everysec') {
        assert.ok(params.waitTimeoutMs > 2000 && params.connections >= 100, id);
      }
    }
  });
});

describe('a confirmed write that is lost', () => {
  test('is a broken promise, with the name and the version of the server', () => {
    const result = resultOf({
      'aof-in-place': { acked: 5000, ackedLost: 900 },
      'aof-always-in-place': { acked: 5000 },
      'waitaof-local-everysec-in-place': { acked: 400, ackedLost: 30 },
    });
    assert.deepEqual(findingsOf(result), [
      'valkey 8.0.1 broke the promise of WAITAOF 1 0 + AOF everysec: 30 of 400 writes confirmed as synced were not on its disk',
      'Restarted in place: AOF everysec lost 900 acknowledged writes (900 ms), WAITAOF 1 0 + AOF everysec lost 30 (30.0 ms); AOF always lost none (1 trial each)',
    ]);
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
    assert.ok(findingsOf(result).every((text) => !text.includes('promise')));
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

for (const backend of ['local', 'docker']) {
  test(`a ${backend} stack of our own can be started with such a disk; one that is up cannot get it`, () => {
    const stack = (/** @type {boolean} */ ours) =>
      /** @type {any} */ ({ about: { backend, ours }, can: new Set(['kill', 'configure']), network: { groups: null } });
    assert.deepEqual(missingFor(primaryPowerLost, stack(true)), []);
    assert.deepEqual(missingFor(primaryPowerLost, stack(false)), ['power-loss']);
    assert.equal(
      whySkipped(stack(false), ['power-loss']),
      `The ${backend} stack that is up cannot cut the power of a disk here; take it down with \`sentinel-bench down\`; a run then starts stacks of its own.`,
    );
  });
}

test('on an existing deployment it is skipped, with the remedy', async () => {
  const primary = { id: 'redis-1' };
  const testbed = /** @type {any} */ ({
    stack: {
      nodes: ['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, kind: 'redis' })),
      about: { backend: 'external', ours: false, server: VALKEY },
      can: new Set(['kill', 'configure']),
      database: { ...redis, primary: async () => primary },
      network: { groups: null },
    },
    controls: new Map([[primary.id, { call: async () => ['appendonly', 'yes'], info: async () => ({}) }]]),
    profile: PROFILES.quick,
    random: randomFrom(1),
    signal: new AbortController().signal,
  });
  const options = /** @type {any} */ ({ benchmarks: [primaryPowerLost], stack: {} });
  const [{ whyNot }] = await planBenchmarks(testbed, options, []);
  assert.equal(whyNot, 'The external deployment cannot cut the power of a disk here; use --backend local or docker.');
});
