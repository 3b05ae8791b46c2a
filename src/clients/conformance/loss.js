/** Cases: connections that end before, in and after a batch. Nothing may be retried, resent or saved for later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holds, startNode, until } from './nodes.js';
import { open, times, within } from './probe.js';
import { startRelay } from './relay.js';

/**
 * @import { Client, Shape } from '../types.js'
 * @import { ClientStack } from './stack.js'
 * @import { TestContext } from 'node:test'
 */

/** @param {Client} client @param {ClientStack} stack */
export function losses(client, stack) {
  test('writes applied but never answered are unknown, and are not sent again', async (t) => {
    const { relay, probe } = await throughRelay(t, { pipeline: 10 });
    const before = await stack.calls('set');
    relay.allow(0);
    const result = probe.write();
    await until(() => relay.heldLines() === 10, 'the node has answered, the client has not heard of it');
    relay.cut();
    const { outcomes, waitCount, errors } = await result;
    assert.deepEqual({ outcomes, waitCount }, { outcomes: times(10, 'unknown'), waitCount: -1 });
    assert.ok(errors.length > 0, 'the loss is reported');
    await holds(() => relay.accepted() === 1, 'the client does not connect again');
    assert.equal((await stack.calls('set')) - before, 10);
  });

  for (const [waitMode, waitReplicas, answered] of /** @type {const} */ ([
    ['pipelined', 0, 'acked'],
    ['pipelined', 2, 'underAcked'],
    ['sequential', 2, 'underAcked'],
  ])) {
    test(`${waitMode}, WAIT ${waitReplicas}: what was answered before the loss is ${answered}, the rest unknown`, async (t) => {
      const { relay, probe } = await throughRelay(t, { waitMode, waitReplicas, pipeline: 5 });
      relay.allow(2);
      const result = probe.write();
      await until(() => relay.heldLines() >= 3, 'two writes are answered');
      await relay.barrier();
      relay.cut();
      const { outcomes, waitCount } = await result;
      assert.deepEqual(outcomes, [answered, answered, 'unknown', 'unknown', 'unknown']);
      assert.equal(waitCount, -1);
    });
  }

  for (const waitMode of /** @type {const} */ (['pipelined', 'sequential'])) {
    test(`${waitMode}: a loss before WAIT's answer leaves the writes underAcked`, async (t) => {
      const { relay, probe } = await throughRelay(t, { waitMode, waitReplicas: 1 });
      relay.allow(3);
      const result = probe.write();
      await until(() => relay.heldLines() === 1, "WAIT's answer is held back");
      await relay.barrier();
      relay.cut();
      const { outcomes, waitCount } = await result;
      assert.deepEqual({ outcomes, waitCount }, { outcomes: times(3, 'underAcked'), waitCount: -1 });
      await holds(
        () => relay.seen('WAIT') === 1,
        'WAIT is not sent again: on a new connection it would succeed at once',
      );
    });
  }

  test('a connection lost while idle: the next batch is rejected as not sent', async (t) => {
    const { relay, probe } = await throughRelay(t, { waitReplicas: 1 });
    assert.ok((await probe.write()).waitCount >= 1);
    assert.equal(probe.connection.lost, false);
    relay.cut();
    await until(() => probe.connection.lost, 'the client notices');
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await probe.write(), { outcomes: times(3, 'rejected'), waitCount: -1, errors: ['NOTSENT'] });
    }
    await assert.rejects(within(probe.connection.read(0), 'read is answered'));
    await assert.rejects(within(probe.connection.wait(1, 100), 'WAIT is answered'));
    await holds(() => relay.accepted() === 1, 'the client does not connect again');
    assert.deepEqual([relay.seen('SET'), relay.seen('WAIT'), relay.seen('GET')], [3, 1, 0]);
  });

  test('an answer that is not RESP ends the connection, the write unknown', async (t) => {
    const { relay, probe } = await throughRelay(t, { pipeline: 2 });
    relay.allow(1);
    const result = probe.write();
    await until(() => relay.heldLines() === 1, 'one write is answered');
    relay.say('@nonsense\r\n');
    const { outcomes, errors } = await result;
    assert.deepEqual(outcomes, ['acked', 'unknown']);
    assert.ok(errors.length > 0, 'it is reported');
    await until(() => probe.connection.lost, 'the connection counts as lost');
    await holds(() => relay.accepted() === 1, 'the client does not connect again');
  });

  test('a paused node just does not answer; close settles what is under way at once', async (t) => {
    const node = await startNode();
    t.after(() => node.close());
    const shape = { waitReplicas: 1, waitTimeoutMs: 50 };
    const probes = await Promise.all([1, 2, 3].map(() => open(t, client, node.address, shape)));
    node.pause();
    const results = probes.map((probe) => probe.write());
    const allOpen = () => probes.every((probe) => probe.answered === 0 && !probe.connection.lost);
    await holds(allOpen, 'the batches stay open');
    // A wait repeats each time; a stall of the machine does not.
    let quickest = Infinity;
    for (const [index, probe] of probes.entries()) {
      const began = performance.now();
      await probe.connection.close();
      quickest = Math.min(quickest, performance.now() - began);
      assert.equal(probe.answered, 1, 'onBatch was called before close resolved');
      assert.deepEqual((await results[index]).outcomes, times(3, 'unknown'));
      assert.equal(probe.connection.lost, true);
      assert.deepEqual((await probe.write()).outcomes, times(3, 'rejected'));
      await probe.connection.close();
    }
    assert.ok(quickest < 1000, `close waits for nothing, and took ${quickest} ms`);
  });

  /** @param {TestContext} t @param {Partial<Shape>} shape */
  async function throughRelay(t, shape) {
    const relay = await startRelay(stack.primary);
    t.after(() => relay.close());
    return { relay, probe: await open(t, client, relay.address, shape) };
  }
}
