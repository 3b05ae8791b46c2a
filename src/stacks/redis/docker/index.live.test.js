import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { ExitStatus, UserError } from '../../../errors.js';
import { chooseImage, openEngine, runDocker } from '../../docker/engine.js';
import { findNodes } from '../../docker/nodes.js';
import { choosePlacement, overlaps, portVariable } from '../../docker/placement.js';
import { abandonedProjects, ownerIsDead, ownerLabel, whatIsLeft } from '../../docker/project.js';
import { recoverDocker } from '../../docker/recover.js';
import { assertConfined, eventually, takeUsualPort } from '../../fixture.js';
import { freePort, isPortFree } from '../../ports.js';
import { wholeSnapshot } from '../conformance-help.js';
import { connectControl } from '../control.js';
import { NODES } from '../topology.js';
import { attachDocker, dockerAvailable, startDocker } from './index.js';
import { openDockerStack } from './stack.js';

/**
 * @import { Stack } from '../../types.js'
 * @import { Control } from '../control.js'
 * @import { AddressInfo } from 'node:net'
 */

const skip = await needs('docker');

const MIB = 2 ** 20;

/**
 * @param {unknown} error
 * @param {RegExp} message
 * @param {RegExp} remedy
 */
function assertUserError(error, message, remedy) {
  assert.ok(error instanceof UserError, String(error));
  assert.match(error.message, message);
  assert.match(error.remedy, remedy);
  assert.equal(error.exitStatus, ExitStatus.environment);
  return true;
}

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

/** @param {Stack} stack */
async function projectOf(stack) {
  const engine = await openEngine();
  const containers = await engine.listContainers({ filters: { label: ['sentinel-bench.node=redis-1'] } });
  for (const { Id, Labels } of containers) {
    const { NetworkSettings } = await engine.getContainer(Id).inspect();
    const addresses = Object.values(NetworkSettings.Networks).map((network) => network.IPAddress);
    if (addresses.includes(stack.nodes[0].announced.host)) return Labels['com.docker.compose.project'];
  }
  return assert.fail('the stack has no container');
}

describe('a stack in containers', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startDocker();
    // Its primary is partitioned for a moment, which on a busy machine may be a long one: it shall be the primary all the same.
    for (const { id, kind } of stack.nodes) {
      if (kind !== 'sentinel') continue;
      await withNode(id, async (control) => {
        await control.call('SENTINEL', 'SET', 'mymaster', 'down-after-milliseconds', 120_000);
      });
    }
  });
  after(() => stack?.close());

  /**
   * @param {string} id
   * @param {(control: Control) => Promise<void>} body
   */
  async function withNode(id, body) {
    const node = stack.nodes.find((each) => each.id === id);
    assert.ok(node);
    const control = await connectControl(node.address, {}, { timeoutMs: 20_000 });
    try {
      await body(control);
    } finally {
      control.close();
    }
  }

  /** @param {number} replicas */
  async function writeReaches(replicas) {
    let reached = -1;
    await withNode('redis-1', async (control) => {
      await control.call('SET', 'sentinel-bench:docker-test', '1');
      reached = Number(await control.call('WAIT', replicas, 500));
      await control.call('DEL', 'sentinel-bench:docker-test');
    });
    return reached;
  }

  it('announces addresses that are not the ones clients use, and maps them', async () => {
    for (const node of stack.nodes) {
      assert.notEqual(node.announced.host, node.address.host);
      assert.deepEqual(stack.reach(node.announced), node.address);
    }
    await withNode('sentinel-1', async (control) => {
      const [host, port] = /** @type {string[]} */ (
        await control.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
      );
      assert.deepEqual({ host, port: Number(port) }, stack.nodes[0].announced);
    });
  });

  it('has containers with an unprivileged user, no capabilities and a root that cannot be written', async () => {
    const engine = await openEngine();
    const image = await engine.getImage((await chooseImage(engine, process.env.SENTINEL_BENCH_IMAGE)).image).inspect();
    const nodes = await findNodes(engine, stack.identity);
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
    const dockerStack = await openDockerStack(await openEngine(), await projectOf(stack), {
      canReach: async () => false,
    });
    try {
      assert.equal(dockerStack.path, 'published port');
      for (const { address } of dockerStack.members.observer.nodes) assert.equal(address.host, '127.0.0.1');
      assert.equal((await dockerStack.members.primary()).id, 'redis-1');
    } finally {
      dockerStack.members.close();
    }
  });

  it('separates a replica from its peers and not from clients, and joins it again under its address', async () => {
    await eventually('both replicas acknowledge', async () => (await writeReaches(2)) === 2);
    await stack.act('redis-2', 'partition');
    await eventually('the other replica acknowledges', async () => {
      const reached = await writeReaches(2);
      assert.ok(reached < 2, 'the one that is partitioned does not');
      return reached === 1;
    });
    await withNode('redis-2', async (control) => assert.equal(await control.call('PING'), 'PONG'));

    await stack.act('redis-2', 'join');
    await eventually('both replicas acknowledge', async () => (await writeReaches(2)) === 2);
    const { redis } = await wholeSnapshot(stack);
    assert.deepEqual(redis[1].announced, stack.nodes[1].announced);
    assert.equal(redis[1].online, true, 'the primary knows it under the address it had');
  });

  it('partitions a primary: clients still write to it, no replica acknowledges', async () => {
    await stack.act('redis-1', 'partition');
    assert.equal(await writeReaches(1), 0);
    await stack.act('redis-1', 'join');
    await eventually('both replicas acknowledge', async () => (await writeReaches(2)) === 2);
  });

  it('joins a replica that was started while it was partitioned, without waiting for its dialling to time out', async () => {
    await stack.act('redis-3', 'stop');
    await stack.act('redis-3', 'partition');
    await stack.act('redis-3', 'start');
    await withNode('redis-3', async (control) =>
      assert.equal((await control.info('replication')).master_link_status, 'down'),
    );
    await stack.act('redis-3', 'join');
    // Dialling takes 60 s to time out.
    await eventually('both replicas acknowledge', async () => (await writeReaches(2)) === 2, 30_000);
  });

  it('finds an isolated node, and its addresses, also when it attaches', async () => {
    const before = stack.nodes.find(({ id }) => id === 'redis-3');
    await stack.act('redis-3', 'isolate');
    const dockerStack = await openDockerStack(await openEngine(), stack.identity);
    try {
      assert.equal(dockerStack.path, stack.path);
      assert.deepEqual(
        dockerStack.members.observer.nodes.find(({ id }) => id === 'redis-3'),
        before,
      );
    } finally {
      dockerStack.members.close();
      await stack.heal();
    }
  });

  it('stops a paused node without hanging, and heals what is paused, partitioned and stopped at once', async () => {
    await stack.act('redis-2', 'pause');
    await stack.act('redis-2', 'stop');
    const engine = await openEngine();
    const node = (await findNodes(engine, stack.identity)).find(({ id }) => id === 'redis-2');
    const { State } = await engine.getContainer(String(node?.container)).inspect();
    assert.equal(State.ExitCode, 0, 'it ended by itself, and was not killed once its time was up');
    await stack.act('redis-2', 'partition');
    await stack.act('redis-3', 'partition');
    await stack.act('redis-3', 'pause');
    await stack.act('sentinel-3', 'partition');
    await stack.act('sentinel-3', 'kill');
    await stack.heal();
    await eventually('both replicas acknowledge', async () => (await writeReaches(2)) === 2);
    await stack.heal();
  });

  it('has the kernel kill a node that takes more memory than its limit, until the limit is off', async () => {
    const { memoryLimit } = stack;
    assert.ok(memoryLimit);
    assert.equal(await memoryLimit.whyNot(), null);
    const takeMemory = () =>
      withNode('redis-3', async (control) => {
        await control.call('CONFIG', 'SET', 'replica-read-only', 'no');
        await control.call('SETRANGE', 'sentinel-bench:docker-test', 64 * MIB, '1');
        await control.call('DEL', 'sentinel-bench:docker-test');
        await control.call('CONFIG', 'SET', 'replica-read-only', 'yes');
      });
    await memoryLimit.set('redis-3', 32 * MIB);
    await assert.rejects(takeMemory());
    const engine = await openEngine();
    const node = (await findNodes(engine, stack.identity)).find(({ id }) => id === 'redis-3');
    const stateNow = async () => (await engine.getContainer(String(node?.container)).inspect()).State;
    await eventually('it has ended', async () => !(await stateNow()).Running);
    assert.equal((await stateNow()).ExitCode, 137, 'SIGKILL');

    await memoryLimit.lift('redis-3');
    await stack.act('redis-3', 'start');
    await takeMemory();
    await memoryLimit.set('redis-3', 32 * MIB);
    await memoryLimit.lift('redis-3');
    await memoryLimit.lift('redis-3');
    await takeMemory();
    await stack.heal();
  });

  it('counts what each node uses as the engine does, and leaves out stopped nodes', async () => {
    const samples = await stack.stats();
    assert.deepEqual(
      samples.map(({ id }) => id),
      NODES.map(({ id }) => id),
    );
    const engine = await openEngine();
    const [listed] = await engine.listContainers({
      filters: { label: [`com.docker.compose.project=${await projectOf(stack)}`, 'sentinel-bench.node=redis-1'] },
    });
    const stats = await engine.getContainer(listed.Id).stats({ stream: false });
    const receivedInAll = Object.values(stats.networks).reduce((total, { rx_bytes }) => total + rx_bytes, 0);
    const after = await stack.stats();
    const inOrder = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c) => a <= b && b <= c;
    assert.ok(
      inOrder(samples[0].cpuSeconds, stats.cpu_stats.cpu_usage.total_usage / 1e9, after[0].cpuSeconds),
      'CPU time lies between the two samples around it',
    );
    assert.ok(
      inOrder(samples[0].networkInBytes, receivedInAll, after[0].networkInBytes),
      'received bytes lie between the two samples around them',
    );
    assert.ok(samples.every(({ memoryBytes, pids }) => memoryBytes > 0 && pids > 0));

    await stack.act('sentinel-2', 'kill');
    assert.equal(
      (await stack.stats()).some(({ id }) => id === 'sentinel-2'),
      false,
    );
    await stack.heal();
  });

  it('says who took the port of a node that was stopped', async () => {
    const dockerStack = await openDockerStack(await openEngine(), await projectOf(stack), {
      canReach: async () => false,
    });
    dockerStack.members.close();
    const { port } = dockerStack.containers[5].published;
    await stack.act('sentinel-3', 'stop');
    await eventually(`port ${port} is free`, () => isPortFree(port));
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      await assert.rejects(stack.act('sentinel-3', 'start'), (error) =>
        assertUserError(error, new RegExp(`sentinel-3.*port ${port}.*process ${process.pid}`), /recover/),
      );
    } finally {
      server.close();
      await once(server, 'close');
      await stack.heal();
    }
  });

  it('is not taken for abandoned while its process lives', async () => {
    await recoverDocker();
    await stack.heal();
    assert.equal((await wholeSnapshot(stack)).primary, 'redis-1');
  });
});

describe('a stack that outlives its process', { skip }, () => {
  it('is found again, healthy or not, and is not started twice', async () => {
    // Its own project: a test must not touch another stack of this machine.
    await withEnvironment({ COMPOSE_PROJECT_NAME: `sentinel-bench-test-${process.pid}` }, async () => {
      assert.equal(await attachDocker(), null);
      const started = await startDocker({ detached: true });
      try {
        assert.equal(started.ours, false);
        await started.close();
        await recoverDocker();
        const found = await attachDocker();
        assert.ok(found);
        assert.deepEqual(found.nodes, started.nodes);
        assert.deepEqual(found.server, started.server);
        await assert.rejects(startDocker({ detached: true }), (error) =>
          assertUserError(error, /already up/, /stop\.sh/),
        );
        await found.close();
      } finally {
        await started.down();
      }
      assert.equal(await attachDocker(), null);
    });
  });
});

describe('what is left behind', { skip }, () => {
  it('leaves nothing when a start is abandoned half-way', async () => {
    const engine = await openEngine();
    const abandon = new AbortController();
    const starting = startDocker({
      signal: abandon.signal,
      tell: (line) => {
        // Late enough for networks and some containers to be there.
        if (/Starting/.test(line)) setTimeout(() => abandon.abort(new Error('enough')), 500);
      },
    });
    await assert.rejects(starting, /enough/);
    const names = [
      ...(await engine.listNetworks()).map(({ Name }) => Name),
      ...(await engine.listContainers({ all: true })).flatMap(({ Names }) => Names.map((name) => name.slice(1))),
    ];
    assert.deepEqual(
      names.filter((name) => name.startsWith(`sentinel-bench-${process.pid}-`)),
      [],
    );
  });

  it('is taken down when its process died', async (context) => {
    const script = `
      import { startDocker } from ${JSON.stringify(new URL('./index.js', import.meta.url).href)};
      await startDocker();
      process.send('up');
      setInterval(() => {}, 1000);`;
    const folder = await mkdtemp(join(tmpdir(), 'sentinel-bench-test-'));
    try {
      await writeFile(join(folder, 'owner.mjs'), script);
      const owner = fork(join(folder, 'owner.mjs'), { execArgv: [] });
      context.after(() => owner.kill('SIGKILL'));
      const [first] = await Promise.race([once(owner, 'message'), once(owner, 'exit')]);
      assert.equal(first, 'up');
      const engine = await openEngine();
      const listed = await engine.listContainers({ filters: { label: ['sentinel-bench.node=redis-1'] } });
      const project = listed
        .map((each) => each.Labels['com.docker.compose.project'])
        .find((name) => name.startsWith(`sentinel-bench-${owner.pid}-`));
      assert.ok(project);
      const exited = once(owner, 'exit');
      owner.kill('SIGKILL');
      await exited;
      assert.ok((await whatIsLeft(engine, project)).length >= 8);

      /** @type {string[]} */
      const messages = [];
      await recoverDocker((line) => messages.push(line));
      assert.deepEqual(await whatIsLeft(engine, project), []);
      assert.ok(messages.some((line) => line.includes(project)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('has an owner that differs from another process with the same pid', () => {
    const owner = JSON.parse(ownerLabel());
    assert.equal(ownerIsDead(JSON.stringify(owner)), false);
    assert.equal(ownerIsDead(JSON.stringify({ ...owner, startTime: 'another time' })), true);
    assert.equal(ownerIsDead(JSON.stringify({ ...owner, startTime: 'another time', host: 'elsewhere' })), false);
    for (const text of ['', 'x', 'null', '{}', '[]', '{"pid":"1"}']) assert.equal(ownerIsDead(text), false, text);
  });

  it('belongs to its user, also if others cannot see that user’s processes', (context) => {
    const owner = JSON.parse(ownerLabel());
    if (process.getuid === undefined) return context.skip('users have no numbers here');
    const users = /** @type {{getuid: () => number}} */ (process);
    const mine = context.mock.method(users, 'getuid', () => 4321);
    const gone = { ...owner, startTime: 'another time' };
    assert.equal(ownerIsDead(JSON.stringify({ ...gone, uid: 4321 })), true);
    assert.equal(ownerIsDead(JSON.stringify({ ...gone, uid: 1234 })), false);
    mine.mock.mockImplementation(() => 0);
    assert.equal(ownerIsDead(JSON.stringify({ ...gone, uid: 1234 })), true, 'root sees all');
  });

  it('is recognized by its own labels, not by an image’s label', async () => {
    const engine = await openEngine();
    const { image } = await chooseImage(engine, process.env.SENTINEL_BENCH_IMAGE);
    const gone = JSON.stringify({ ...JSON.parse(ownerLabel()), startTime: 'another time' });
    const theirs = `production-${process.pid}`;
    const container = await engine.createContainer({
      Image: image,
      Labels: { 'sentinel-bench.owner': gone, 'com.docker.compose.project': theirs },
    });
    try {
      assert.ok(!(await abandonedProjects(engine)).includes(theirs));
    } finally {
      await container.remove({ force: true, v: true });
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

  it('is refused when the user insists on a port that is taken', async () => {
    const engine = await openEngine();
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {AddressInfo} */ (server.address());
    try {
      const environment = { [portVariable('sentinel-2')]: String(port) };
      await assert.rejects(choosePlacement(engine, { useDefaults: true, environment }), (error) =>
        assertUserError(
          error,
          new RegExp(`Port ${port}.*SENTINEL_BENCH_SENTINEL_2_PORT.*process ${process.pid}`),
          /SENTINEL_BENCH_SENTINEL_2_PORT/,
        ),
      );
    } finally {
      server.close();
    }
  });

  it('leaves the port of a stopped node of another stack alone', async () => {
    const engine = await openEngine();
    const port = await freePort();
    const { image } = await chooseImage(engine, process.env.SENTINEL_BENCH_IMAGE);
    const stopped = await engine.createContainer({
      Image: image,
      Labels: { 'sentinel-bench.node': 'redis-1' },
      HostConfig: { PortBindings: { '6379/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] } },
    });
    try {
      const { Name } = await stopped.inspect();
      const environment = { [portVariable('redis-1')]: String(port) };
      await assert.rejects(choosePlacement(engine, { useDefaults: true, environment }), (error) =>
        assertUserError(
          error,
          new RegExp(`Port ${port}.*by container ${Name.slice(1)}`),
          /SENTINEL_BENCH_REDIS_1_PORT/,
        ),
      );
    } finally {
      await stopped.remove();
    }
  });

  it('uses the ports that the user fixed', async () => {
    const engine = await openEngine();
    const port = await freePort();
    const environment = { [portVariable('redis-3')]: String(port), SENTINEL_BENCH_NET: '10.99.98' };
    const { env } = await choosePlacement(engine, { useDefaults: true, environment });
    assert.equal(env[portVariable('redis-3')], String(port));
    assert.equal(env.SENTINEL_BENCH_NET, '10.99.98');
    for (const nonsense of [{ SENTINEL_BENCH_NET: '10.99.300' }, { [portVariable('redis-3')]: '0x10' }]) {
      await assert.rejects(choosePlacement(engine, { useDefaults: true, environment: nonsense }), UserError);
    }
  });
});

it('detects overlapping addresses', () => {
  assert.equal(overlaps('10.1.2', '10.0.0.0/8'), true);
  assert.equal(overlaps('10.1.2', '10.1.2.128/25'), true);
  assert.equal(overlaps('10.1.2', '10.1.3.0/24'), false);
  assert.equal(overlaps('10.1.2', '172.17.0.0/16'), false);
});

describe('what is missing is named', () => {
  it('an image that cannot be pulled', { skip }, async () => {
    const image = 'sentinel-bench.invalid/none:missing';
    await assert.rejects(startDocker({ image }), (error) =>
      assertUserError(error, /sentinel-bench\.invalid\/none:missing/, /build-image\.sh.*SENTINEL_BENCH_IMAGE/),
    );
    assert.equal((await dockerAvailable({ image })).ok, false);
  });

  it('a server that ends at once, with what it said', { skip }, async () => {
    const engine = await openEngine();
    const image = `sentinel-bench-test/without-server:${process.pid}`;
    const { image: usual } = await chooseImage(engine, process.env.SENTINEL_BENCH_IMAGE);
    const base = await engine.createContainer({ Image: usual });
    const [repo, tag] = image.split(':');
    await base.commit({ repo, tag, changes: 'ENV PATH=/bin' });
    await base.remove({ v: true });
    try {
      const before = performance.now();
      await assert.rejects(startDocker({ image }), (error) => {
        assertUserError(error, /(redis|sentinel)-\d ended before the stack was ready/, /redis-server or valkey-server/);
        return /not found/.test(String(/** @type {UserError} */ (error).detail));
      });
      // It waits 60 s for a stack that may yet come.
      assert.ok(performance.now() - before < 55_000, 'does not wait for what cannot come');
    } finally {
      await engine.getImage(image).remove({ force: true });
    }
  });

  it('an engine that does not answer, one on another machine', { skip }, async () => {
    await withEnvironment({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' }, () =>
      assert.rejects(openEngine(), (error) => assertUserError(error, /No Docker engine answers/, /--backend local/)),
    );
    await withEnvironment({ DOCKER_HOST: 'tcp://192.0.2.77:2375' }, () =>
      assert.rejects(openEngine(), (error) => assertUserError(error, /not on this machine/, /--backend external/)),
    );
  });

  it('the docker command, or Compose', { skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sentinel-bench-test-'));
    try {
      await withEnvironment({ PATH: folder }, () =>
        assert.rejects(openEngine(), (error) => assertUserError(error, /no `docker` command/, /apt install/)),
      );
      const endpoint = await runDocker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
      const fake = `#!/bin/sh\n[ "$1" = context ] && echo '${endpoint.stdout.trim()}' || exit 1\n`;
      await writeFile(join(folder, 'docker'), fake);
      await chmod(join(folder, 'docker'), 0o755);
      await withEnvironment({ PATH: folder }, () =>
        assert.rejects(openEngine(), (error) => assertUserError(error, /Compose is missing/, /docker-compose/)),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
