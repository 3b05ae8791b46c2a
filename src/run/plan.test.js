import assert from 'node:assert/strict';
import { test } from 'node:test';
import persistence from '../../bench/persistence/persistence.js';
import { killed as sweepKilled } from '../../bench/sweep/failures.js';
import sweepHealthy from '../../bench/sweep/healthy.js';

import { ExitStatus, UserError } from '../errors.js';

import { randomFrom } from '../stats/random.js';
import { planBenchmarks } from './plan.js';
import { PROFILES } from './profiles.js';

test('what a case is about weighs more than what the user asks of all of them', async () => {
  const primary = { id: 'redis-1' };
  const cluster = {
    backend: 'local',
    ours: true,
    can: new Set([...sweepKilled.needs, 'configure']),
    server: { name: 'valkey', version: '8.0.1' },
    primary: async () => primary,
  };
  const bench = /** @type {any} */ ({
    cluster,
    controls: new Map([[primary.id, {}]]),
    profile: PROFILES.standard,
    random: randomFrom(1),
    signal: new AbortController().signal,
  });
  const options = { benchmarks: [sweepKilled], trialParams: { downAfterMs: 2000 }, cluster: {} };
  const [{ whyNot, cases }] = await planBenchmarks(bench, /** @type {any} */ (options), []);
  assert.equal(whyNot, null);
  for (const { id, params } of cases) {
    const own = /down-after-(\d+)s/.exec(params.variant ?? '')?.[1];
    assert.equal(params.downAfterMs, own === undefined ? 2000 : Number(own) * 1000, id);
  }
  assert.deepEqual([...new Set(cases.map(({ params }) => params.downAfterMs))], [2000, 1000, 30_000]);
});

test('on a deployment that exists nothing is measured that would replace an append-only file', async () => {
  const primary = { id: 'redis-1' };
  const cluster = {
    backend: 'external',
    ours: false,
    can: new Set(['configure', 'stats', 'stop']),
    server: { name: 'redis', version: '7.0.15' },
    primary: async () => primary,
  };
  const bench = /** @type {any} */ ({
    cluster,
    controls: new Map([[primary.id, { call: async () => ['appendonly', 'no'] }]]),
    profile: PROFILES.quick,
    random: randomFrom(1),
    signal: new AbortController().signal,
  });
  const storages = [{ label: 'tmp', path: '/tmp', emulated: false }];
  const options = { benchmarks: [sweepHealthy, persistence], cluster: {} };
  const [healthy, skipped] = await planBenchmarks(bench, /** @type {any} */ (options), storages);
  assert.equal(healthy.whyNot, null);
  assert.ok(healthy.cases.length > 0 && healthy.cases.every(({ params }) => params.settings?.appendonly !== 'yes'));
  assert.deepEqual(healthy.leftOut, ['aof-no', 'aof', 'aof-always']);
  assert.match(String(skipped.whyNot), /stacks of its own/);
  assert.deepEqual(skipped.leftOut, [], 'that is for another reason');
  // Trying the settings out would replace it as well.
  const asked = { benchmarks: [sweepHealthy], cluster: { settings: { appendonly: 'yes' } } };
  await assert.rejects(planBenchmarks(bench, /** @type {any} */ (asked), []), (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, /append-only file off/);
    assert.equal(error.exitStatus, ExitStatus.badInput);
    return true;
  });
});
