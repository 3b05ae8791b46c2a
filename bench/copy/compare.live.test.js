import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/clients/connection.js';
import { ErrorReply } from '../../src/resp/reader.js';
import { awkwardKeys, EVERY_BYTE, withPair } from '../movers/fixture.js';
import { compareNodes } from './compare.js';
import { fillDataSet } from './data-set.js';

/**
 * @import { Word } from '../../src/resp/writer.js'
 * @import { MoverScene } from '../movers/fixture.js'
 */

const NONE = { keys: 0, missing: 0, extra: 0, type: 0, value: 0, ttl: 0, ttlMostMs: 0 };
const DATA = { keys: 2000, seed: 3, keyPrefix: 'data:' };
/** Longer than what is kept as one listpack. */
const MANY = Array.from({ length: 600 }, (_, i) => `member:${i}`);

/**
 * @param {MoverScene} scene
 * @param {Word[][]} ours written to the source
 * @param {Word[][]} theirs written to the copy
 */
async function compareAfter({ pair, source, copy }, ours, theirs) {
  for (const [node, commands] of /** @type {const} */ ([
    [source, ours],
    [copy, theirs],
  ])) {
    const connection = await connect(node.address);
    for (const reply of await connection.pipeline([['FLUSHALL'], ...commands]))
      if (reply instanceof ErrorReply) throw reply;
    connection.close();
  }
  return compareNodes(pair.source, pair.copy);
}

test('the same data set twice is no difference', () =>
  withPair(async ({ pair, source, copy, write }) => {
    await fillDataSet(source.address, DATA);
    // The same seed brings the same keys and values, the expiries count from now.
    await fillDataSet(copy.address, DATA);
    const twice = await compareNodes(pair.source, pair.copy);
    assert.deepEqual({ ...twice, ttl: 0, ttlMostMs: 0 }, { ...NONE, keys: DATA.keys });
    assert.ok(Number(twice.ttlMostMs) > 0);
    assert.ok(twice.ttl > DATA.keys / 20 && twice.ttl < DATA.keys / 5, `${twice.ttl} expire`);

    await write([['FLUSHALL']]);
    const copied = await compareNodes(pair.source, pair.copy);
    assert.deepEqual(copied, { ...NONE, keys: DATA.keys, extra: DATA.keys });
  }));

test('each kind of difference is found', () =>
  withPair(async (scene) => {
    /** @type {[string, Word[][], Word[][], Partial<typeof NONE>][]} */
    const planted = [
      ['missing', [['SET', EVERY_BYTE, 'a']], [], { missing: 1 }],
      ['extra', [], [['SET', EVERY_BYTE, 'a']], { extra: 1 }],
      ['type', [['SET', 'key', 'a']], [['RPUSH', 'key', 'a']], { type: 1 }],
      ['type of an equal look', [['RPUSH', 'key', 'a']], [['SADD', 'key', 'a']], { type: 1 }],
      ['string', [['SET', 'key', EVERY_BYTE]], [['SET', 'key', EVERY_BYTE.subarray(1)]], { value: 1 }],
      ['order of a list', [['RPUSH', 'key', 'a', 'b']], [['RPUSH', 'key', 'b', 'a']], { value: 1 }],
      ['bounds of elements', [['RPUSH', 'key', 'ab', 'c']], [['RPUSH', 'key', 'a', 'bc']], { value: 1 }],
      ['end of a long list', [['RPUSH', 'key', ...MANY, 'a']], [['RPUSH', 'key', ...MANY, 'b']], { value: 1 }],
      ['hash', [['HSET', 'key', 'f', 'a']], [['HSET', 'key', 'f', 'b']], { value: 1 }],
      [
        'hash of swapped values',
        [['HSET', 'key', 'f', 'a', 'g', 'b']],
        [['HSET', 'key', 'f', 'b', 'g', 'a']],
        { value: 1 },
      ],
      ['large set', [['SADD', 'key', ...MANY, 'a']], [['SADD', 'key', ...MANY, 'b']], { value: 1 }],
      ['score', [['ZADD', 'key', '1', 'a']], [['ZADD', 'key', '1.0000001', 'a']], { value: 1 }],
      ['stream', [['XADD', 'key', '1-1', 'f', 'a']], [['XADD', 'key', '1-1', 'f', 'b']], { value: 1 }],
      [
        'fields of entries',
        [['XADD', 'key', '1-1', 'f', 'a']],
        [['XADD', 'key', '1-1', 'f', 'a', 'g', 'b']],
        { value: 1 },
      ],
      [
        'last id of a stream',
        [
          ['XADD', 'key', '1-1', 'f', 'a'],
          ['XADD', 'key', '2-1', 'f', 'a'],
          ['XDEL', 'key', '2-1'],
        ],
        [['XADD', 'key', '1-1', 'f', 'a']],
        { value: 1 },
      ],
      [
        'group',
        [['XGROUP', 'CREATE', 'key', 'group', '0', 'MKSTREAM']],
        [['XGROUP', 'CREATE', 'key', 'group', '1', 'MKSTREAM']],
        { value: 1 },
      ],
      [
        'expiry',
        [['SET', 'key', 'a', 'PXAT', '4000000000000']],
        [['SET', 'key', 'a', 'PXAT', '4000000000001']],
        { ttl: 1, ttlMostMs: 1 },
      ],
      ['expiry and none', [['SET', 'key', 'a', 'EX', '5000']], [['SET', 'key', 'a']], { ttl: 1 }],
      ['none and expiry', [['SET', 'key', 'a']], [['SET', 'key', 'a', 'EX', '5000']], { ttl: 1 }],
      ['value and expiry', [['SET', 'key', 'a', 'EX', '5000']], [['SET', 'key', 'b']], { value: 1, ttl: 1 }],
    ];
    for (const [what, ours, theirs, expected] of planted) {
      const same = ['SET', 'the same', 'a'];
      const found = await compareAfter(scene, [same, ...ours], [same, ...theirs]);
      assert.deepEqual(found, { ...NONE, keys: 2, ...expected }, what);
    }
  }));

test('another encoding of the same value is no difference', () =>
  withPair(async (scene) => {
    const { source, copy } = scene;
    await copy.call('CONFIG', 'SET', 'hash-max-listpack-entries', '1');
    await copy.call('CONFIG', 'SET', 'zset-max-listpack-entries', '1');
    await copy.call('CONFIG', 'SET', 'list-max-listpack-size', '1');
    await copy.call('CONFIG', 'SET', 'set-max-intset-entries', '1');
    const pairs = MANY.slice(0, 50).flatMap((name) => [name, `value of ${name}`]);
    const turned = MANY.slice(0, 50)
      .reverse()
      .flatMap((name) => [name, `value of ${name}`]);
    /** @type {(fields: string[]) => Word[][]} */
    const commands = (fields) => [
      ['HSET', 'hash', ...fields],
      ['SADD', 'set', ...fields],
      ['SADD', 'numbers', ...fields.map((_, i) => String(fields === pairs ? i : fields.length - 1 - i))],
      ['ZADD', 'zset', ...[...fields].sort().flatMap((name) => ['1.5', name])],
      ['RPUSH', 'list', ...MANY],
      ...awkwardKeys().filter(([name]) => !String(name).startsWith('PEXPIRE')),
      ['PERSIST', 'expires'],
    ];
    const found = await compareAfter(scene, commands(pairs), commands(turned));
    assert.notEqual(await source.call('OBJECT', 'ENCODING', 'hash'), await copy.call('OBJECT', 'ENCODING', 'hash'));
    assert.deepEqual({ ...found, keys: 0 }, NONE);
    assert.equal(found.keys, await source.call('DBSIZE'));
  }));
