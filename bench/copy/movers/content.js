/**
 * The content of a key, in a form that does not depend on the server's encoding.
 */
import { createHash } from 'node:crypto';
import { ErrorReply } from '../../../src/resp/reader.js';

/**
 * @import { Connection } from '../../../src/clients/connection.js'
 * @import { Reply } from '../../../src/resp/reader.js'
 */

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
 * @param {Connection} node
 * @param {string} key one character a byte
 * @param {string} type as TYPE says
 * @returns {Promise<string | null>} a digest, the same for the same content; null: an unknown type
 */
export async function contentOf(node, key, type) {
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

/**
 * @param {Connection} node
 * @param {string} command
 * @param {string} key
 * @param {number} words of one element
 */
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
 *
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

/**
 * @param {Reply} reply
 * @returns {string[]} its elements and those of nested arrays
 */
function texts(reply) {
  if (!Array.isArray(reply))
    throw reply instanceof Error ? reply : new Error('a value was answered in an unknown form');
  return reply.flatMap((element) =>
    Array.isArray(element) ? [String(element.length), ...texts(element)] : [textOf(element)],
  );
}

/**
 * @param {Reply} reply
 * @returns {string} one character a byte
 */
function textOf(reply) {
  if (reply instanceof ErrorReply) throw reply;
  return reply instanceof Buffer ? reply.toString('latin1') : String(reply);
}
