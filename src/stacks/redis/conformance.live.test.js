import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { needs } from '../../../test/needs.js';
import { natMap, nodeAddressMap } from '../address.js';
import { ownTemporaryFolder } from '../fixture.js';
import {
  ask,
  bothReplicas,
  doubts,
  eventually,
  isReady,
  KEY,
  NO_ANSWER,
  nodeOf,
  silence,
  wholeSnapshot,
} from './conformance-help.js';
import { suiteOfLinks } from './conformance-links.js';
import { connectControl } from './control.js';
import { openEngine } from './docker/engine.js';
import { attachDocker, startDocker } from './docker/index.js';
import { attachExternal } from './external/index.js';
import { attachLocal, startLocal } from './local/index.js';
import { CAN_RELAY } from './relay/relay.js';
import { NODES } from './topology.js';

/** @import { Ability, Cluster, ClusterOptions } from '../types.js' */

/**
 * One suite for every backend, on real servers.
 *
 * @typedef {Partial<ClusterOptions>} Options
 *
 * @typedef {Object} Backend
 * @property {string} name
 * @property {string} needs as test/needs.js names it
 * @property {Ability[]} can what its stacks must be able to do, no more and no less
 * @property {(options?: Options) => Promise<Cluster>} start
 * @property {() => Promise<Cluster | null>} [attach] to a detached stack; absent: it starts no stacks
 * @property {() => Promise<string[]>} [leftovers] of stacks that this process started
 */

const folder = await ownTemporaryFolder();

// Tests must not touch a stack that stays on this machine.
process.env.COMPOSE_PROJECT_NAME = `sentinel-bench-${process.pid}-kept`;

/**
 * @param {string} server
 * @param {boolean} [links] with a relay between its nodes
 * @returns {Backend}
 */
function localBackend(server, links = false) {
  return {
    name: `local, ${server}${links ? ', with links' : ''}`,
    needs: server,
    can: ['pause', 'stop', 'kill', 'failover', 'configure', 'stats', 'logs', ...(links ? LINKS : [])],
    start: (options) => startLocal({ server, links: links && !options?.detached, ...options }),
    attach: () => attachLocal(),
    leftovers: async () => readdirSync(folder),
  };
}

/** @type {Ability[]} */
const LINKS = CAN_RELAY ? ['cut', 'lose', 'slow-link', 'slow-all'] : [];

/** @type {Backend[]} */
const BACKENDS = [
  localBackend('redis-server'),
  { ...localBackend('redis-server', true), attach: undefined },
  localBackend('valkey-server', true),
  {
    name: 'external',
    can: ['configure'],
    needs: 'redis-server',
    async start() {
      const below = await startLocal({ server: 'redis-server' });
      const sentinels = below.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
      const cluster = await attachExternal({ sentinels: sentinels.slice(0, 1) });
      return {
        ...cluster,
        close: () => cluster.close().finally(below.close),
      };
    },
  },
  {
    name: 'docker',
    can: ['pause', 'stop', 'kill', 'lose', 'cut', 'isolate', 'failover', 'configure', 'stats', 'logs'],
    needs: 'docker',
    start: (options) => startDocker(options),
    attach: () => attachDocker(),
    async leftovers() {
      const containers = await (await openEngine()).listContainers({ all: true });
      return containers.flatMap(({ Names: [name] }) => (name.includes(`sentinel-bench-${process.pid}-`) ? [name] : []));
    },
  },
];

/**
 * @param {Cluster} cluster all of whose nodes are up
 * @returns {Promise<string[]>} what each says it is; a server that later has its port says something else
 */
function runIds(cluster) {
  return Promise.all(cluster.nodes.map(async ({ id }) => runIdIn(await ask(cluster, id, 'INFO', 'server'))));
}

/** @param {unknown} info */
function runIdIn(info) {
  return /run_id:(\w+)/.exec(String(info))?.[1] ?? '';
}

/**
 * @param {Cluster} cluster
 * @param {string[]} were the run ids of its nodes
 */
async function assertNobodyAnswers(cluster, were) {
  for (const { id, address } of cluster.nodes) {
    const control = await connectControl(address, {}, { timeoutMs: 1000 }).catch(() => null);
    const info = await control?.call('INFO', 'server').catch(() => '');
    control?.close();
    assert.ok(!were.includes(runIdIn(info)), `${id} is gone`);
  }
}

/**
 * @param {Cluster['server']} server
 * @returns {Ability[]} what its version of Sentinel can do beside what every version can
 */
function ofSentinels({ name, version }) {
  return name === 'valkey' && Number.parseInt(String(version), 10) >= 9 ? ['coordinated-failover'] : [];
}

/** @param {Cluster} cluster */
async function someReplica(cluster) {
  return (await bothReplicas(cluster))[0].id;
}

/** @param {Cluster} cluster */
async function rolesIn(cluster) {
  return (await wholeSnapshot(cluster)).redis.map(({ id, role }) => ({ id, role }));
}

for (const backend of BACKENDS) {
  describe(backend.name, { skip: await needs(backend.needs) }, () => {
    describe('a running stack', () => suiteOfRunning(backend));
    if (backend.attach) describe('the life of a stack', () => suiteOfLife(backend));
  });
}

/** @param {Backend} backend */
function suiteOfRunning(backend) {
  /** @type {Cluster} */
  let cluster;
  before(async () => {
    cluster = await backend.start();
  });
  after(() => cluster?.close());

  /**
   * @param {Ability} ability
   * @param {string} name
   * @param {() => Promise<void>} body
   */
  function testIfAble(ability, name, body) {
    if (backend.can.includes(ability)) test(name, body);
  }

  test('is ready, and describes itself', async () => {
    assert.deepEqual(await doubts(cluster), []);
    assert.deepEqual(
      cluster.nodes.map(({ id, kind }) => ({ id, kind })),
      NODES.map(({ id, kind }) => ({ id, kind })),
    );
    assert.match(cluster.server.name, /^(redis|valkey)$/);
    assert.match(String(cluster.server.version), /^\d+\.\d+\.\d+$/);
    assert.match(cluster.why, /^[A-Z].*\.$/);
    // An existing deployment is not asked for a failover.
    const more = cluster.backend === 'external' ? [] : ofSentinels(cluster.server);
    assert.deepEqual([...cluster.can].sort(), [...backend.can, ...more].sort());
    assert.equal((await bothReplicas(cluster)).length, 2);
  });

  test('reach maps an announced address to the one that answers', async () => {
    for (const { announced, address } of cluster.nodes) assert.deepEqual(cluster.reach(announced), address);
    const stranger = { host: '192.0.2.1', port: 1 };
    assert.deepEqual(cluster.reach(stranger), stranger);
    for (const { id } of cluster.nodes) assert.equal(await ask(cluster, id, 'PING'), 'PONG');
  });

  test('ioredis finds the primary through natMap', async () => {
    const client = new Redis({
      sentinels: cluster.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
      name: cluster.masterName,
      natMap: natMap(cluster),
    });
    try {
      assert.equal(await client.set(KEY, 'ioredis'), 'OK');
      assert.equal(await ask(cluster, (await cluster.primary()).id, 'GET', KEY), 'ioredis');
      await client.del(KEY);
    } finally {
      client.disconnect();
    }
  });

  test('node-redis finds the primary through nodeAddressMap', async () => {
    const client = createSentinel({
      name: cluster.masterName,
      sentinelRootNodes: cluster.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
      nodeAddressMap: nodeAddressMap(cluster),
    });
    await client.connect();
    try {
      assert.equal(await client.set(KEY, 'redis'), 'OK');
      assert.equal(await ask(cluster, (await cluster.primary()).id, 'GET', KEY), 'redis');
      await client.del(KEY);
    } finally {
      client.destroy();
    }
  });

  testIfAble('pause', 'a paused node keeps silent and is there again when resumed', async () => {
    const id = await someReplica(cluster);
    await cluster.act(id, 'pause');
    assert.match(String(await silence(cluster, id)), NO_ANSWER);
    const row = (await cluster.observe()).redis.find((state) => state.id === id);
    assert.ok(row?.error, 'an observer gets an error and does not hang');
    await cluster.act(id, 'resume');
    assert.equal(await ask(cluster, id, 'PING'), 'PONG');
    await eventually('the stack is ready', () => isReady(cluster));
  });

  testIfAble('stop', 'a stopped node comes back as a replica in sync', async () => {
    const id = await someReplica(cluster);
    await cluster.act(id, 'stop');
    assert.ok(await silence(cluster, id));
    await ask(cluster, (await cluster.primary()).id, 'SET', KEY, 'while it was away');
    await cluster.act(id, 'start');
    await eventually('the stack is ready', () => isReady(cluster));
    assert.equal(await ask(cluster, id, 'GET', KEY), 'while it was away');
    await ask(cluster, (await cluster.primary()).id, 'DEL', KEY);
  });

  testIfAble('kill', 'a killed node is gone at once, and heal brings it back', async () => {
    const id = await someReplica(cluster);
    await cluster.act(id, 'kill');
    assert.ok(await silence(cluster, id));
    await cluster.heal();
    assert.deepEqual(await doubts(cluster), []);
    assert.equal(await ask(cluster, id, 'PING'), 'PONG');
  });

  testIfAble('pause', 'heal undoes several faults at once, and again does nothing', async () => {
    const [first, second] = await bothReplicas(cluster);
    await cluster.act(first.id, 'pause');
    await cluster.act(second.id, 'kill');
    await cluster.act('sentinel-1', 'stop');
    await cluster.act('sentinel-2', 'kill');
    await cluster.heal();
    assert.deepEqual(await doubts(cluster), []);
    const roles = await rolesIn(cluster);
    await cluster.heal();
    assert.deepEqual(await doubts(cluster), []);
    assert.deepEqual(await rolesIn(cluster), roles);
  });

  testIfAble('stats', 'stats counts what each node uses', async () => {
    const earlier = await cluster.stats();
    const { id } = await cluster.primary();
    const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: 20_000 });
    try {
      // A node is only charged once its CPU clock has ticked: 10 ms.
      await eventually('CPU time is counted', async () => {
        await Promise.all(Array.from({ length: 2000 }, () => control.call('SET', KEY, 'x'.repeat(100))));
        const [now] = (await cluster.stats()).filter((sample) => sample.id === id);
        const [then] = earlier.filter((sample) => sample.id === id);
        return now.cpuSeconds > then.cpuSeconds && now.networkInBytes > then.networkInBytes + 200_000;
      });
      await control.call('DEL', KEY);
    } finally {
      control.close();
    }
    const later = await cluster.stats();
    assert.deepEqual(later.map((sample) => sample.id).sort(), NODES.map((node) => node.id).sort());
    for (const now of later) {
      const then = earlier.find((sample) => sample.id === now.id);
      assert.ok(then);
      for (const counter of /** @type {const} */ ([
        'cpuSeconds',
        'networkInBytes',
        'networkOutBytes',
        'blockInBytes',
        'blockOutBytes',
      ])) {
        assert.ok(now[counter] >= then[counter], `${now.id}: ${counter} never falls`);
      }
      assert.ok(now.memoryBytes > 2 ** 20 && now.memoryBytes < 2 ** 30, `${now.id}: ${now.memoryBytes} bytes`);
      assert.ok(now.pids >= 1);
    }
  });

  testIfAble('pause', 'stats of a stack with a paused and a killed node', async () => {
    const [first, second] = await bothReplicas(cluster);
    try {
      await cluster.stats();
      await cluster.act(first.id, 'pause');
      await cluster.act(second.id, 'kill');
      const samples = await cluster.stats();
      assert.ok(samples.some(({ id, memoryBytes }) => id === first.id && memoryBytes > 0));
      assert.ok(!samples.some(({ id }) => id === second.id));
    } finally {
      await cluster.heal();
    }
  });

  testIfAble('logs', 'logs gives the last lines', async () => {
    for (const { id } of cluster.nodes) {
      const lines = await cluster.logs(id, 3);
      assert.equal(lines.length, 3, `${id}: ${lines}`);
      assert.ok(lines.every((line) => line.trim() !== ''));
    }
  });

  test('the Sentinels name the primary: after a failover another node', async () => {
    const old = await cluster.primary();
    // Refused as long as that Sentinel has no connection to a replica; an attempt that nobody heard the answer to counts.
    await eventually('a failover begins', () =>
      ask(cluster, 'sentinel-1', 'SENTINEL', 'FAILOVER', cluster.masterName).then(
        (answer) => answer === 'OK',
        (error) => {
          if (!/INPROG/.test(String(error))) throw error;
          return true;
        },
      ),
    );
    await eventually('the Sentinels name another primary', async () => (await cluster.primary()).id !== old.id);
    await cluster.heal();
    // Each Sentinel by itself orders the old primary to follow, and breaks its connections when it does.
    await eventually('the stack is ready', () => isReady(cluster));
    const primary = await cluster.primary();
    assert.notEqual(primary.id, old.id);
    const replicas = (await bothReplicas(cluster)).map(({ id }) => id);
    assert.ok(!replicas.includes(primary.id) && replicas.includes(old.id), `${primary.id}: ${replicas}`);
  });

  testIfAble('stop', 'after a failover a restarted replica finds its new primary', async () => {
    const { id } = await cluster.primary();
    const replica = await someReplica(cluster);
    await cluster.act(replica, 'stop');
    await cluster.act(replica, 'start');
    await eventually('the stack is ready', () => isReady(cluster));
    assert.equal((await cluster.primary()).id, id);
  });

  suiteOfLinks(backend.can, () => cluster);
}

/** @param {Backend} backend */
function suiteOfLife(backend) {
  const leftovers = /** @type {() => Promise<string[]>} */ (backend.leftovers);
  const attach = /** @type {() => Promise<Cluster | null>} */ (backend.attach);

  test('close leaves nothing, faults or not, and a second start works at once', async () => {
    const first = await backend.start();
    const ofFirst = await runIds(first);
    await first.act('redis-2', 'pause');
    await first.act('sentinel-3', 'kill');
    await Promise.all([first.close(), first.close()]);
    await assertNobodyAnswers(first, ofFirst);
    assert.deepEqual(await leftovers(), []);

    const second = await backend.start();
    /** @type {string[]} */
    let ofSecond = [];
    try {
      ofSecond = await runIds(second);
      assert.notEqual(second.identity, first.identity);
      assert.deepEqual(await doubts(second), []);
    } finally {
      await second.close();
    }
    await assertNobodyAnswers(second, ofSecond);
    assert.deepEqual(await leftovers(), []);
  });

  test('a start that is abandoned leaves nothing', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const starting = backend.start({
      signal: stop.signal,
      // From the first step on there is something to take down.
      tell: () => void setTimeout(() => stop.abort(reason), 30),
    });
    await assert.rejects(starting, reason);
    assert.deepEqual(await leftovers(), []);
  });

  test('an abandoned start starts nothing', async () => {
    await assert.rejects(backend.start({ signal: AbortSignal.abort(new Error('no')) }), /no/);
    assert.deepEqual(await leftovers(), []);
  });

  test('a detached stack stays, is found again, and any process can take it down', async () => {
    assert.equal(await attach(), null);
    const starter = await backend.start({ detached: true });
    /** @type {string[]} */
    let were = [];
    try {
      assert.equal(starter.ours, false);
      await starter.close();
      const found = await attach();
      assert.ok(found, 'the stack is found');
      assert.equal(found.ours, false);
      assert.deepEqual(found.server, starter.server);
      assert.equal(found.identity, starter.identity);
      assert.deepEqual(await doubts(found), []);
      await found.act('redis-3', 'kill');
      await found.heal();
      await found.close();
      assert.equal(await ask(found, 'redis-3', 'PING'), 'PONG');
      were = await runIds(found);
    } finally {
      await starter.down();
    }
    assert.equal(await attach(), null);
    await assertNobodyAnswers(starter, were);
    await starter.down();
  });
}
