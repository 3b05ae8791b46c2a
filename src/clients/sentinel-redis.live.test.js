import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { connectSentinelRedis } from './sentinel-redis.js';

await ownTemporaryFolder();

test('a write belongs to the node that answered it, not to the node of the newest connection', async (t) => {
  const stack = await startLocal({ backend: 'local' });
  t.after(() => stack.close());
  const nodes = stack.nodes.filter(({ kind }) => kind === 'redis');
  const primary = nodes.indexOf(await stack.database.primary());
  const other = nodes[(primary + 1) % nodes.length];
  /** @type {number[]} */
  const moves = [];
  /** @type {net.Socket | undefined} */
  let late;
  const client = await connectSentinelRedis({
    sentinels: stack.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    nodes,
    masterName: stack.access.masterName,
    credentials: stack.access.credentials,
    onMove(node) {
      moves.push(node);
      // Opened from here it counts as the library's, as one would that the library gave up while it was under way.
      late ??= net.connect(other.address.port, other.address.host);
    },
  });
  t.after(() => client.destroy());
  assert.ok(late);
  if (late.connecting) await once(late, 'connect');
  assert.ok(moves.includes(nodes.indexOf(other) + 1), 'the later connection is seen');
  await client.append('sentinel-bench:who', 'a');
  const { generation, node } = client;
  assert.equal(node, primary + 1);
  late.destroy();
  await once(late, 'close');
  assert.equal(client.node, primary + 1, 'the end of a connection that is not used changes nothing');
  await client.append('sentinel-bench:who', 'b');
  assert.equal(client.generation, generation);
});
