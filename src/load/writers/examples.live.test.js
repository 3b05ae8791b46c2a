/** The clients of examples/ on a real stack: what they promise to people who copy them. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { call } from '../../clients/conformance/nodes.js';
import { ioredisOptions } from '../../clients/sentinel-ioredis.js';
import { nodeRedisOptions } from '../../clients/sentinel-redis.js';
import { eventually, ownTemporaryFolder } from '../../stacks/fixture.js';
import { startLocal } from '../../stacks/redis/local/index.js';
import { watchCommands } from './sent-commands.js';
import { holdForDown, nodesOf, refuseNothing, successorOf } from './stack-fixture.js';

/**
 * @import { Stack, NodeInfo } from '../../stacks/types.js'
 * @import { Example, ExampleAnswer } from './example-writer.js'
 */

const WAIT_MS = 1500;

await ownTemporaryFolder();

describe('the clients of examples/, on a real stack', () => {
  /** @type {Stack} */
  let stack;
  /** By library. @type {{name: string, client: Example}[]} */
  let examples;
  let keys = 0;

  before(async () => {
    stack = await startLocal({ backend: 'local' });
    await refuseNothing(stack);
    const options = {
      sentinels: nodesOf(stack, 'sentinel').map(({ address }) => address),
      nodes: nodesOf(stack, 'redis'),
      masterName: stack.access.masterName,
      credentials: stack.access.credentials,
    };
    const { sentinelRootNodes: sentinels, ...others } = nodeRedisOptions(options);
    const nodeRedis = await import('../../../examples/node-redis.js');
    const ioredis = await import('../../../examples/ioredis.js');
    examples = [
      { name: 'node-redis', client: await nodeRedis.connect({ sentinels, ...others }) },
      { name: 'ioredis', client: await ioredis.connect(ioredisOptions(options)) },
    ];
  });
  after(async () => {
    for (const { client } of examples ?? []) client.close();
    await stack?.close();
  });
  beforeEach(async () => {
    await stack.heal();
    // A stall of the machine must not look like a primary that is down.
    await holdForDown(stack, 60_000);
  });

  /** @param {Example} client @param {number} [replicas] @returns {Promise<ExampleAnswer & {key: string}>} */
  async function write(client, replicas = 1) {
    const key = `sentinel-bench:example:${++keys}`;
    return { key, ...(await client.confirmedSet(key, key, { replicas, timeoutMs: WAIT_MS })) };
  }

  /**
   * Writes until the outcome is this one. A stall of the machine may cause another one.
   * @param {Example} client
   * @param {ExampleAnswer['outcome']} outcome
   * @param {number} [replicas]
   */
  async function answered(client, outcome, replicas) {
    let answer = await write(client, replicas);
    await eventually(`a write that is ${outcome}`, async () => {
      if (answer.outcome === outcome) return true;
      answer = await write(client, replicas);
      return false;
    });
    return answer;
  }

  /**
   * @param {Example} client
   * @param {number} replicas
   * @returns {Promise<string>} the key of a write that was acknowledged
   */
  async function acked(client, replicas) {
    return (await answered(client, 'acked', replicas)).key;
  }

  /** @param {NodeInfo} node @param {string} key */
  async function holds({ address }, key) {
    return String(await call(address, 'GET', key)) === key;
  }

  /** Each client writes until a write that it calls acknowledged is on this node. @param {NodeInfo} primary */
  async function allMoveTo(primary) {
    for (const { name, client } of examples) {
      await eventually(`${name} writes to the new primary`, async () => holds(primary, await acked(client, 1)));
    }
  }

  test('too few replicas confirm in time: under-acked, with the count', async () => {
    const primary = await stack.database.primary();
    const replicas = nodesOf(stack, 'redis').filter(({ id }) => id !== primary.id);
    for (const { client } of examples) await acked(client, 2);
    for (const { id } of replicas) await stack.host.act(id, 'pause');
    for (const { name, client } of examples) {
      const { replicas: confirmed, key } = await answered(client, 'under-acked');
      assert.equal(confirmed, 0, name);
      assert.ok(await holds(primary, key), 'the primary has it');
    }
    for (const { id } of replicas) await stack.host.act(id, 'resume');
    for (const { client } of examples) await acked(client, 2);
  });

  test('a primary that freezes: the write under way is unknown, nothing is sent twice, and both clients move', async () => {
    const before = await stack.database.primary();
    /** @type {string[]} */
    const sent = [];
    const stopWatching = watchCommands(([name, key]) => {
      if (/^set$/i.test(name)) sent.push(key);
    });
    try {
      const confirmed = [];
      for (const { client } of examples) confirmed.push(await acked(client, 2));
      await stack.host.act(before.id, 'pause');
      const hanging = examples.map(({ client }) => write(client));
      await holdForDown(stack, 500);
      const primary = await successorOf(stack, before);
      await holdForDown(stack, 60_000);
      for (const { outcome } of await Promise.all(hanging)) assert.equal(outcome, 'unknown');
      await allMoveTo(primary);
      for (const key of confirmed) assert.ok(await holds(primary, key), `${key} was confirmed`);
    } finally {
      stopWatching();
      await stack.host.act(before.id, 'resume');
    }
    assert.equal(new Set(sent).size, sent.length, 'each SET was sent once');
  });
});
