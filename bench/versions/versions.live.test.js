import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { lookAtImage } from '../../src/stacks/redis/docker/image.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { needs, REDIS_IMAGE, VALKEY_IMAGE } from '../../test/needs.js';
import versions from './index.js';

/** @import { Result } from '../../src/result/schema.js' */
/** @import { Benchmark } from '../../src/run/types.js' */
/** @import { StackOptions } from '../../src/stacks/types.js' */

const folder = await ownTemporaryFolder();
const noImages = await needs('docker', 'both images');
const PACE = { rounds: 2, seconds: 0.05, warmUpSeconds: 0.01 };

/** @param {string} name */
function benchmarkOf(name) {
  const benchmark = /** @type {Benchmark} */ (versions.benchmarks.find((each) => each.name === name));
  return /** @type {Benchmark} */ ({
    ...only(benchmark, isShort),
    ...(benchmark.kind === 'load' && { pace: () => PACE }),
  });
}

/** @param {ReturnType<Benchmark['cases']>[number]} theCase */
function isShort({ params: { mode = '', pipeline } }) {
  return ['async', 'wait1'].includes(mode) && pipeline === 1;
}

/**
 * @param {Pick<StackOptions, 'backend' | 'servers' | 'server' | 'image'>} stack
 * @param {string[]} [names] of benchmarks
 * @returns {Promise<{result: Result, order: string[]}>} order: of the rounds, by server
 */
async function measure(stack, names = ['versions-cost', 'versions-failover']) {
  /** @type {string[]} */
  const order = [];
  const ids = (stack.servers ?? []).map(({ id }) => id);
  const now = (/** @type {string} */ text) => {
    const [, id] = /^round \d of \d, (.*)/.exec(text) ?? [];
    if (id) order.push(String(ids.find((server) => id.startsWith(server))));
  };
  const result = await resultOf({
    benchmarks: names.map(benchmarkOf),
    profile: { healthySeconds: 0.5 },
    seed: 2,
    lanes: 2,
    folder: async () => folder,
    stack,
    progress: { tell() {}, now, stop() {} },
  });
  return { result, order };
}

/** @param {Awaited<ReturnType<typeof measure>>} measured @param {readonly string[]} ids */
function assertSideBySide({ result: { benchmarks }, order }, ids) {
  for (const each of benchmarks) assertMeasured(each);
  const [cost, failover] = benchmarks;
  for (const id of ids) {
    const cases = cost.cases.filter(({ params }) => params.server === id);
    assert.deepEqual(
      cases.map(({ rounds }) => rounds.length),
      [2, 2],
    );
    for (const { rounds } of cases) for (const { outcomes } of rounds) assert.ok(outcomes.acked > 0);
    if (failover) assert.ok(failover.audit?.some((each) => each.case.startsWith(id) && each.acked > 0));
  }
  // Half of the rounds are first rounds: every server had its turn before the second ones began.
  assert.deepEqual([...new Set(order.slice(0, order.length / 2))].sort(), [...ids].sort());
}

test('two servers are measured side by side, their rounds interleaved', {
  skip: await needs('redis-server', 'valkey-server'),
}, async () => {
  const servers = await findServers(['redis-server', 'valkey-server']);
  const ids = servers.map(({ id }) => id);
  assertSideBySide(await measure({ backend: 'local', servers, server: servers[0].path }), ids);
});

test('two images are measured side by side', { skip: noImages }, async () => {
  const option = { look: lookAtImage, option: '--image' };
  const servers = await findServers([REDIS_IMAGE, VALKEY_IMAGE], option);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['redis', 'valkey'],
  );
  const ids = servers.map(({ id }) => id);
  assertSideBySide(await measure({ backend: 'docker', servers, image: REDIS_IMAGE }, ['versions-cost']), ids);
  await assert.rejects(findServers([REDIS_IMAGE, REDIS_IMAGE], option), /which --image names twice/);
});
