import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashTagOf, SHARDS, shardOf, slotsOf } from './shards.js';

const KEYS = 3000;

test('the shards share all hash slots, and no slot belongs to two', () => {
  const ranges = SHARDS.map((_, shard) => slotsOf(shard));
  assert.equal(ranges[0].first, 0);
  assert.equal(ranges.at(-1)?.last, 16_383);
  for (const [i, { first }] of ranges.slice(1).entries()) assert.equal(first, ranges[i].last + 1);
});

test('a key belongs to the shard that has its slot', () => {
  // The slots of these keys are in the documentation of Redis Cluster and its tests.
  for (const [key, slot] of /** @type {const} */ ([
    ['foo', 12_182],
    ['bar', 5061],
    ['{foo}.other', 12_182],
  ])) {
    const { first, last } = slotsOf(shardOf(key));
    assert.ok(first <= slot && slot <= last, key);
  }
});

test('each shard has keys, and a hash tag of its own', () => {
  const owners = new Set(Array.from({ length: KEYS }, (_, i) => shardOf(`key:${i}`)));
  assert.deepEqual([...owners].sort(), [0, 1, 2]);
  for (const shard of owners) assert.equal(shardOf(`${hashTagOf(shard)}key`), shard);
});
