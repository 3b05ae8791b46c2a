import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { startNode, until } from '../clients/conformance/nodes.js';
import { keyName } from '../clients/native-batch.js';
import { UserError } from '../errors.js';
import { fillKeys } from './keys.js';

/** @import { TestContext } from 'node:test' */

const skip = await needs('server');

const PREFIX = 'sentinel-bench:fill:';
const never = new AbortController().signal;

describe('filling a server', { skip }, () => {
  /**
   * @param {TestContext} t
   * @param {string[]} [options]
   */
  async function start(t, options) {
    const node = await startNode(options);
    t.after(() => node.close());
    return node;
  }

  for (const [count, payloadBytes, connections] of [
    [0, 8, undefined],
    [1, 8, undefined],
    // Neither a whole number of batches nor of connections.
    [12_345, 8, undefined],
    [12_345, 8, 1],
    [50, 180_000, 3],
  ]) {
    test(`${count} keys of ${payloadBytes} bytes, ${connections ?? 'as many'} connections`, async (t) => {
      const node = await start(t);
      const options = { keyPrefix: PREFIX, count: Number(count), payloadBytes: Number(payloadBytes), signal: never };
      await fillKeys(node.address, { ...options, connections });
      assert.equal(await node.call('DBSIZE'), count);
      const last = keyName(PREFIX, Number(count) - 1);
      if (count) assert.equal(await node.call('STRLEN', last), payloadBytes);
      const clients = async () =>
        String(await node.call('CLIENT', 'LIST'))
          .trim()
          .split('\n');
      await until(async () => (await clients()).length === 1, 'none is left but that which asks');
    });
  }

  test('progress never goes back and never past the end', async (t) => {
    const node = await start(t);
    /** @type {number[]} */
    const counts = [];
    // More than there is: it is stopped when it has told twice.
    const enough = new AbortController();
    const filling = fillKeys(node.address, {
      keyPrefix: PREFIX,
      count: 100_000_000,
      payloadBytes: 1,
      signal: enough.signal,
      onProgress: (done) => counts.push(done) === 2 && enough.abort(new Error('enough')),
    });
    await assert.rejects(filling, /^Error: enough$/);
    assert.equal(counts.length, 2);
    assert.ok(counts[0] > 0 && counts[1] > counts[0], `${counts}`);
    await until(async () => Number(await node.call('DBSIZE')) >= counts[1], 'what was told is there');
  });

  test('a server whose memory is full is named, with its own words', async (t) => {
    const node = await start(t, ['--maxmemory', '8mb']);
    const filling = fillKeys(node.address, { keyPrefix: PREFIX, count: 1000, payloadBytes: 180_000, signal: never });
    await assert.rejects(filling, (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /: OOM command not allowed when used memory > 'maxmemory'\.$/);
      assert.match(error.remedy, /maxmemory/);
      return true;
    });
  });

  test('a server that ends during the fill is reported', async (t) => {
    const node = await start(t);
    const filling = fillKeys(node.address, {
      keyPrefix: PREFIX,
      count: 100_000_000,
      payloadBytes: 1,
      signal: never,
      onProgress: () => void node.kill(),
    });
    await assert.rejects(filling, /CLOSED/);
  });

  test('replicas that are to keep pace have every key when it is done', async (t) => {
    const [primary, replica] = await Promise.all([start(t), start(t)]);
    await replica.call('REPLICAOF', primary.address.host, primary.address.port);
    const role = async () => /** @type {unknown[]} */ (await replica.call('ROLE'));
    await until(async () => (await role())[3] === 'connected', 'the replica follows');
    await fillKeys(primary.address, {
      keyPrefix: PREFIX,
      count: 200,
      payloadBytes: 180_000,
      signal: never,
      replicas: 1,
    });
    assert.equal(await replica.call('DBSIZE'), 200);
    assert.ok((await primary.calls('wait')) >= 10, 'they were asked batch by batch');
  });
});
