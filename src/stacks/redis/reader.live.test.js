import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { FACTS, fill, ledgerOf, readingOf } from '../../audit/fixture.js';
import { LEAST_VALUE_BYTES, valueMaker } from '../../audit/value.js';
import { auditOf } from '../../audit/verdict.js';
import { certificates } from '../../clients/conformance/certificates.js';
import { startNode, until } from '../../clients/conformance/nodes.js';
import { keyName } from '../../clients/native-batch.js';
import { readNode } from './reader.js';

/**
 * @import { KeysToRead } from '../../audit/value.js'
 * @import { AuditResult } from '../../result/failure-schema.js'
 */

/** @typedef {Awaited<ReturnType<typeof startNode>>} Node */

/** More than one MGET, and the last of them shorter. */
const COUNT = 1203;
const PASSWORD = 'correct-horse-battery';

/** @param {Uint8Array} found */
const lettersOf = (found) => Array.from(found, (what) => '.rwt'[what]).join('');

const noOpenssl = await needs('openssl');

describe('a node', () => {
  /** @type {Node} */
  let node;
  before(async () => {
    node = await startNode();
  });
  after(() => node.close());

  let prefixes = 0;
  /**
   * @param {Partial<KeysToRead>} [more]
   * @param {Node} [of]
   */
  async function filled(more = {}, of = node) {
    const keys = { keyPrefix: `test:${++prefixes}:`, count: COUNT, payloadBytes: 64, ...more };
    await fill(of, keys);
    return { ...keys, key: (/** @type {number} */ number) => keyName(keys.keyPrefix, number) };
  }

  for (const [payloadBytes, count] of [
    [LEAST_VALUE_BYTES, COUNT],
    [64, 1],
    [64, 0],
    [3000, COUNT],
    [180_000, 41],
    [3_000_000, 3],
  ]) {
    test(`${count} values of ${payloadBytes} bytes`, async () => {
      const { found, surplus, primary } = await readNode(node.address, await filled({ payloadBytes, count }));
      assert.deepEqual([lettersOf(found), surplus, primary], ['r'.repeat(count), 0, true]);
    });
  }

  /** @type {Record<string, {plant: (keys: Awaited<ReturnType<typeof filled>>) => Promise<unknown>, expected: Partial<AuditResult>}>} */
  const defects = {
    nothing: { plant: async () => {}, expected: {} },
    'a dropped key': { plant: ({ key }) => node.call('DEL', key(500)), expected: { ackedLost: 1 } },
    'a value applied twice': {
      plant: ({ key, keyPrefix, payloadBytes }) => node.call('APPEND', key(7), valueMaker(keyPrefix, payloadBytes)(7)),
      expected: { appliedTwice: 1 },
    },
    'another value after the right one': {
      plant: ({ key, keyPrefix, payloadBytes }) => node.call('APPEND', key(7), valueMaker(keyPrefix, payloadBytes)(8)),
      expected: { wrongValue: 1, ackedLost: 1 },
    },
    'two values exchanged': {
      async plant({ key }) {
        const [a, b] = [String(await node.call('GET', key(3))), String(await node.call('GET', key(1202)))];
        await node.call('MSET', key(3), b, key(1202), a);
      },
      expected: { wrongValue: 2, ackedLost: 2 },
    },
    'a damaged byte at the end': {
      plant: ({ key }) => node.call('SETRANGE', key(1000), 63, '!'),
      expected: { wrongValue: 1, ackedLost: 1 },
    },
    'a value cut short': {
      plant: async ({ key }) => node.call('SET', key(0), String(await node.call('GETRANGE', key(0), 0, 62))),
      expected: { wrongValue: 1, ackedLost: 1 },
    },
    'a value far too long': {
      plant: ({ key }) => node.call('SETRANGE', key(9), 1_000_000, 'x'),
      expected: { wrongValue: 1, ackedLost: 1 },
    },
    'a value that is no string': {
      plant: async ({ key }) => [await node.call('DEL', key(11)), await node.call('LPUSH', key(11), 'x')],
      expected: { wrongValue: 1, ackedLost: 1 },
    },
    'surplus keys': {
      plant: ({ key, keyPrefix }) =>
        node.call('MSET', key(COUNT), 'x', `${keyPrefix}12`, 'x', `${keyPrefix}00000000000x`, 'x', `${key(1)}0`, 'x'),
      expected: { surplus: 4 },
    },
    'surplus keys with names of great length': {
      plant: ({ keyPrefix }) =>
        node.call('MSET', keyPrefix + 'x'.repeat(5000), '', keyPrefix + 'x'.repeat(100_000), ''),
      expected: { surplus: 2 },
    },
  };
  for (const [name, { plant, expected }] of Object.entries(defects)) {
    test(`planted: ${name}`, async () => {
      const keys = await filled();
      await plant(keys);
      const reading = await readNode(node.address, keys);
      const ledger = ledgerOf(Array.from({ length: COUNT }, (_, at) => ({ is: 'acked', at })));
      const { ackedLost, wrongValue, appliedTwice, surplus, acked } = auditOf({
        ...{ ...FACTS, writer: 'redis', appends: true, writes: COUNT, ledger, primaryId: 'redis-1' },
        readings: new Map([['redis-1', reading]]),
      });
      assert.deepEqual(
        { acked, ackedLost, wrongValue, appliedTwice, surplus },
        { acked: COUNT, ackedLost: 0, wrongValue: 0, appliedTwice: 0, surplus: 0, ...expected },
      );
    });
  }

  test('planted: a refused or unsent write that exists on a replica only', async () => {
    const keys = await filled({ count: 4 });
    const replica = await readNode(node.address, keys);
    const { rejectedPresent, unsentPresent, ackedLost, unknownPresent } = auditOf({
      ...{ ...FACTS, writes: 4, primaryId: 'redis-1' },
      ledger: ledgerOf([{ is: 'acked', at: 1 }, { is: 'rejected', at: 2 }, { is: 'unsent' }, { is: 'unknown' }]),
      readings: new Map(Object.entries({ 'redis-1': readingOf('r...'), 'redis-2': replica })),
    });
    assert.deepEqual([rejectedPresent, unsentPresent, ackedLost, unknownPresent], [1, 1, 0, 0]);
  });

  test('a replica, and a password', async (t) => {
    const replica = await startNode(['--replicaof', node.address.host, String(node.address.port)]);
    t.after(() => replica.close());
    const keys = await filled();
    await until(
      // While it loads what the primary sends, it says so.
      async () => String(await replica.call('GET', keys.key(COUNT - 1)).catch(() => '')).length === 64,
      'the replica has the last key',
    );
    await replica.call('CONFIG', 'SET', 'requirepass', PASSWORD);
    const credentials = { password: PASSWORD };
    const { found, primary } = await readNode({ ...replica.address, credentials }, keys);
    assert.deepEqual([lettersOf(found), primary], ['r'.repeat(COUNT), false]);
    await assert.rejects(readNode(replica.address, keys), /127\.0\.0\.1:\d+ could not be read: NOAUTH/);
    const wrong = readNode({ ...replica.address, credentials: { password: 'wrong' } }, keys);
    await assert.rejects(wrong, /Cannot connect to 127\.0\.0\.1:\d+: WRONGPASS/);
  });

  test('TLS, and a user who may only read', { skip: noOpenssl }, async (t) => {
    const { tls, options } = await certificates(t);
    const secure = await startNode(options, { tls });
    t.after(() => secure.close());
    const keys = await filled({ payloadBytes: 20_000, count: 300 }, secure);
    await secure.call('ACL', 'SETUSER', 'auditor', 'on', `>${PASSWORD}`, '~*', '+mget', '+scan');
    const credentials = { username: 'auditor', password: PASSWORD, tls };
    const { found, primary } = await readNode({ ...secure.address, credentials }, keys);
    assert.deepEqual([lettersOf(found), primary], ['r'.repeat(300), false]);
    await secure.call('ACL', 'SETUSER', 'auditor', '-scan');
    await assert.rejects(readNode({ ...secure.address, credentials }, keys), /could not be read: NOPERM .*scan/);
  });

  test('a lost connection, an interruption: an error that says so, and no socket left', async (t) => {
    const other = await startNode();
    t.after(() => other.close());
    const keys = await filled({}, other);
    other.pause();
    const controller = new AbortController();
    const interrupted = readNode(other.address, { ...keys, signal: controller.signal });
    // Whether its connection was accepted before the end is the system's affair.
    const gone = assert.rejects(
      readNode(other.address, keys),
      /could not be read: .* (was lost|closed the connection)|Cannot connect/,
    );
    controller.abort(new Error('enough'));
    await assert.rejects(interrupted, /^Error: enough$/);
    await assert.rejects(readNode(other.address, { ...keys, signal: controller.signal }), /^Error: enough$/);
    await other.kill();
    await gone;
    await assert.rejects(readNode(other.address, keys), /Cannot connect to .*ECONNREFUSED/);
    await until(
      () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length <= 1,
      'only the control connection is left',
    );
  });
});
