import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import upgrade from './index.js';
import { BY_SCRIPT, BY_SHAKE } from './marks.js';
import { migrations, upgrades } from './pairs.js';
import { downgrade, migrate, rollingUpgrade } from './scenarios.js';

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
  const local = /** @type {any} */ ({ backend: 'local', ours: true });
  const of = (/** @type {string} */ id) => rollingUpgrade.cases(OPTIONS).find((each) => each.id === id);
  const old = of('redis-7.2.4-to-redis-8.0.2-async-coordinated');
  const young = of('valkey-8.1.1-to-valkey-9.1.2-async-coordinated');
  assert.ok(old && young);
  assert.match(String(await rollingUpgrade.whyNotCase?.(old, local)), /do not know COORDINATED/);
  assert.equal(await rollingUpgrade.whyNotCase?.(young, local), null);
  assert.match(String(await migrate.whyNotCase?.(young, { ...local, ours: false })), /Only local stacks/);
});

test('a downgrade begins with the newer server', () => {
  const [{ params }] = downgrade.cases(OPTIONS);
  assert.deepEqual([params.server, params.nextServer], ['redis-7.2.4', 'redis-7.0.15']);
});

/** @param {string} name @param {number} ackedLost @param {import('../../src/result/events.js').EventKind} kind @param {string} [way] */
function measured(name, ackedLost, kind, way = BY_SCRIPT) {
  const trial = trialOf('a');
  const event = { at: 1, by: 'harness', kind, node: 'redis-2' };
  const benchmark = failureBenchmarkOf(name, [
    {
      mode: 'a',
      audits: [auditOf('a', { ackedLost, acked: 9000 })],
      trials: [{ ...trial, events: [...trial.events, event] }],
    },
  ]);
  const [one] = benchmark.cases;
  Object.assign(one.params, { server: 'redis-8.0.2', nextServer: 'valkey-8.1.1', way, rate: 1000 });
  const findings = upgrade.benchmarks.find((each) => each.name === name)?.findings(benchmark, {}) ?? [];
  return { ...benchmark, findings };
}

test('the page has steps to follow only if they lost nothing', () => {
  const pageOf = (/** @type {ReturnType<typeof measured>} */ one) =>
    renderFrontPage(failureResultOf([one]), [upgrade], NAMED_FIGURES);
  const safe = pageOf(measured('rolling-upgrade', 0, 'followed'));
  assert.match(safe, /^- Acknowledged writes lost: by planned-failover\.sh none \(1 case, outage 1\.20 s\)\./m);
  assert.match(safe, /This order of steps lost nothing here/);
  assert.match(safe, /\| Redis 8\.0\.2 → Valkey 8\.1\.1 +\|.*\| yes +\| 0/);
  const losing = pageOf(measured('rolling-upgrade', 400, 'followed'));
  assert.doesNotMatch(losing, /lost nothing/);
  assert.match(losing, /^- Acknowledged writes lost: by planned-failover\.sh up to 400 \(400 ms\) with a \(1 case,/m);
});

test('the page has the steps of a copy only if they lost nothing', () => {
  const pageOf = (/** @type {number} */ lost) =>
    renderFrontPage(failureResultOf([measured('migrate', lost, 'followed', BY_SHAKE)]), [upgrade], NAMED_FIGURES);
  assert.match(
    pageOf(0),
    /let RedisShake copy.*\n\n1\. .*\n2\. .*\n3\. .*\n4\. .*`CLIENT PAUSE 300000 WRITE` at the primary.*\n5\. `SENTINEL REMOVE mymaster` at every Sentinel.*\n6\. At every Sentinel `SENTINEL MONITOR/,
  );
  assert.match(pageOf(0), /`SENTINEL MONITOR mymaster`/);
  assert.doesNotMatch(pageOf(5), /RedisShake copy/);
});
