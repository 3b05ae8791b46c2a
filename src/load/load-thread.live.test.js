import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { connectPatiently } from '../clients/conformance/nodes.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { decodeHistogram } from '../stats/histogram.js';
import { roundPlan } from './fixture.js';
import { startLoadThread } from './load-thread.js';

/**
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { LoadThread } from './load-thread.js'
 * @import { RoundPlan } from './types.js'
 */

describe('the load thread, on a real stack', () => {
  /** @type {Stack} */
  let stack;
  /** @type {Control} */
  let primary;
  /** @type {LoadThread} */
  let thread;
  /** @type {RoundPlan} */
  let plan;

  before(async () => {
    stack = await startLocal({ backend: 'local' });
    const node = await stack.database.primary();
    primary = await connectPatiently(node.address);
    thread = startLoadThread();
    const replicas = (await stack.database.replicas()).map(({ address }) => address);
    // Only a stalled machine makes a WAIT for running replicas take this long.
    plan = roundPlan({ primary: node.address, replicas, connections: 2 }, { waitTimeoutMs: 15_000 });
  });
  after(async () => {
    await thread?.close();
    primary?.close();
    await stack?.close();
  });
  beforeEach(async () => {
    await primary.call('CONFIG', 'SET', 'min-replicas-to-write', '1');
    await primary.call('CONFIG', 'RESETSTAT');
  });

  /** @param {Partial<RoundPlan>} [changes] @param {Partial<RoundPlan['shape']>} [shape] */
  const planned = (changes = {}, shape = {}) => ({ ...plan, ...changes, shape: { ...plan.shape, ...shape } });

  /** @param {string} command */
  const calls = async (command) => {
    const stats = await primary.info('commandstats');
    return Number(/calls=(\d+)/.exec(stats[`cmdstat_${command}`] ?? '')?.[1] ?? 0);
  };

  for (const client of /** @type {const} */ (['native', 'redis', 'ioredis'])) {
    test(`${client}: its counts are those of the server`, async () => {
      await thread.prepare(planned({ client, connections: 3 }, { pipeline: 7, waitReplicas: 2 }));
      await primary.call('CONFIG', 'RESETSTAT');
      const sample = await thread.go();
      assert.ok(sample.operations > 0);
      assert.equal(sample.operations % 7, 0);
      assert.deepEqual(sample.outcomes, { acked: sample.operations, underAcked: 0, rejected: 0, unknown: 0 });
      assert.deepEqual(sample.errors, {});
      assert.equal(await calls('set'), sample.operations);
      assert.equal(await calls('wait'), sample.operations / 7);
      const histogram = decodeHistogram(sample.histogram);
      assert.equal(histogram.totalCount, sample.operations);
      assert.ok(sample.latencyNs.min > 1000, 'no round trip takes less than a microsecond');
      assert.ok(sample.latencyNs.max <= sample.seconds * 1e9 * 1.001);
      assert.ok(sample.seconds >= 0.1);
    });
  }

  test('a round that cannot be prepared says why, and the next one works', async () => {
    await assert.rejects(thread.prepare(planned({ primary: { host: '127.0.0.1', port: 1 } })), /127\.0\.0\.1:1/);
    await thread.prepare(planned());
    assert.ok((await thread.go()).outcomes.acked > 0);
  });

  test('read after write: a replica that does not follow is stale, and the time is recorded', async () => {
    const [replica] = await stack.database.replicas();
    const control = await connectPatiently(replica.address);
    try {
      // With a WAIT that the other one answers: it shows the value whenever it is read.
      await thread.prepare(
        planned({ generator: 'read-after-write', connections: 1 }, { payloadBytes: 12, waitReplicas: 1 }),
      );
      await control.call('REPLICAOF', 'NO', 'ONE');
      const { consistency, operations, latencyNs } = await thread.go();
      assert.ok(operations > 0);
      assert.equal(consistency?.reads, operations * 2);
      assert.equal(consistency.stale, operations, 'one of the two replicas never shows it');
      assert.equal(consistency.immediate, operations, 'and the other does at once');
      assert.ok(latencyNs.max >= 2e9);
    } finally {
      control.close();
      await stack.heal();
    }
  });
});
