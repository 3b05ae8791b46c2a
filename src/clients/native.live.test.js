import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableMemory } from '../measure/memory.js';
import { buildBatch } from './native-batch.js';

test('the longest value that Redis takes does not fit into a string, and yet into a batch', (t) => {
  const longest = 2 ** 29;
  if (availableMemory() < 4 * longest) return t.skip('there is too little memory');
  const { whole, writes } = buildBatch({
    ...{ payloadBytes: longest, pipeline: 1, waitReplicas: 0, waitTimeoutMs: 1000 },
    ...{ waitMode: 'pipelined', keyPrefix: 'k:' },
  });
  const head = `*3\r\n$3\r\nSET\r\n$14\r\nk:000000000000\r\n$${longest}\r\n`;
  assert.equal(whole.toString('latin1', 0, head.length), head);
  assert.equal(whole.length, head.length + longest + 2);
  assert.match(whole.toString('latin1', whole.length - 10), /^[a-z]{8}\r\n$/);
  assert.equal(writes.length, whole.length);
});
