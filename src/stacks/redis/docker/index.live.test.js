import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { ExitStatus } from '../../../errors.js';
import { askNode } from '../../ask.js';
import { assertConfined, eventually, takeUsualPort } from '../../fixture.js';
import { chooseImage, openEngine, runDocker } from '../../hosts/docker/engine.js';
import { findNodes, openSite } from '../../hosts/docker/nodes.js';
import { choosePlacement, portVariable } from '../../hosts/docker/placement.js';
import { recoverDocker } from '../../hosts/docker/project.js';
import { writeAndWait } from '../conformance-help.js';
import { primaryAddress } from '../observe.js';
import { NODES } from '../topology.js';
import { attachDocker, dockerAvailable, openContainers, startDocker } from './index.js';

/**
 * @import { Stack } from '../../types.js'
 * @import { Control } from '../control.js'
 */

const skip = await needs('docker');

/** @param {Promise<unknown>} refused @param {RegExp} message @param {RegExp} remedy */
const isRefused = (refused, message, remedy) =>
  assert.rejects(refused, { name: 'UserError', message, remedy, exitStatus: ExitStatus.environment });

/**
 * @param {NodeJS.ProcessEnv} changes undefined: unset
 * @param {() => Promise<void>} body
 */
async function withEnvironment(changes, body) {
  const saved = Object.fromEntries(Object.keys(changes).map((name) => [name, process.env[name]]));
  /** @param {NodeJS.ProcessEnv} values */
  const apply = (values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  apply(changes);
  try {
    await body();
  } finally {
    apply(saved);
  }
}

describe('a stack in containers', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startDocker();
    // Its primary is partitioned for a moment, which on a busy machine may be a long one: it shall be the primary all the same.
    for (const { id, kind } of stack.nodes) {
      if (kind !== 'sentinel') continue;
      await askPatiently(id, (control) =>
        control.call('SENTINEL', 'SET', 'mymaster', 'down-after-milliseconds', 120_000),
      );
    }
  });
  after(() => stack?.close());

  /**
   * @template T
   * @param {string} id
   * @param {(control: Control) => Promise<T>} question
   */
  const askPatiently = (id, question) => askNode(stack, id, question, { timeoutMs: 20_000 });

  it('announces addresses that are not the ones clients use', async () => {
    for (const { announced, address } of stack.nodes) assert.notEqual(announced.host, address.host);
    const named = await askPatiently('sentinel-1', (control) => primaryAddress(control, 'mymaster'));
    assert.deepEqual(named, stack.nodes[0].announced);
  });

  it('has containers with an unprivileged user, no capabilities and a root that cannot be written', async () => {
    const engine = await openEngine();
    const image = await engine.getImage((await chooseImage(engine, process.env.SENTINEL_BENCH_IMAGE)).image).inspect();
    const nodes = await findNodes(engine, stack.about.identity);
    assert.equal(nodes.length, NODES.length);
    for (const { id, container } of nodes) {
      const inspected = await engine.getContainer(container).inspect();
      assertConfined(inspected, '999:999');
      assert.deepEqual(
        inspected.Config.Entrypoint ?? null,
        image.Config.Entrypoint ?? null,
        `${id} has its image's entry point`,
      );
      assert.deepEqual(inspected.Mounts.map(({ Type, Destination, RW }) => [Type, Destination, RW]).sort(), [
        ['bind', `/conf/${id.replace(/-\d$/, '')}.conf`, false],
        ['volume', '/data', true],
      ]);
    }
  });

  it('is reached through published ports where the containers’ addresses are not routed', async () => {
    const site = await openSite(await openEngine(), stack.about.identity, async () => false);
    const published = await openContainers(site);
    try {
      assert.equal(published.about.path, 'published port');
      for (const { address } of published.nodes) assert.equal(address.host, '127.0.0.1');
      assert.equal((await published.database.primary()).id, 'redis-1');
    } finally {
      await published.close();
    }
  });

  it('stops a paused node without hanging, and heals what is paused, partitioned and stopped at once', async () => {
    await stack.host.act('redis-2', 'pause');
    await stack.host.act('redis-2', 'stop');
    const engine = await openEngine();
    const node = (await findNodes(engine, stack.about.identity)).find(({ id }) => id === 'redis-2');
    const { State } = await engine.getContainer(String(node?.container)).inspect();
    assert.equal(State.ExitCode, 0, 'it ended by itself, and was not killed once its time was up');
    await stack.host.act('redis-2', 'partition');
    await stack.host.act('redis-3', 'partition');
    await stack.host.act('redis-3', 'pause');
    await stack.host.act('sentinel-3', 'partition');
    await stack.host.act('sentinel-3', 'kill');
    await stack.heal();
    await eventually('both replicas acknowledge', async () => (await writeAndWait(stack, 2)).reached === 2);
    await stack.heal();
  });
});

test('a stack that stays is not started twice', { skip }, async () => {
  // Its own project: a test must not touch another stack of this machine.
  await withEnvironment({ COMPOSE_PROJECT_NAME: `sentinel-bench-test-${process.pid}` }, async () => {
    const started = await startDocker({ detached: true });
    try {
      await recoverDocker();
      const found = await attachDocker();
      assert.deepEqual(found?.nodes, started.nodes);
      await found?.close();
      await isRefused(startDocker({ detached: true }), /already up/, /stop\.sh/);
    } finally {
      await started.down();
    }
  });
});

describe('a place for a stack', { skip }, () => {
  it('moves off a default port that is taken, and says so', async () => {
    const engine = await openEngine();
    const taken = await takeUsualPort();
    try {
      /** @type {string[]} */
      const messages = [];
      const { env } = await choosePlacement(engine, {
        useDefaults: true,
        environment: {},
        tell: (line) => messages.push(line),
      });
      assert.notEqual(env[portVariable(taken.id)], String(taken.port), `bound by this test: ${taken.ours}`);
      assert.equal(new Set(NODES.map(({ id }) => env[portVariable(id)])).size, NODES.length);
      assert.match(messages.join('\n'), new RegExp(`${taken.id} on ${env[portVariable(taken.id)]}\\b`));
    } finally {
      taken.close();
    }
  });
});

describe('what is missing is named', () => {
  it('an image that cannot be pulled', { skip }, async () => {
    const image = 'sentinel-bench.invalid/none:missing';
    await isRefused(
      startDocker({ image }),
      /sentinel-bench\.invalid\/none:missing/,
      /build-image\.sh.*SENTINEL_BENCH_IMAGE/,
    );
    assert.equal((await dockerAvailable({ image })).ok, false);
  });

  it('the docker command, or Compose', { skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sentinel-bench-test-'));
    try {
      await withEnvironment({ PATH: folder }, () => isRefused(openEngine(), /no `docker` command/, /apt install/));
      const endpoint = await runDocker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
      const fake = `#!/bin/sh\n[ "$1" = context ] && echo '${endpoint.stdout.trim()}' || exit 1\n`;
      await writeFile(join(folder, 'docker'), fake);
      await chmod(join(folder, 'docker'), 0o755);
      await withEnvironment({ PATH: folder }, () => isRefused(openEngine(), /Compose is missing/, /docker-compose/));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
