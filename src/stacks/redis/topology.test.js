import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_NODES, isWhole, NODES, nodesOf, quorumOf, sizeOf } from './topology.js';

test('a stack has two replicas and three Sentinels unless it is asked for other numbers', () => {
  const ids = (/** @type {readonly {id: string}[]} */ nodes) => nodes.map(({ id }) => id).join(' ');
  assert.equal(ids(NODES), 'redis-1 redis-2 redis-3 sentinel-1 sentinel-2 sentinel-3');
  assert.equal(ids(nodesOf({ replicas: 1 })), 'redis-1 redis-2 sentinel-1 sentinel-2 sentinel-3');
  assert.equal(nodesOf({ replicas: 4, sentinelCount: 5 }).length, ALL_NODES.length);
  assert.throws(() => nodesOf({ replicas: 3 }), { message: 'A stack cannot have 3 replicas.' });
  assert.throws(() => nodesOf({ sentinelCount: 4 }), { remedy: 'Ask for 3 or 5.' });
});

test('a stack is whole when all nodes of its size are there', () => {
  const largest = ALL_NODES.map(({ id }) => id);
  assert.ok(isWhole(largest));
  assert.ok(isWhole(NODES.map(({ id }) => id)));
  assert.ok(!isWhole(largest.filter((id) => id !== 'redis-2')));
  assert.ok(!isWhole(NODES.map(({ id }) => id).slice(1)));
  assert.ok(!isWhole([]));
  assert.deepEqual(sizeOf(largest), { replicas: 4, sentinelCount: 5 });
});

test('a majority of the Sentinels is the quorum, and no two nodes have one number', () => {
  assert.deepEqual([3, 5].map(quorumOf), [2, 3]);
  assert.equal(new Set(ALL_NODES.map(({ number }) => number)).size, ALL_NODES.length);
});
