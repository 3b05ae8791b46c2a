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
  /** @param {TestContext} t @param {string[]} [options] */
  async function start(t, options) {
    const node = await startNode(options);
    t.after(() => node.close());
    return node;
  }

  for (const [count, payloadBytes] of [
    [0, 8],
    [1, 8],
    // Neither a whole number of batches nor of connections.
    [12_345, 8],
    [50, 180_000],
  ]) {
    test(`${count} keys of ${payloadBytes} bytes`, async (t) => {
      const node = await start(t);
      await fillKeys(node.address, { keyPrefix: PREFIX, count, payloadBytes, signal: never });
      assert.equal(await node.call('DBSIZE'), count);
      const last = keyName(PREFIX, count - 1);
      if (count) assert.equal(await node.call('STRLEN', last), payloadBytes);
      const clients = async () =>
        String(await node.call('CLIENT', 'LIST'))
          .trim()
          .split('\n');
      await until(async () => (await clients()).length === 1, 'none is left but that which asks');
    });
  }

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
});
