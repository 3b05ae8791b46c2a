import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { needs } from '../../test/needs.js';
import { BY_SHAKE } from './marks.js';
import { migrate } from './scenarios.js';

const folder = await ownTemporaryFolder();
const skip = await needs('redis-server', 'valkey-server', 'redis-shake');

test('a migration by RedisShake and its cut-over lose no acknowledged write', { skip }, async () => {
  const servers = await findServers(['redis-server', 'valkey-server']);
  const { result, stopped } = await runSuite({
    suite: 'upgrade',
    benchmarks: [
      { ...migrate, cases: (options) => migrate.cases(options).filter(({ params }) => params.way === BY_SHAKE) },
    ],
    profile: { ...PROFILES.quick, trials: 1, healthySeconds: 0.5, writesPerSecond: 300 },
    seed: 1,
    lanes: 2,
    folder: async () => folder,
    command: 'sentinel-bench run migrate',
    stack: { backend: 'local', server: servers[0].path, servers },
    progress: { tell() {}, now() {}, stop() {} },
    signal: new AbortController().signal,
  });
  assert.equal(stopped, undefined);
  const [{ status, reason, audit = [], timeline = [], checks }] = result.benchmarks;
  assert.equal(status, 'ok', reason);
  assert.equal(audit.length, 4, 'two modes, two writers');
  for (const { case: id, writer, acked, ackedLost, present } of audit) {
    assert.deepEqual([acked > 0, ackedLost], [true, 0], `${id}, ${writer}`);
    assert.ok(Math.min(...Object.values(present)) >= acked, 'the nodes that started empty have every write');
  }
  for (const { events, converged } of timeline) {
    assert.equal(converged?.primary, 'redis-3', 'the copy');
    const followed = events.flatMap(({ kind, node }) => (kind === 'followed' ? node : []));
    assert.deepEqual(followed, ['redis-2', 'redis-1']);
  }
  assert.ok(checks.every(({ ok }) => ok));
  assert.deepEqual(
    result.stack.servers?.map(({ name }) => name),
    ['redis', 'valkey'],
  );
});
