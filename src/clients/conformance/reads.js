/** Cases: batches that write nothing, of GETs and of PINGs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './nodes.js';
import { open, times } from './probe.js';
import { startRelay } from './relay.js';

/**
 * @import { Client } from '../types.js'
 * @import { ClientStack } from './stack.js'
 */

/** @param {Client} client @param {ClientStack} stack */
export function reads(client, stack) {
  for (const pipeline of [1, 50]) {
    test(`a batch of ${pipeline} PING${pipeline > 1 ? 's' : ''}: as many arrive, without WAIT, and all are answered`, async (t) => {
      const relay = await startRelay(stack.primary);
      t.after(() => relay.close());
      const probe = await open(t, client, relay.address, { pipeline, waitReplicas: 2 });
      for (let batch = 1; batch <= 2; batch++) {
        assert.deepEqual(await probe.ping(), { outcomes: times(pipeline, 'acked'), waitCount: -1, errors: [] });
        assert.equal(probe.connection.fetched, true);
        assert.equal(probe.connection.misses, 0);
        assert.equal(relay.seen('PING'), batch * pipeline);
      }
      assert.deepEqual([relay.seen('WAIT'), relay.seen('SET'), relay.seen('GET')], [0, 0, 0]);
    });
  }

  test('PINGs, reads and writes take turns on a connection', async (t) => {
    const probe = await open(t, client, stack.primary, { waitReplicas: 2 });
    for (let turn = 0; turn < 2; turn++) {
      assert.deepEqual((await probe.ping()).outcomes, times(3, 'acked'));
      assert.deepEqual(await probe.write(), { outcomes: times(3, 'acked'), waitCount: 2, errors: [] });
      assert.equal(probe.connection.fetched, false);
      assert.deepEqual(await probe.fetch([0, 7, 1]), { outcomes: times(3, 'acked'), waitCount: -1, errors: [] });
      assert.deepEqual([probe.connection.fetched, probe.connection.misses], [true, 1]);
    }
  });

  for (const kind of /** @type {const} */ (['ping', 'fetch'])) {
    test(`${kind}: what was answered before the connection is lost is acked, the rest unknown`, async (t) => {
      const relay = await startRelay(stack.primary);
      t.after(() => relay.close());
      const probe = await open(t, client, relay.address, { pipeline: 5 });
      relay.allow(2);
      const result = probe[kind]();
      await until(() => relay.heldLines() === 3, 'two are answered');
      await relay.barrier();
      relay.cut();
      const { outcomes } = await result;
      assert.deepEqual(outcomes, ['acked', 'acked', 'unknown', 'unknown', 'unknown']);
      assert.deepEqual(await probe[kind](), { outcomes: times(5, 'rejected'), waitCount: -1, errors: ['NOTSENT'] });
    });
  }
}
