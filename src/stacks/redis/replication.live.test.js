import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandCalls, connectPatiently, until } from '../../clients/conformance/nodes.js';
import { UserError } from '../../errors.js';
import { ownTemporaryFolder } from '../fixture.js';
import { startStack } from '../index.js';
import { follow, readOffset, stopFollowing, untilInSync, untilStreaming } from './replication.js';

/**
 * @import { Control } from './control.js'
 * @import { Stack, NodeInfo } from '../types.js'
 * @import { Offset } from './replication.js'
 */

await ownTemporaryFolder();

/** Loading takes a second or two: who was kept from looking meanwhile tries again. */
const ATTEMPTS = 10;

/** @type {Stack} */
let stack;
/** @type {Control[]} */
let controls = [];
/** @type {NodeInfo[]} */
let nodes;

before(async () => {
  stack = await startStack({ backend: 'local', settings: { 'min-replicas-to-write': '0' } });
  nodes = [await stack.primary(), ...(await stack.replicas())];
  for (const { id, kind } of stack.nodes) if (kind === 'sentinel') await stack.act(id, 'stop');
  controls = await Promise.all(nodes.map(({ address }) => connectPatiently(address)));
});

after(async () => {
  for (const control of controls) control.close();
  await stack?.close();
});

test('a former primary that follows again has all keys of the primary, and only those', async () => {
  const [primary, replica] = controls;
  await stopFollowing(replica);
  assert.equal((await replica.info('replication')).role, 'master');
  await replica.call('SET', 'own', '1');
  await primary.call('SET', 'key', 'x'.repeat(100_000));
  await follow(replica, nodes[0].announced);
  await untilInSync(primary, replica);
  assert.equal(await replica.call('STRLEN', 'key'), 100_000);
  assert.equal(await replica.call('EXISTS', 'own'), 0);
  const offsets = await Promise.all([primary, replica].map(readOffset));
  assert.deepEqual(
    offsets.map(({ up }) => up),
    [true, true],
  );
});

test('a replica is reached by the stream without a key being written', async () => {
  const [primary, replica] = controls;
  await follow(replica, nodes[0].announced);
  const before = await commandCalls(replica, 'publish');
  const keys = await primary.call('DBSIZE');
  await untilStreaming(primary, replica);
  assert.equal(await commandCalls(replica, 'publish'), before + 1);
  assert.equal(await primary.call('DBSIZE'), keys);
  assert.equal(await replica.call('DBSIZE'), keys);
});

test('REPLICAOF to the same primary makes the replica connect again', async () => {
  const [primary, replica] = controls;
  const syncs = async () => {
    const { sync_full, sync_partial_ok } = await primary.info('stats');
    return Number(sync_full) + Number(sync_partial_ok);
  };
  await follow(replica, nodes[0].announced);
  await untilInSync(primary, replica);
  const before = await syncs();
  await follow(replica, nodes[0].announced);
  await untilInSync(primary, replica);
  // More than once, where the first attempt fails.
  assert.ok((await syncs()) > before);
});

test('a replica can follow a replica', async () => {
  const [primary, middle, last] = controls;
  await follow(middle, nodes[0].announced);
  await follow(last, nodes[1].announced);
  await primary.call('SET', 'chain', '1');
  await untilInSync(primary, middle);
  await untilInSync(middle, last);
  assert.equal(await last.call('GET', 'chain'), '1');
});

test('a replica that reaches no primary is not in sync, and waiting for it times out', async () => {
  const [primary, replica] = controls;
  await follow(replica, { host: '127.0.0.1', port: 1 });
  await assert.rejects(untilInSync(primary, replica, undefined, 200), (error) => {
    assert(error instanceof UserError);
    assert.match(error.message, /its link is down/);
    return true;
  });
  const abort = new AbortController();
  const waiting = untilInSync(primary, replica, abort.signal, 10_000);
  abort.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
});

test('REPLICAOF NO ONE during a load takes effect after the load', async () => {
  const [primary, replica] = controls;
  await stopFollowing(replica);
  await primary.call('EVAL', "for i = 1, 2000 do redis.call('SET', 'loaded:' .. i, 'value') end", 0);
  const slow = { 'key-load-delay': '600', 'loading-process-events-interval-bytes': '1024' };
  /** @returns {Promise<number>} how often it was told something while it loaded */
  const refused = async () =>
    Number(/count=(\d+)/.exec((await replica.info('errorstats')).errorstat_LOADING ?? '')?.[1] ?? 0);
  await replica.call('CONFIG', 'RESETSTAT');
  const former = await Promise.all(
    Object.keys(slow).map(async (name) => /** @type {string[]} */ (await replica.call('CONFIG', 'GET', name))),
  );
  for (const [name, value] of Object.entries(slow)) await replica.call('CONFIG', 'SET', name, value);
  try {
    for (let attempt = 1; (await refused()) === 0; attempt++) {
      assert.ok(attempt <= ATTEMPTS, 'it was never told while it loaded');
      await follow(replica, nodes[0].announced);
      /** @type {Offset} */
      let offset = { bytes: 0, up: false };
      await until(async () => {
        offset = await readOffset(replica);
        return (await replica.info('persistence')).loading === '1' || offset.up;
      }, 'it loads, or has loaded');
      await stopFollowing(replica);
      assert.equal((await replica.info('replication')).role, 'master');
      if ((await refused()) > 0) assert.equal(offset.up, false);
    }
  } finally {
    for (const [name, value] of former) await replica.call('CONFIG', 'SET', name, value);
  }
});
