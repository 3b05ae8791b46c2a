/** Two nodes for a test, and changes to a data set. */
import { startNode } from '../../src/clients/conformance/nodes.js';
import { connect } from '../../src/clients/connection.js';

/**
 * @import { StartedNode } from '../../src/clients/conformance/nodes.js'
 * @import { Reply, Word } from '../types.js'
 * @import { Pair } from './move.js'
 */

/**
 * @typedef {Object} MoverScene
 * @property {StartedNode} source
 * @property {StartedNode} copy
 * @property {Pair} pair
 * @property {(commands: Word[][]) => Promise<Reply[]>} write to the source
 */

/**
 * @template T
 * @param {(scene: MoverScene) => Promise<T>} work
 * @param {{source?: string, copy?: string}} [servers] names on PATH; default: the first one found
 * @returns {Promise<T>} when both nodes have ended
 */
export async function withPair(work, servers = {}) {
  const source = await startServer(servers.source);
  try {
    const copy = await startServer(servers.copy);
    try {
      const writer = await connect(source.address);
      const pair = { source: source.address, sourceForPeers: source.address, copy: copy.address, credentials: {} };
      return await work({ source, copy, pair, write: (commands) => writer.pipeline(commands) }).finally(() =>
        writer.close(),
      );
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** @param {string} [name] */
async function startServer(name) {
  const former = process.env.SENTINEL_BENCH_SERVER;
  if (name) process.env.SENTINEL_BENCH_SERVER = name;
  try {
    return await startNode();
  } finally {
    if (former === undefined) delete process.env.SENTINEL_BENCH_SERVER;
    else process.env.SENTINEL_BENCH_SERVER = former;
  }
}

/** Every byte, line ends among them. */
export const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** Awkward keys, and values of every size and encoding. */
export function awkwardKeys() {
  const many = Array.from({ length: 3000 }, (_, i) => `member:${i}`);
  const big = Buffer.alloc(3_000_000, EVERY_BYTE);
  return [
    ['SET', '', 'of the empty key'],
    ['SET', EVERY_BYTE, EVERY_BYTE],
    ['SET', 'a key\r\nof two lines', '*1\r\n$4\r\nPING\r\n'],
    ['SET', 'big', big],
    ['SETBIT', 'bits', '100000', '1'],
    ['INCRBY', 'number', '-12345678901'],
    ['PFADD', 'hyperloglog', ...many],
    ['HSET', 'hash:large', ...many.flatMap((name) => [name, name])],
    ['HSET', 'hash:binary', EVERY_BYTE, EVERY_BYTE],
    ['RPUSH', 'list:large', ...many, big],
    ['SADD', 'set:large', ...many],
    ['SADD', 'set:numbers', '1', '-5', '70000', '5000000000'],
    ['ZADD', 'zset:large', ...many.flatMap((name, i) => [String(i / 7), name])],
    ['ZADD', 'zset:infinite', '-inf', 'least', '+inf', 'most'],
    ['XADD', 'stream', '5-1', 'field', EVERY_BYTE],
    ['XADD', 'stream', '6-1', 'field', 'value'],
    ['XDEL', 'stream', '6-1'],
    ['XGROUP', 'CREATE', 'stream', 'group', '0'],
    ['XREADGROUP', 'GROUP', 'group', 'consumer', 'STREAMS', 'stream', '>'],
    ['SET', 'expires', 'later', 'PX', '7654321'],
    ['PEXPIRE', 'hash:large', '8765432'],
  ];
}

/**
 * One of each kind of change: made, overwritten, changed in place, expiring and persisted, renamed, gone.
 * @param {string} prefix of the keys that {@link beforeChanges} has made
 */
export function changes(prefix) {
  return [
    ['SET', `${prefix}new`, 'value'],
    ['SET', `${prefix}string`, 'another'],
    ['APPEND', `${prefix}appended`, 'more'],
    ['HSET', `${prefix}hash`, 'field', 'another'],
    ['LPOP', `${prefix}list`],
    ['SADD', `${prefix}set`, 'another'],
    ['ZINCRBY', `${prefix}zset`, '5', 'member'],
    ['XADD', `${prefix}stream`, '2-1', 'field', 'value'],
    ['PEXPIRE', `${prefix}to expire`, '5000000'],
    ['PERSIST', `${prefix}to stay`],
    ['RENAME', `${prefix}to rename`, `${prefix}renamed`],
    ['DEL', `${prefix}to delete`],
    ['PEXPIRE', `${prefix}to go at once`, '-1'],
    ['SPOP', `${prefix}to empty`],
    ['MULTI'],
    ['SET', `${prefix}in a transaction`, 'another'],
    ['UNLINK', `${prefix}to unlink`],
    ['EXEC'],
    [
      'EVAL',
      "redis.call('SET', KEYS[1], 'another') redis.call('DEL', KEYS[2])",
      '2',
      `${prefix}by a script`,
      `${prefix}too`,
    ],
  ];
}

/** @param {string} prefix */
export function beforeChanges(prefix) {
  const strings = ['string', 'appended', 'to expire', 'to rename', 'to delete', 'to go at once', 'in a transaction'];
  return [
    ...[...strings, 'to unlink', 'by a script', 'too'].map((name) => ['SET', `${prefix}${name}`, 'value']),
    ['SET', `${prefix}to stay`, 'value', 'PX', '5000000'],
    ['HSET', `${prefix}hash`, 'field', 'value'],
    ['RPUSH', `${prefix}list`, 'first', 'second'],
    ['SADD', `${prefix}set`, 'member'],
    ['ZADD', `${prefix}zset`, '1', 'member'],
    ['XADD', `${prefix}stream`, '1-1', 'field', 'value'],
    ['SADD', `${prefix}to empty`, 'member'],
  ];
}

/** How {@link changes} look to a mover that missed them: new, renamed; gone in six ways, the renamed one among them. */
export const UNNOTICED = Object.freeze({ missing: 2, extra: 6, type: 0, value: 9, ttl: 2 });
