/** Cases: what arrives at the node, when, and what WAIT says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './nodes.js';
import { open, times } from './probe.js';
import { startRelay } from './relay.js';

/**
 * @import { Client, Shape } from '../types.js'
 * @import { ClientStack } from './stack.js'
 * @import { TestContext } from 'node:test'
 */

const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);

/** @param {Client} client @param {ClientStack} stack */
export function writes(client, stack) {
  test('a write answered OK is there, byte for byte', async (t) => {
    const value = 'a\r\n$3\r\nfoo "\0é€😀';
    const probe = await open(t, client, stack.primary, { payloadBytes: Buffer.byteLength(value) });
    probe.connection.setValue(value);
    const result = await probe.write([0, 42, 999_999_999]);
    assert.deepEqual(result, { outcomes: times(3, 'acked'), waitCount: -1, errors: [] });
    const found = /** @type {string[]} */ (await stack.call('KEYS', `${probe.prefix}*`));
    assert.deepEqual(
      found.sort(),
      [0, 42, 999_999_999].map((n) => probe.key(n)),
    );
    for (const key of found) assert.equal(await stack.call('GET', key), value);
  });

  test('read gives the value, or null for a missing key', async (t) => {
    const probe = await open(t, client, stack.primary);
    probe.connection.setValue('sixteen bytes ok');
    await probe.write([0, 1, 2]);
    assert.equal(await probe.connection.read(2), 'sixteen bytes ok');
    assert.equal(await probe.connection.read(3), null);
  });

  for (const waitMode of WAIT_MODES) {
    test(`${waitMode}: a pipeline of 100 writes has one WAIT, whose count is read`, async (t) => {
      const probe = await open(t, client, stack.primary, { pipeline: 100, waitReplicas: 2, waitMode });
      const before = [await stack.calls('set'), await stack.calls('wait')];
      assert.deepEqual(await probe.write(), { outcomes: times(100, 'acked'), waitCount: 2, errors: [] });
      const after = [await stack.calls('set'), await stack.calls('wait')];
      assert.deepEqual([after[0] - before[0], after[1] - before[1]], [100, 1]);
    });

    test(`${waitMode}: with a replica paused WAIT times out and its count decides`, async (t) => {
      const waitTimeoutMs = 150;
      const two = await open(t, client, stack.primary, { waitReplicas: 2, waitTimeoutMs, waitMode });
      const one = await open(t, client, stack.primary, { waitReplicas: 1, waitMode });
      await stack.withPaused(1, async () => {
        // The other replica may be late, too, when the machine is busy: then the count is 0 that time.
        let result;
        for (let turn = 0; turn < 20 && result?.waitCount !== 1; turn++) {
          const began = performance.now();
          result = await two.write();
          assert.ok(performance.now() - began > waitTimeoutMs - 20, 'WAIT was waited for');
          assert.deepEqual(result.outcomes, times(3, 'underAcked'));
        }
        assert.deepEqual(result, { outcomes: times(3, 'underAcked'), waitCount: 1, errors: [] });
        assert.deepEqual(await one.write(), { outcomes: times(3, 'acked'), waitCount: 1, errors: [] });
        assert.equal(await two.connection.wait(2, 20), 1);
      });
      assert.equal(await two.connection.wait(2, 30_000), 2);
      await until(async () => (await two.write()).outcomes.every((word) => word === 'acked'), 'both are in time again');
    });
  }

  test('pipelined: WAIT leaves with the writes', async (t) => {
    const { relay, probe } = await throughRelay(t, { pipeline: 20, waitReplicas: 2, waitMode: 'pipelined' });
    relay.allow(0);
    const result = probe.write();
    await until(() => relay.seen('WAIT') === 1, 'WAIT arrives though no write has been answered');
    assert.equal(relay.seen('SET'), 20);
    relay.allow(Number.POSITIVE_INFINITY);
    assert.deepEqual(await result, { outcomes: times(20, 'acked'), waitCount: 2, errors: [] });
    assert.equal(relay.seen('WAIT'), 1);
  });

  test('sequential: WAIT leaves when the last write has been answered, and not before', async (t) => {
    const { relay, probe } = await throughRelay(t, { pipeline: 20, waitReplicas: 2, waitMode: 'sequential' });
    relay.allow(19);
    const result = probe.write();
    await until(() => relay.heldLines() === 1, 'every write but one has been answered');
    await relay.barrier();
    assert.deepEqual([relay.seen('SET'), relay.seen('WAIT')], [20, 0]);
    relay.allow(Number.POSITIVE_INFINITY);
    assert.deepEqual(await result, { outcomes: times(20, 'acked'), waitCount: 2, errors: [] });
    assert.deepEqual([relay.seen('SET'), relay.seen('WAIT')], [20, 1]);
  });

  /** @param {TestContext} t @param {Partial<Shape>} shape */
  async function throughRelay(t, shape) {
    const relay = await startRelay(stack.primary);
    t.after(() => relay.close());
    return { relay, probe: await open(t, client, relay.address, shape) };
  }
}
