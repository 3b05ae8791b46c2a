import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { BY_SCRIPT } from '../experiments/rolling-restart.js';
import upgrade from './index.js';
import { migrate, migrations, rollingUpgrade, upgrades } from './scenarios.js';

const SERVERS = ['redis-8.0.2', 'valkey-9.1.2', 'redis-7.0.15', 'valkey-8.1.1', 'redis-7.2.4'].map((id) => {
  const [name, version] = id.split('-');
  return { id, name, version };
});
const OPTIONS = { profile: PROFILES.quick, server: SERVERS[0], servers: SERVERS, storages: [] };

/** @param {ReturnType<typeof upgrades>} pairs */
const textOf = (pairs) => pairs.map(({ from, to }) => `${from.id} ${to.id}`);

test('upgrades go to the next version of one product, migrations to the oldest Valkey', () => {
  assert.deepEqual(textOf(upgrades(SERVERS)), [
    'redis-7.0.15 redis-7.2.4',
    'redis-7.2.4 redis-8.0.2',
    'valkey-8.1.1 valkey-9.1.2',
  ]);
  assert.deepEqual(textOf(migrations(SERVERS)), [
    'redis-7.0.15 valkey-8.1.1',
    'redis-7.2.4 valkey-8.1.1',
    'redis-8.0.2 valkey-8.1.1',
  ]);
  assert.deepEqual(migrations(SERVERS.slice(0, 1)), []);
});

test('with one server each case says why it is skipped, and how to get another', async () => {
  for (const benchmark of upgrade.benchmarks) {
    const cases = benchmark.cases({ ...OPTIONS, servers: undefined });
    assert.ok(cases.length > 0);
    for (const each of cases)
      assert.match(
        String(await benchmark.whyNotCase?.(each, /** @type {any} */ ({}))),
        /needs two servers.*newer-servers\.sh/,
      );
  }
});

test('COORDINATED needs a Sentinel that knows it; a stack that is up keeps its server', async () => {
  const local = /** @type {any} */ ({ about: { backend: 'local', ours: true } });
  const of = (/** @type {string} */ id) => rollingUpgrade.cases(OPTIONS).find((each) => each.id === id);
  const old = of('redis-7.2.4-to-redis-8.0.2-async-coordinated');
  const young = of('valkey-8.1.1-to-valkey-9.1.2-async-coordinated');
  assert.ok(old && young);
  assert.match(String(await rollingUpgrade.whyNotCase?.(old, local)), /do not know COORDINATED/);
  assert.equal(await rollingUpgrade.whyNotCase?.(young, local), null);
  assert.match(
    String(await migrate.whyNotCase?.(young, /** @type {any} */ ({ about: { backend: 'local', ours: false } }))),
    /Only local stacks/,
  );
});

/** @param {number} ackedLost @param {import('../../src/result/events.js').EventKind} kind @param {string} [way] */
function pageOf(ackedLost, kind, way = BY_SCRIPT) {
  const trial = trialOf('a');
  const event = { at: 1, by: 'harness', kind, node: 'redis-2' };
  const benchmark = failureBenchmarkOf('rolling-upgrade', [
    {
      mode: 'a',
      audits: [auditOf('a', { ackedLost, acked: 9000 })],
      trials: [{ ...trial, events: [...trial.events, event] }],
    },
  ]);
  Object.assign(benchmark.cases[0].params, { server: 'redis-8.0.2', nextServer: 'valkey-8.1.1', way, rate: 1000 });
  return renderFrontPage(failureResultOf([benchmark]), [upgrade], NAMED_FIGURES);
}

test('the page has steps to follow only if they lost nothing', () => {
  const safe = pageOf(0, 'followed');
  assert.match(safe, /^- No confirmed write was lost when the primary moved by planned-failover\.sh\.$/m);
  assert.match(safe, /examples\/planned-failover\.sh --sentinel/);
  assert.match(safe, /\| Redis 8\.0\.2 → Valkey 8\.1\.1 \| +0\/1 \|/);
  const losing = pageOf(400, 'followed');
  assert.match(
    losing,
    /^- Moved by planned-failover\.sh, it lost up to 400 ms of confirmed writes, in 1 of 1 trial\.$/m,
  );
  assert.doesNotMatch(losing, /## What to do/);
  assert.match(pageOf(0, 'followed', 'by-redis-shake'), /let RedisShake copy/);
});

test('a replica that could not follow is no safe way', () => {
  const page = pageOf(0, 'not-followed');
  assert.match(page, /could not follow, so the nodes were not moved: Redis 8\.0\.2 → Valkey 8\.1\.1\./);
  assert.doesNotMatch(page, /No confirmed write was lost|## What to do/);
});
