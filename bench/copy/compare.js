/** Comparing two nodes key by key: type, value and expiry. */
import { connect, infoOf } from '../../src/clients/connection.js';
import { ErrorReply } from '../../src/resp/reader.js';

/** @import { Connection, Reply, Target } from '../types.js' */
/** @import { CopyFigures } from './document.js' */
/**
 * @typedef {Required<CopyFigures['comparison']>} SetsCompared
 * @typedef {{nodes: readonly [source: Connection, copy: Connection], exact: boolean, result: SetsCompared}} Comparison exact: both nodes report the
 *   millisecond of an expiry
 * @typedef {{payload: Buffer | null, expires: number}} KeyCopy one key on one node. payload: null if the key is missing; expires: in milliseconds, negative: never
 */

const PAGE = 1000;
/** PTTL counts from the moment of the question, which differs between the nodes: differences up to this one count as equal. */
const PTTL_TOLERANCE_MS = 2000;
/** The last bytes of DUMP's answer: format version and checksum, which differ between server versions. */
const FOOTER_BYTES = 10;

/** @returns {SetsCompared} nothing was compared yet */
export const nothingCompared = () => ({ keys: 0, missing: 0, extra: 0, type: 0, value: 0, ttl: 0, ttlMostMs: 0 });

/** @param {CopyFigures['comparison']} comparison */
export const differencesIn = ({ missing, extra, type, value, ttl }) => missing + extra + type + value + ttl;

/**
 * Compares type, value and expiry of every key of database 0. A key that expires on both nodes meanwhile does not count as a difference.
 * @param {Target} source
 * @param {Target} copy
 * @param {AbortSignal} [signal]
 * @returns {Promise<SetsCompared>} correct as long as nothing writes to either node
 * @throws {Error} a node was lost, or refused a command
 */
export async function compareNodes(source, copy, signal) {
  const left = await connect(source, signal);
  const right = await connect(copy, signal).catch((error) => {
    left.close();
    throw error;
  });
  try {
    const exact = (await knowsExpireTime(left)) && (await knowsExpireTime(right));
    const comparison = { nodes: /** @type {const} */ ([left, right]), exact, result: nothingCompared() };
    // SCAN may name a key more than once, and both nodes have most keys.
    /** @type {Set<string>} */
    const seen = new Set();
    for (const node of comparison.nodes) {
      let cursor = '0';
      do {
        const scan = await node.call('SCAN', cursor, 'COUNT', String(PAGE));
        const [next, found] = /** @type {[Buffer, Buffer[]]} */ (scan);
        cursor = String(next);
        const keys = [...new Set(found.map((key) => key.toString('latin1')))].filter((key) => !seen.has(key));
        for (const key of keys) seen.add(key);
        await comparePage(comparison, keys);
      } while (cursor !== '0');
    }
    return comparison.result;
  } finally {
    left.close();
    right.close();
  }
}

/** @param {Comparison} comparison its result is added to @param {readonly string[]} keys one character a byte */
async function comparePage(comparison, keys) {
  const [ours, theirs] = await readBoth(comparison, keys);
  const unlike = keys.filter((_, i) => {
    const { payload } = ours[i];
    const isSame = samePayload(payload, theirs[i].payload) && (!payload || sameExpiry(comparison, ours[i], theirs[i]));
    if (isSame && payload) comparison.result.keys++;
    return !isSame;
  });
  if (unlike.length === 0) return;
  // A key may have expired between the two readings.
  const [oursAgain, theirsAgain] = await readBoth(comparison, unlike);
  for (const [i, key] of unlike.entries()) await countDifference(comparison, key, oursAgain[i], theirsAgain[i]);
}

/** @param {Comparison} comparison its result is added to @param {string} key @param {KeyCopy} ours @param {KeyCopy} theirs */
async function countDifference(comparison, key, ours, theirs) {
  const { nodes, result } = comparison;
  if (!ours.payload && !theirs.payload) return;
  result.keys++;
  if (!theirs.payload) {
    result.missing++;
    return;
  }
  if (!ours.payload) {
    result.extra++;
    return;
  }
  if (!sameExpiry(comparison, ours, theirs)) {
    result.ttl++;
    if (ours.expires >= 0 && theirs.expires >= 0)
      result.ttlMostMs = Math.max(result.ttlMostMs, Math.abs(ours.expires - theirs.expires));
  }
  if (samePayload(ours.payload, theirs.payload)) return;
  // The same value may be kept in two forms, or its members in another order.
  const [type, theirType] = await Promise.all(nodes.map(async (node) => String(await node.call('TYPE', key))));
  if (type !== theirType) {
    result.type++;
    return;
  }
  const [content, theirContent] = await Promise.all(nodes.map(async (node) => textOf(await READERS[type](node, key))));
  if (content !== theirContent) result.value++;
}

/** @param {Comparison} comparison @param {readonly string[]} keys */
const readBoth = ({ nodes, exact }, keys) =>
  Promise.all(
    nodes.map(async (node) => {
      const expiry = exact ? 'PEXPIRETIME' : 'PTTL';
      const replies = await node.pipeline(
        keys.flatMap((key) => [
          ['DUMP', key],
          [expiry, key],
        ]),
      );
      const refused = replies.find((reply) => reply instanceof ErrorReply);
      if (refused) throw new Error(`a key could not be read: ${/** @type {ErrorReply} */ (refused).message}`);
      return keys.map((_, i) => ({
        payload: /** @type {Buffer | null} */ (replies[2 * i]),
        expires: Number(replies[2 * i + 1]),
      }));
    }),
  );

/** @param {Buffer | null} ours @param {Buffer | null} theirs */
function samePayload(ours, theirs) {
  if (!ours || !theirs) return ours === theirs;
  if (ours.length !== theirs.length) return false;
  return ours.compare(theirs, 0, theirs.length - FOOTER_BYTES, 0, ours.length - FOOTER_BYTES) === 0;
}

/** @param {Comparison} comparison @param {KeyCopy} ours @param {KeyCopy} theirs */
function sameExpiry({ exact }, ours, theirs) {
  if (ours.expires < 0 || theirs.expires < 0) return ours.expires < 0 && theirs.expires < 0;
  return Math.abs(ours.expires - theirs.expires) <= (exact ? 0 : PTTL_TOLERANCE_MS);
}

/**
 * By what TYPE says: the content of a key, in a form that does not depend on the server's encoding.
 * @type {Record<string, (node: Connection, key: string) => Promise<Reply>>}
 */
const READERS = {
  string: (node, key) => node.call('GET', key),
  list: (node, key) => node.call('LRANGE', key, '0', '-1'),
  zset: (node, key) => node.call('ZRANGE', key, '0', '-1', 'WITHSCORES'),
  set: async (node, key) => sorted(await node.call('SMEMBERS', key), 1),
  hash: async (node, key) => sorted(await node.call('HGETALL', key), 2),
  // Without the times when consumers were seen, and what describes the encoding.
  stream: async (node, key) => [
    await node.call('XRANGE', key, '-', '+'),
    chosen(await node.call('XINFO', 'STREAM', key), ['last-generated-id', 'max-deleted-entry-id', 'entries-added']),
    /** @type {Reply[]} */ (await node.call('XINFO', 'GROUPS', key)).map((group) =>
      chosen(group, ['name', 'last-delivered-id', 'consumers', 'pending']),
    ),
  ],
};

/** @param {Reply} reply of elements @param {number} words of each */
function sorted(reply, words) {
  const all = /** @type {Reply[]} */ (reply);
  const elements = Array.from({ length: all.length / words }, (_, i) => all.slice(i * words, (i + 1) * words));
  return elements.map(textOf).sort();
}

/** @param {Reply} reply of names and values @param {readonly string[]} names */
function chosen(reply, names) {
  const all = /** @type {Reply[]} */ (reply);
  return all.filter((_, i) => i % 2 === 1 && names.includes(String(all[i - 1])));
}

/** @param {Reply} reply @returns {string} one character a byte. The length separates each element from the next */
function textOf(reply) {
  if (reply instanceof ErrorReply) throw reply;
  if (Array.isArray(reply)) return `${reply.length}[${reply.map(textOf).join('')}`;
  const text = reply instanceof Buffer ? reply.toString('latin1') : String(reply);
  return `${text.length}:${text}`;
}

/** @param {Connection} connection @returns {Promise<boolean>} the server has PEXPIRETIME (Redis 7.0, any Valkey) */
async function knowsExpireTime(connection) {
  const { redis_version: version = '' } = await infoOf(connection, 'server');
  return Number(version.split('.')[0]) >= 7;
}
