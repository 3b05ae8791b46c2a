import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { needs } from '../../../test/needs.js';
import { natMap } from '../address.js';
import { nodeOf } from '../ask.js';
import { ownTemporaryFolder } from '../fixture.js';
import { openEngine } from '../hosts/docker/engine.js';
import { HOST_ABILITIES } from '../hosts/local/hosts.js';
import { whyNoFirewall } from '../network/firewall.js';
import { NETWORK_ABILITIES } from '../network/network.js';
import { CAN_RELAY } from '../network/relay/relay.js';
import { ask, bothReplicas, doubts, eventually, isReady, KEY, wholeSnapshot } from './conformance-help.js';
import { suiteOfLinks } from './conformance-links.js';
import { connectControl } from './control.js';
import { attachDocker, startDocker } from './docker/index.js';
import { attachExternal } from './external/index.js';
import { attachLocal, startLocal } from './local/index.js';
import { NODES } from './topology.js';

/** @import { Ability, Stack, StackOptions } from '../types.js' */

/**
 * One suite for every backend, on real servers. What each single fault does, and that it is undone, is in src/faults/conformance.live.test.js.
 *
 * @typedef {Object} TestedBackend
 * @property {string} name
 * @property {string} needs as test/needs.js names it
 * @property {Ability[]} can what its stacks must be able to do, no more and no less
 * @property {(options?: Partial<StackOptions>) => Promise<Stack>} start
 * @property {() => Promise<Stack | null>} [attach] to a detached stack; absent: it starts no stacks
 * @property {() => Promise<string[]>} [leftovers] of stacks that this process started
 */

const folder = await ownTemporaryFolder();

// Tests must not touch a stack that stays on this machine.
process.env.COMPOSE_PROJECT_NAME = `sentinel-bench-${process.pid}-kept`;

/** @type {Ability[]} */
const OWN = ['pause', 'stop', 'kill', 'blocking-command', 'failover', 'configure', 'stats', 'logs'];

/**
 * @param {string} server
 * @param {boolean} [links] with a relay between its nodes
 * @returns {TestedBackend}
 */
function localBackend(server, links = false) {
  return {
    name: `local, ${server}${links ? ', with links' : ''}`,
    needs: server,
    can: [...OWN, ...(links ? LINKS : [])],
    start: (options) => startLocal({ server, links: links && !options?.detached, ...options }),
    attach: () => attachLocal(),
    leftovers: async () => readdirSync(folder),
  };
}

/** @type {Ability[]} */
const LINKS = CAN_RELAY ? ['partition', 'lose', 'narrow-link', 'slow-link', 'slow-all'] : [];

/** @type {TestedBackend[]} */
const BACKENDS = [
  localBackend('redis-server'),
  localBackend('valkey-server', true),
  {
    ...localBackend('redis-server'),
    name: 'hosts',
    needs: 'namespaces',
    can: [...OWN, ...NETWORK_ABILITIES, ...HOST_ABILITIES],
    start: (options) => startLocal({ server: 'redis-server', hosts: true, ...options }),
  },
  {
    name: 'external',
    can: ['configure'],
    needs: 'redis-server',
    async start() {
      const below = await startLocal({ server: 'redis-server' });
      const sentinels = below.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
      const stack = await attachExternal({ sentinels: sentinels.slice(0, 1) });
      return {
        ...stack,
        close: () => stack.close().finally(below.close),
      };
    },
  },
  {
    name: 'docker',
    can: [
      ...OWN,
      'lose',
      'partition',
      'isolate',
      ...((await whyNoFirewall('bridge')) === null ? NETWORK_ABILITIES : []),
    ],
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
 * @param {Stack} stack all of whose nodes are up
 * @returns {Promise<string[]>} what each says it is; a server that later has its port says something else
 */
function runIds(stack) {
  return Promise.all(stack.nodes.map(async ({ id }) => runIdIn(await ask(stack, id, 'INFO', 'server'))));
}

/** @param {unknown} info */
function runIdIn(info) {
  return /run_id:(\w+)/.exec(String(info))?.[1] ?? '';
}

/**
 * @param {Stack} stack
 * @param {string[]} were the run ids of its nodes
 */
async function assertNobodyAnswers(stack, were) {
  for (const { id, address } of stack.nodes) {
    const control = await connectControl(address, {}, { timeoutMs: 1000 }).catch(() => null);
    const info = await control?.call('INFO', 'server').catch(() => '');
    control?.close();
    assert.ok(!were.includes(runIdIn(info)), `${id} is gone`);
  }
}

/**
 * @param {Stack['about']['server']} server
 * @returns {Ability[]} what its version of Sentinel can do beside what every version can
 */
function ofSentinels({ name, version }) {
  return name === 'valkey' && Number.parseInt(String(version), 10) >= 9 ? ['coordinated-failover'] : [];
}

/** @param {Stack} stack */
async function someReplica(stack) {
  return (await bothReplicas(stack))[0].id;
}

/** @param {Stack} stack */
async function rolesIn(stack) {
  return (await wholeSnapshot(stack)).redis.map(({ id, role }) => ({ id, role }));
}

for (const backend of BACKENDS) {
  describe(backend.name, { skip: await needs(backend.needs) }, () => {
    describe('a running stack', () => suiteOfRunning(backend));
    if (backend.attach) describe('the life of a stack', () => suiteOfLife(backend));
  });
}

/** @param {TestedBackend} backend */
function suiteOfRunning(backend) {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await backend.start();
  });
  after(() => stack?.close());

  /**
   * @param {Ability} ability
   * @param {string} name
   * @param {() => Promise<void>} body
   */
  function testIfAble(ability, name, body) {
    if (backend.can.includes(ability)) test(name, body);
  }

  test('is ready, and describes itself', async () => {
    assert.deepEqual(await doubts(stack), []);
    assert.deepEqual(
      stack.nodes.map(({ id, kind }) => ({ id, kind })),
      NODES.map(({ id, kind }) => ({ id, kind })),
    );
    assert.match(stack.about.server.name, /^(redis|valkey)$/);
    assert.match(String(stack.about.server.version), /^\d+\.\d+\.\d+$/);
    assert.match(stack.about.why, /^[A-Z].*\.$/);
    // An existing deployment is not asked for a failover.
    const more = stack.about.backend === 'external' ? [] : ofSentinels(stack.about.server);
    assert.deepEqual([...stack.can].sort(), [...backend.can, ...more].sort());
    assert.equal((await bothReplicas(stack)).length, 2);
  });

  test('ioredis and node-redis find the primary through the map of addresses', async () => {
    const sentinels = stack.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
    const name = stack.access.masterName;
    const ioredis = new Redis({ sentinels, name, natMap: natMap(stack) });
    const nodeRedis = createSentinel({ name, sentinelRootNodes: sentinels, nodeAddressMap: natMap(stack) });
    try {
      await nodeRedis.connect();
      const { id } = await stack.database.primary();
      for (const [value, client] of Object.entries({ ioredis, nodeRedis })) {
        assert.equal(await client.set(KEY, value), 'OK');
        assert.equal(await ask(stack, id, 'GET', KEY), value);
      }
      await ioredis.del(KEY);
    } finally {
      ioredis.disconnect();
      nodeRedis.destroy();
    }
  });

  testIfAble('pause', 'heal undoes several faults at once, and again does nothing', async () => {
    const [first, second] = await bothReplicas(stack);
    await stack.host.act(first.id, 'pause');
    await stack.host.act(second.id, 'kill');
    await stack.host.act('sentinel-1', 'stop');
    await stack.host.act('sentinel-2', 'kill');
    await stack.heal();
    assert.deepEqual(await doubts(stack), []);
    const roles = await rolesIn(stack);
    await stack.heal();
    assert.deepEqual(await doubts(stack), []);
    assert.deepEqual(await rolesIn(stack), roles);
  });

  testIfAble('stats', 'stats counts what each node uses', async () => {
    const earlier = await stack.host.stats();
    const { id } = await stack.database.primary();
    const control = await connectControl(nodeOf(stack, id).address, {}, { timeoutMs: 20_000 });
    try {
      // A node is only charged once its CPU clock has ticked: 10 ms.
      await eventually('CPU time is counted', async () => {
        await Promise.all(Array.from({ length: 2000 }, () => control.call('SET', KEY, 'x'.repeat(100))));
        const [now] = (await stack.host.stats()).filter((sample) => sample.id === id);
        const [then] = earlier.filter((sample) => sample.id === id);
        return now.cpuSeconds > then.cpuSeconds && now.networkInBytes > then.networkInBytes + 200_000;
      });
      await control.call('DEL', KEY);
    } finally {
      control.close();
    }
    const later = await stack.host.stats();
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
    const [first, second] = await bothReplicas(stack);
    try {
      await stack.host.stats();
      await stack.host.act(first.id, 'pause');
      await stack.host.act(second.id, 'kill');
      const samples = await stack.host.stats();
      assert.ok(samples.some(({ id, memoryBytes }) => id === first.id && memoryBytes > 0));
      assert.ok(!samples.some(({ id }) => id === second.id));
    } finally {
      await stack.heal();
    }
  });

  testIfAble('logs', 'logs gives the last lines', async () => {
    for (const { id } of stack.nodes) {
      const lines = await stack.host.logs(id, 3);
      assert.equal(lines.length, 3, `${id}: ${lines}`);
      assert.ok(lines.every((line) => line.trim() !== ''));
    }
  });

  test('the Sentinels name the primary: after a failover another node', async () => {
    const old = await stack.database.primary();
    // Refused as long as that Sentinel has no connection to a replica; an attempt that nobody heard the answer to counts.
    await eventually('a failover begins', () =>
      ask(stack, 'sentinel-1', 'SENTINEL', 'FAILOVER', stack.access.masterName).then(
        (answer) => answer === 'OK',
        (error) => {
          if (!/INPROG/.test(String(error))) throw error;
          return true;
        },
      ),
    );
    await eventually('the Sentinels name another primary', async () => (await stack.database.primary()).id !== old.id);
    await stack.heal();
    // Each Sentinel by itself orders the old primary to follow, and breaks its connections when it does.
    await eventually('the stack is ready', () => isReady(stack));
    const primary = await stack.database.primary();
    assert.notEqual(primary.id, old.id);
    const replicas = (await bothReplicas(stack)).map(({ id }) => id);
    assert.ok(!replicas.includes(primary.id) && replicas.includes(old.id), `${primary.id}: ${replicas}`);
  });

  testIfAble('stop', 'after a failover a restarted replica finds its new primary', async () => {
    const { id } = await stack.database.primary();
    const replica = await someReplica(stack);
    await stack.host.act(replica, 'stop');
    await stack.host.act(replica, 'start');
    await eventually('the stack is ready', () => isReady(stack));
    assert.equal((await stack.database.primary()).id, id);
  });

  suiteOfLinks(backend.can, () => stack);
}

/** @param {TestedBackend} backend */
function suiteOfLife(backend) {
  const leftovers = /** @type {() => Promise<string[]>} */ (backend.leftovers);
  const attach = /** @type {() => Promise<Stack | null>} */ (backend.attach);

  test('close leaves nothing, faults or not, and a second start works at once', async () => {
    const first = await backend.start();
    const ofFirst = await runIds(first);
    await first.host.act('redis-2', 'pause');
    await first.host.act('sentinel-3', 'kill');
    await Promise.all([first.close(), first.close()]);
    await assertNobodyAnswers(first, ofFirst);
    assert.deepEqual(await leftovers(), []);

    const second = await backend.start();
    /** @type {string[]} */
    let ofSecond = [];
    try {
      ofSecond = await runIds(second);
      assert.notEqual(second.about.identity, first.about.identity);
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

  test('a detached stack stays, is found again, and any process can take it down', async () => {
    assert.equal(await attach(), null);
    const starter = await backend.start({ detached: true });
    /** @type {string[]} */
    let were = [];
    try {
      assert.equal(starter.about.ours, false);
      await starter.close();
      const found = await attach();
      assert.ok(found, 'the stack is found');
      assert.equal(found.about.ours, false);
      assert.deepEqual(found.about.server, starter.about.server);
      assert.equal(found.about.identity, starter.about.identity);
      assert.deepEqual(await doubts(found), []);
      await found.host.act('redis-3', 'kill');
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
