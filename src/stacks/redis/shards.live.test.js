/**
 * A stack whose nodes form a Redis Cluster: formed, healed, and removed with its owner.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { askNode } from '../ask.js';
import { eventually, ownTemporaryFolder } from '../fixture.js';
import { listStacks } from '../hosts/local/record.js';
import { startStack } from '../index.js';
import { hashTagOf, SHARDS, slotsOf } from './shards.js';

/** @import { Stack } from '../types.js' */

await ownTemporaryFolder();
const noDocker = await needs('docker');

/** @param {Stack} stack whose shards take their keys and no others */
async function assertFormed(stack) {
  assert.deepEqual(
    stack.nodes.map(({ id }) => id),
    SHARDS,
  );
  for (const [shard, id] of SHARDS.entries()) {
    const ownKey = `${hashTagOf(shard)}key`;
    const other = `${hashTagOf((shard + 1) % SHARDS.length)}key`;
    await askNode(stack, id, async (control) => {
      assert.equal(await control.call('SET', ownKey, 'value'), 'OK');
      await assert.rejects(control.call('SET', other, 'value'), /^ReplyError: MOVED/);
      const nodes = /** @type {[number, number, ...unknown[]][]} */ (await control.call('CLUSTER', 'SLOTS'));
      const ranges = nodes.map(([first, last]) => [first, last]).sort(([a], [b]) => a - b);
      assert.deepEqual(
        ranges,
        SHARDS.map((_, i) => Object.values(slotsOf(i))),
      );
    });
  }
  await assertNobodyFollows(stack);
}

/** A server looks once a second whether it has somebody to follow. */
const LOOKED_TWICE_SECONDS = 3;

/** @param {Stack} stack */
async function assertNobodyFollows(stack) {
  for (const id of SHARDS) {
    const infoOf = () => askNode(stack, id, (control) => control.info('server', 'replication'));
    await eventually(`${id} had the time to follow another`, async () => {
      return Number((await infoOf()).uptime_in_seconds) >= LOOKED_TWICE_SECONDS;
    });
    assert.equal((await infoOf()).connected_slaves, '0', id);
  }
}

describe('a local Redis Cluster', { skip: await needs('server') }, () => {
  test('three primaries take the keys of their slots; a killed node is healed; nothing is left', async () => {
    const stack = await startStack({ backend: 'local', shards: true });
    try {
      assert.equal((await stack.database.primary()).id, SHARDS[0]);
      await assertFormed(stack);
      await stack.host.act(SHARDS[1], 'kill');
      await stack.heal();
      await assertFormed(stack);
      assert.equal((await stack.host.stats()).length, SHARDS.length);
    } finally {
      await stack.close();
    }
    assert.deepEqual(listStacks(), []);
  });
});

test('a Redis Cluster in containers', { skip: noDocker }, async () => {
  const stack = await startStack({ backend: 'docker', shards: true });
  try {
    await assertFormed(stack);
  } finally {
    await stack.close();
  }
});
