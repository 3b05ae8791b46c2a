/** Comparing two nodes key by key: type, value and expiry. */
import { createHash } from 'node:crypto';
import { connect, knowsExpireTime } from '../../src/clients/connection.js';
import { ErrorReply } from '../../src/resp/reader.js';

/**
 * @import { Connection } from '../../src/clients/connection.js'
 * @import { Reply } from '../../src/resp/reader.js'
 * @import { Target } from '../../src/clients/types.js'
 * @import { RoundResult } from '../../src/result/schema.js'
 */

/**
 * @typedef {NonNullable<NonNullable<RoundResult['copy']>['comparison']>} SetsCompared
 *
 * @typedef {Object} KeyCopy one key on one node
 * @property {Buffer | null} payload null: it has none
 * @property {number} expires milliseconds; see {@link Expiry}
 *
 * @typedef {Object} Expiry
 * @property {'PEXPIRETIME' | 'PTTL'} command that both nodes know
 * @property {number} toleranceMs differences up to this count as equal: 0 where both nodes report the millisecond
 */

/** Keys read from both nodes in one step. */
const PAGE = 1000;
/** PTTL counts from the moment of the question, which differs between the nodes. */
const PTTL_TOLERANCE_MS = 2000;
/** The last bytes of DUMP's answer: format version and checksum, which differ between server versions. */
const FOOTER_BYTES = 10;

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
  try {
    const right = await connect(copy, signal);
    try {
      return await compareAll(left, right);
    } finally {
      right.close();
    }
  } finally {
    left.close();
  }
}

/** @param {Connection} source @param {Connection} copy */
async function compareAll(source, copy) {
  const exact = (await knowsExpireTime(source)) && (await knowsExpireTime(copy));
  /** @type {Expiry} */
  const expiry = exact
    ? { command: 'PEXPIRETIME', toleranceMs: 0 }
    : { command: 'PTTL', toleranceMs: PTTL_TOLERANCE_MS };
  /** @type {SetsCompared} */
  const result = { keys: 0, missing: 0, extra: 0, type: 0, value: 0, ttl: 0, ttlMostMs: 0 };
  // SCAN may name a key more than once, and both nodes have most keys.
  /** @type {Set<string>} */
  const seen = new Set();

  for (const node of [source, copy]) {
    const scan = (/** @type {string} */ cursor) => node.call('SCAN', cursor, 'COUNT', String(PAGE));
    let page = scan('0');
    for (let cursor = ''; cursor !== '0'; ) {
      const reply = /** @type {[Buffer, Buffer[]]} */ (await page);
      cursor = String(reply[0]);
      const keys = reply[1]
        .map((key) => key.toString('latin1'))
        .filter((key) => {
          const fresh = !seen.has(key);
          seen.add(key);
          return fresh;
        });
      // The next page comes while this one is compared.
      if (cursor !== '0') page = scan(cursor);
      page.catch(() => {});
      await comparePage(source, copy, keys, expiry, result);
    }
  }
  return result;
}

/**
 * @param {Connection} source
 * @param {Connection} copy
 * @param {string[]} keys one character a byte
 * @param {Expiry} expiry
 * @param {SetsCompared} result is added to
 */
async function comparePage(source, copy, keys, expiry, result) {
  const [ours, theirs] = await readBoth(source, copy, keys, expiry);
  const unlike = [];
  for (let i = 0; i < keys.length; i++) {
    if (same(ours[i], theirs[i], expiry)) result.keys += ours[i].payload ? 1 : 0;
    else unlike.push(keys[i]);
  }
  if (unlike.length === 0) return;
  // A key may have expired between the two readings.
  const [oursAgain, theirsAgain] = await readBoth(source, copy, unlike, expiry);
  for (let i = 0; i < unlike.length; i++) {
    await countDifference(source, copy, unlike[i], oursAgain[i], theirsAgain[i], expiry, result);
  }
}

/**
 * @param {Connection} source
 * @param {Connection} copy
 * @param {string} key
 * @param {KeyCopy} ours
 * @param {KeyCopy} theirs
 * @param {Expiry} expiry
 * @param {SetsCompared} result is added to
 */
async function countDifference(source, copy, key, ours, theirs, expiry, result) {
  if (!ours.payload && !theirs.payload) return;
  result.keys++;
  if (!theirs.payload) {
    result.missing++;
  } else if (!ours.payload) {
    result.extra++;
  } else {
    if (!sameExpiry(ours, theirs, expiry)) {
      result.ttl++;
      // Negative: it never expires.
      if (ours.expires >= 0 && theirs.expires >= 0)
        result.ttlMostMs = Math.max(result.ttlMostMs ?? 0, Math.abs(ours.expires - theirs.expires));
    }
    if (samePayload(ours.payload, theirs.payload)) return;
    // The same value may be kept in two forms, or its members in another order.
    const [ourType, theirType] = await Promise.all([source.call('TYPE', key), copy.call('TYPE', key)]);
    if (ourType !== theirType) {
      result.type++;
      return;
    }
    const type = String(ourType);
    const [ourContent, theirContent] = await Promise.all([contentOf(source, key, type), contentOf(copy, key, type)]);
    if (ourContent === null || ourContent !== theirContent) result.value++;
  }
}

/** @param {Connection} source @param {Connection} copy @param {string[]} keys @param {Expiry} expiry */
function readBoth(source, copy, keys, expiry) {
  return Promise.all([read(source, keys, expiry), read(copy, keys, expiry)]);
}

/** @param {Connection} node @param {string[]} keys @param {Expiry} expiry @returns {Promise<KeyCopy[]>} */
async function read(node, keys, { command }) {
  const commands = [];
  for (const key of keys) commands.push(['DUMP', key], [command, key]);
  const replies = await node.pipeline(commands);
  const refused = replies.find((reply) => reply instanceof ErrorReply);
  if (refused) throw new Error(`a key could not be read: ${/** @type {ErrorReply} */ (refused).message}`);
  return keys.map((_, i) => ({
    payload: /** @type {Buffer | null} */ (replies[2 * i]),
    expires: Number(replies[2 * i + 1]),
  }));
}

/** @param {KeyCopy} ours @param {KeyCopy} theirs @param {Expiry} expiry */
function same(ours, theirs, expiry) {
  if (!ours.payload || !theirs.payload) return !ours.payload && !theirs.payload;
  return samePayload(ours.payload, theirs.payload) && sameExpiry(ours, theirs, expiry);
}

/** @param {Buffer} ours @param {Buffer} theirs */
function samePayload(ours, theirs) {
  if (ours.length !== theirs.length) return false;
  return ours.compare(theirs, 0, theirs.length - FOOTER_BYTES, 0, ours.length - FOOTER_BYTES) === 0;
}

/** @param {KeyCopy} ours @param {KeyCopy} theirs @param {Expiry} expiry */
function sameExpiry(ours, theirs, { toleranceMs }) {
  // Negative: it never expires.
  if (ours.expires < 0 || theirs.expires < 0) return ours.expires < 0 && theirs.expires < 0;
  return Math.abs(ours.expires - theirs.expires) <= toleranceMs;
}

/** Elements of a long value that are read at once. */
const PART = 1000;

/** @type {Record<string, (node: Connection, key: string) => Promise<string[]>>} */
const readers = {
  string: async (node, key) => [textOf(await node.call('GET', key))],
  list: (node, key) =>
    inParts(async (start) => texts(await node.call('LRANGE', key, String(start), String(start + PART - 1)))),
  // Sets and hashes keep no order.
  set: async (node, key) => (await scanned(node, 'SSCAN', key, 1)).sort(),
  hash: async (node, key) => (await scanned(node, 'HSCAN', key, 2)).sort(),
  zset: (node, key) =>
    inParts(async (start) =>
      texts(await node.call('ZRANGE', key, String(start), String(start + PART - 1), 'WITHSCORES')),
    ),
  stream,
};

/**
 * The content of a key, in a form that does not depend on the server's encoding.
 * @param {Connection} node
 * @param {string} key one character a byte
 * @param {string} type as TYPE says
 * @returns {Promise<string | null>} a digest, the same for the same content; null: an unknown type
 */
async function contentOf(node, key, type) {
  const reader = readers[type];
  if (!reader) return null;
  const digest = createHash('sha256');
  // The length separates each element from the next.
  for (const element of await reader(node, key)) digest.update(`${element.length}:${element}`, 'latin1');
  return digest.digest('hex');
}

/** @param {(start: number) => Promise<string[]>} read an empty part is the end */
async function inParts(read) {
  const all = [];
  for (let start = 0; ; start += PART) {
    const part = await read(start);
    if (part.length === 0) return all;
    all.push(...part);
  }
}

/** @param {Connection} node @param {string} command @param {string} key @param {number} words of one element */
async function scanned(node, command, key, words) {
  // It may name an element more than once.
  const all = new Set();
  let cursor = '0';
  do {
    const reply = /** @type {[Buffer, Buffer[]]} */ (await node.call(command, key, cursor, 'COUNT', String(PART)));
    cursor = String(reply[0]);
    const part = texts(reply[1]);
    for (let i = 0; i < part.length; i += words) {
      all.add(
        part
          .slice(i, i + words)
          .map((text) => `${text.length}:${text}`)
          .join(''),
      );
    }
  } while (cursor !== '0');
  return [...all];
}

/**
 * Entries, the last id and other facts of XINFO, consumer groups with their pending entries; without the times when consumers were
 * seen.
 * @param {Connection} node
 * @param {string} key
 */
async function stream(node, key) {
  const all = [];
  let from = '-';
  for (;;) {
    const entries = /** @type {Reply[][]} */ (await node.call('XRANGE', key, from, '+', 'COUNT', String(PART)));
    if (entries.length === 0) break;
    all.push(...texts(entries));
    from = `(${textOf(entries[entries.length - 1][0])}`;
  }
  const about = /** @type {Reply[]} */ (await node.call('XINFO', 'STREAM', key));
  for (let i = 0; i < about.length; i += 2) {
    const field = textOf(about[i]);
    // The other fields describe the encoding, or repeat the above.
    if (['last-generated-id', 'max-deleted-entry-id', 'entries-added'].includes(field))
      all.push(field, textOf(about[i + 1]));
  }
  for (const group of /** @type {Reply[][]} */ (await node.call('XINFO', 'GROUPS', key))) {
    const fields = Object.fromEntries(group.map((field, i) => [textOf(field), textOf(group[i + 1] ?? null)]));
    all.push(fields.name, fields['last-delivered-id'], fields.consumers, fields.pending);
    const pending = await node.call('XPENDING', key, fields.name, '-', '+', String(PART));
    for (const [id, consumer] of /** @type {Reply[][]} */ (pending)) all.push(textOf(id), textOf(consumer));
  }
  return all;
}

/** @param {Reply} reply @returns {string[]} its elements and those of nested arrays */
function texts(reply) {
  if (!Array.isArray(reply))
    throw reply instanceof Error ? reply : new Error('a value was answered in an unknown form');
  return reply.flatMap((element) =>
    Array.isArray(element) ? [String(element.length), ...texts(element)] : [textOf(element)],
  );
}

/** @param {Reply} reply @returns {string} one character a byte */
function textOf(reply) {
  if (reply instanceof ErrorReply) throw reply;
  return reply instanceof Buffer ? reply.toString('latin1') : String(reply);
}
