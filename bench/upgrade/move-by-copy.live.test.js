import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertChecksHold, assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { needs } from '../../test/needs.js';
import { BY_SHAKE } from './marks.js';
import { migrate } from './scenarios.js';

const folder = await ownTemporaryFolder();
const skip = await needs('redis-server', 'valkey-server', 'redis-shake');

test('a migration by RedisShake and its cut-over lose no acknowledged write', { skip }, async () => {
  const servers = await findServers(['redis-server', 'valkey-server']);
  const { benchmarks, stack } = await resultOf({
    benchmarks: [only(migrate, ({ params }) => params.way === BY_SHAKE)],
    profile: { healthySeconds: 0.5, writesPerSecond: 300 },
    lanes: 2,
    folder: async () => folder,
    stack: { backend: 'local', server: servers[0].path, servers },
  });
  const [measured] = benchmarks;
  assertMeasured(measured);
  assertChecksHold(measured);
  const { audit = [], timeline = [] } = measured;
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
  assert.deepEqual(
    stack.servers?.map(({ name }) => name),
    ['redis', 'valkey'],
  );
});
