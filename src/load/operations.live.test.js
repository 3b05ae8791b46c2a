import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { connectPatiently } from '../clients/conformance/nodes.js';
import { keyName } from '../clients/native-batch.js';
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

const PREFIX = 'sentinel-bench:operations:';
const CLIENTS = /** @type {const} */ (['native', 'redis', 'ioredis']);
/** So many operations, however long the machine takes: their number is not the machine's to decide. */
const MANY = { operations: 2000, seconds: 60 };
const NOTHING = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
// Only a stalled machine makes a WAIT for running replicas take this long.
const PLAN = roundPlan({ connections: 3, keyspace: 100 }, { pipeline: 5, waitTimeoutMs: 15_000, keyPrefix: PREFIX });

describe('what a load is made of, on a real stack', () => {
  /** @type {Stack} */
  let stack;
  /** @type {Control[]} the primary's, then the replicas' */
  let controls = [];
  /** @type {LoadThread} */
  let thread;
  /** @type {RoundPlan} */
  let plan;

  before(async () => {
    stack = await startLocal({});
    const primary = await stack.database.primary();
    const replicas = await stack.database.replicas();
    controls = await Promise.all([primary, ...replicas].map(({ address }) => connectPatiently(address)));
    thread = startLoadThread();
    plan = { ...PLAN, primary: primary.address, replicas: replicas.map(({ address }) => address) };
    // Every other key is there.
    for (let key = 0; key < PLAN.keyspace; key += 2)
      await controls[0].call('SET', keyName(PREFIX, key), 'x'.repeat(64));
  });
  after(async () => {
    await thread?.close();
    for (const control of controls) control.close();
    await stack?.close();
  });
  beforeEach(resetCounts);

  function resetCounts() {
    return Promise.all(controls.map((control) => control.call('CONFIG', 'RESETSTAT')));
  }

  /** @param {string} command @param {Control} [control] */
  async function calls(command, control = controls[0]) {
    const stats = await control.info('commandstats');
    return Number(/calls=(\d+)/.exec(stats[`cmdstat_${command}`] ?? '')?.[1] ?? 0);
  }

  for (const client of CLIENTS) {
    test(`${client}: every operation of get is a GET, in the warm-up too, and misses are counted`, async () => {
      await thread.prepare({ ...plan, ...MANY, client, operation: 'get', warmUpSeconds: 0.05 });
      assert.ok((await calls('get')) > 0, 'the warm-up read');
      await resetCounts();
      const { operations, outcomes, reads, errors, histogram } = await thread.go();
      assert.ok(operations >= MANY.operations);
      assert.deepEqual(outcomes, { ...NOTHING, acked: operations });
      assert.deepEqual(reads, { answered: operations, misses: reads?.misses, failed: 0 });
      const missed = Number(reads?.misses) / operations;
      assert.ok(missed > 0.3 && missed < 0.7, `${missed} of the keys are not there`);
      assert.deepEqual(errors, {});
      assert.equal(await calls('get'), operations);
      assert.equal(decodeHistogram(histogram).totalCount, operations);
    });
  }

  test('connections go to the targets round-robin', async () => {
    await thread.prepare({ ...plan, operation: 'get', targets: plan.replicas });
    await resetCounts();
    const { operations } = await thread.go();
    const [atPrimary, ...atReplicas] = await Promise.all(controls.map((control) => calls('get', control)));
    assert.equal(atPrimary, 0);
    assert.equal(atReplicas[0] + atReplicas[1], operations);
    assert.ok(atReplicas[0] > 0 && atReplicas[1] > 0, `${atReplicas}`);
  });

  for (const operation of /** @type {const} */ (['set', 'get', 'idle'])) {
    test(`background connections write beside ${operation}, and are counted separately`, async () => {
      const shape = { ...plan.shape, waitReplicas: 2 };
      await thread.prepare({ ...plan, shape, operation, backgroundConnections: 2, warmUpSeconds: 0.05 });
      assert.equal(operation === 'set' || (await calls('set')) === 0, true, 'none in the warm-up');
      await resetCounts();
      const began = performance.now();
      const { operations, outcomes, background, seconds, errors } = await thread.go();
      const took = (performance.now() - began) / 1000;
      assert.ok(background && background.operations > 0);
      // They begin before it does, and the batches under way when it ends still count.
      const beside = background.seconds;
      assert.ok(beside > seconds - 0.001 && beside <= took, `${beside} s beside ${seconds} s, of ${took} s`);
      assert.deepEqual(outcomes, { ...NOTHING, acked: operations });
      assert.deepEqual(errors, {});
      assert.equal(await calls('set'), background.operations + (operation === 'set' ? operations : 0));
      assert.equal(await calls('wait'), operation === 'set' ? operations / shape.pipeline : 0);
      // A slow machine writes some of the keys only.
      const written = String(await controls[0].call('RANDOMKEY'));
      assert.equal(String(await controls[0].call('GET', written)).length, 64);
    });
  }

  test('read after write: a replica that does not follow is stale, and the time is recorded', async () => {
    const [replica] = await stack.database.replicas();
    const control = await connectPatiently(replica.address);
    try {
      // With a WAIT that the other one answers: it shows the value whenever it is read.
      await thread.prepare({
        ...plan,
        ...{ generator: 'read-after-write', connections: 1 },
        shape: { ...plan.shape, payloadBytes: 12, pipeline: 1, waitReplicas: 1 },
      });
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
