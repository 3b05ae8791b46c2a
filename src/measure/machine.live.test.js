import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startNode } from '../clients/conformance/nodes.js';
import { roundPlan } from '../load/fixture.js';
import { startLoadThread } from '../load/load-thread.js';
import { encodeCommand } from '../resp/writer.js';
import { Round } from '../result/round-schema.js';
import { loadProcessUse, sampleLoadProcess } from './machine.js';

const VALUE_BYTES = 10_000;
const OPERATIONS = 2000;
const KEY_PREFIX = 'sentinel-bench:process:';
const KEY = `${KEY_PREFIX}${'0'.repeat(12)}`;
const SET_BYTES = encodeCommand(['SET', KEY, 'x'.repeat(VALUE_BYTES)]).length;
const GET_BYTES = encodeCommand(['GET', KEY]).length;
const OK_BYTES = 5;
const VALUE_REPLY_BYTES = VALUE_BYTES + '$10000\r\n\r\n'.length;
/** What wakes the threads and what they say to each other goes through read and write calls, too. */
const TOLERANCE = 0.02 * OPERATIONS * VALUE_BYTES;

describe('the process that makes the load', {
  skip: !existsSync('/proc/self/io') && 'there is no /proc/self/io',
}, () => {
  for (const [operation, sent, received] of /** @type {const} */ ([
    ['set', SET_BYTES, OK_BYTES],
    ['get', GET_BYTES, VALUE_REPLY_BYTES],
  ])) {
    test(`${operation}: the bytes of its threads' sockets are counted, each once`, async (t) => {
      const node = await startNode();
      t.after(() => node.close());
      await node.call('SET', KEY, 'x'.repeat(VALUE_BYTES));
      const thread = startLoadThread();
      t.after(() => thread.close());
      const limits = { keyspace: 1, seconds: 30, operations: OPERATIONS };
      await thread.prepare(
        roundPlan(
          { operation, primary: node.address, connections: 2, ...limits },
          { payloadBytes: VALUE_BYTES, keyPrefix: KEY_PREFIX },
        ),
      );
      const before = sampleLoadProcess();
      const { operations, load, seconds: loaded } = await thread.go();
      const after = sampleLoadProcess();
      const use = loadProcessUse(before, after);
      assertNear(use.bytesWritten, operations * sent, 'written');
      assertNear(use.bytesRead, operations * received, 'read');
      // Seconds of CPU, not shares: who takes the second sample may have had to wait for a CPU itself.
      const used = (use.cpu * (after.atMs - before.atMs)) / 1000;
      const usedByThread = Number(load.cpu) * loaded;
      assert.ok(used > 0 && used >= 0.5 * usedByThread, `${used} s, ${usedByThread} s of them the thread's`);
      assert.ok(Number(use.pids) > 2, `${use.pids} threads`);
      assert.ok(Math.abs(use.memoryBytes - process.memoryUsage.rss()) < 64 * 1024 * 1024, `${use.memoryBytes}`);
      Round.shape.load.shape.process.parse(use);
    });
  }
});

/** @param {number | null} counted @param {number} expected @param {string} what */
function assertNear(counted, expected, what) {
  assert.ok(Math.abs(Number(counted) - expected) < TOLERANCE, `${counted} bytes ${what} instead of ${expected}`);
}
