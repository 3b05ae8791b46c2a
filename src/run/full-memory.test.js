import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInfo } from '../resp/info.js';
import { sampleRoom } from '../stacks/redis/usage.js';
import { explainFull, FullMemory, isFull } from './full-memory.js';

const MEMORY =
  'used_memory:3700000\r\nmem_not_counted_for_evict:40000\r\nmaxmemory:3584000\r\nmaxmemory_policy:noeviction\r\n';
const OOM = "OOM command not allowed when used memory > 'maxmemory'.";

/** @param {string} text of INFO */
function stackThatSays(text) {
  const node = { id: 'redis-1', kind: 'redis', address: { host: '127.0.0.1', port: 1 } };
  const control = { info: async () => parseInfo(text), lost: () => false, close() {} };
  const system = { connect: async () => control, isReplyError: () => true, samples: { room: sampleRoom } };
  return /** @type {any} */ ({ nodes: [node], access: {}, database: { ...system, primary: async () => node } });
}

test('a full memory is named with its node and its figures, whoever put words around the answer', async () => {
  const stack = stackThatSays(MEMORY);
  for (const text of [OOM, `ERR Error running script: @user_script: ${OOM}`, `driver.bullmq: ${OOM}`]) {
    const error = await explainFull(stack, new Error(text));
    assert.ok(error instanceof FullMemory);
    assert.match(error.message, /^redis-1 .*: 3,660,000 bytes of a maxmemory of 3,584,000 are used, .* noeviction\.$/);
    assert.match(error.remedy, /^Raise its maxmemory, /);
  }
  const other = new Error('NOREPLICAS Not enough good replicas to write.');
  assert.equal(await explainFull(stack, other), other);
});

test('what a server buffers for its replicas does not count', async () => {
  const room = await sampleRoom({ info: async () => parseInfo(MEMORY) });
  assert.equal(isFull(room), true);
  assert.equal(isFull({ ...room, maxBytes: 3_660_000 }), false, 'exactly full is not over');
  assert.equal(isFull({ ...room, policy: 'allkeys-lru' }), false);
  assert.equal(isFull({ ...room, maxBytes: 0 }), false, 'no limit');
});
