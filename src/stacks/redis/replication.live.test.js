import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPatiently } from '../../clients/conformance/nodes.js';
import { ownTemporaryFolder } from '../fixture.js';
import { startStack } from '../index.js';
import { follow, readOffset, stopFollowing, untilInSync } from './replication.js';

/**
 * @import { Control } from './control.js'
 * @import { Stack, NodeInfo } from '../types.js'
 */

await ownTemporaryFolder();

/** @type {Stack} */
let stack;
/** @type {Control[]} */
let controls = [];
/** @type {NodeInfo[]} */
let nodes;

before(async () => {
  stack = await startStack({ backend: 'local', settings: { 'min-replicas-to-write': '0' } });
  nodes = [await stack.database.primary(), ...(await stack.database.replicas())];
  for (const { id, kind } of stack.nodes) if (kind === 'sentinel') await stack.host.act(id, 'stop');
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

test('a replica that reaches no primary is not in sync, and waiting for it times out', async () => {
  const [primary, replica] = controls;
  await follow(replica, { host: '127.0.0.1', port: 1 });
  const tooLong = untilInSync(primary, replica, undefined, 200);
  await assert.rejects(tooLong, { name: 'UserError', message: /its link is down/ });
  const abort = new AbortController();
  const waiting = untilInSync(primary, replica, abort.signal, 10_000);
  abort.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
});
