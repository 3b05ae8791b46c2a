import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { connectPatiently } from '../clients/conformance/nodes.js';
import { KEY_DIGITS } from '../clients/native-batch.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { removeKeys } from '../stacks/redis/remove-keys.js';
import { redis } from '../stacks/redis/system.js';
import { removeKeysForGood } from './keys.js';

/**
 * @import { Stack, Control } from '../stacks/types.js'
 * @import { Primary } from '../stacks/redis/remove-keys.js'
 */

await ownTemporaryFolder();

const skip = await needs('server');

describe('removing keys', { skip }, () => {
  const keys = { prefix: 'sentinel-bench:0123456789ab:', count: 2500 };
  const others = ['theirs', 'sentinel-bench:other', `${keys.prefix}x`, keys.prefix + '2500'.padStart(KEY_DIGITS, '0')];
  /** @type {Stack} */
  let stack;
  /** @type {Control} */
  let primary;
  /** @type {Control} */
  let writer;
  before(async () => {
    stack = await startLocal({});
    const { address } = await stack.database.primary();
    primary = await connectPatiently(address);
    writer = await connectPatiently(address);
    await primary.call('MSET', ...others.flatMap((key) => [key, '1']));
  });
  after(async () => {
    primary?.close();
    writer?.close();
    await stack?.close();
  });

  /** @param {number} number */
  const keyOf = (number) => keys.prefix + String(number).padStart(KEY_DIGITS, '0');
  const present = async () => /** @type {string[]} */ (await primary.call('KEYS', '*')).sort();

  test('removes these keys, and no others', async () => {
    for (const number of [0, 999, 1000, 2499]) await primary.call('SET', keyOf(number), '1');
    assert.equal(await removeKeys(primary, keys), 4);
    assert.deepEqual(await present(), [...others].sort());
    assert.equal(await removeKeys(primary, keys), 0);
  });

  test('also removes keys written during the removal', async () => {
    let passes = 0;
    const racing = {
      /** @type {Primary['call']} */
      async call(command, ...args) {
        // What a writer that was broken off had sent, arriving behind the removal's back.
        if (command === 'EXISTS' && args.includes(keyOf(2499)) && passes++ < 3) await writer.call('SET', keyOf(0), '1');
        return primary.call(command, ...args);
      },
    };
    await primary.call('SET', keyOf(1), '1');
    await removeKeysForGood(redis, racing, keys);
    assert.equal(passes, 5);
    assert.deepEqual(await present(), [...others].sort());
  });
});
