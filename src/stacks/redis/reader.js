/** Reads all that a node holds of one writer: each key by number, then a scan for keys that it never had. Later keys are surplus, too. */
/** @import { KeysToRead, NodeReading } from '../../audit/value.js' */
/** @import { Connection } from '../../clients/connection.js' */
/** @import { Target } from '../../clients/types.js' */
/** @import { Reply } from '../../resp/reader.js' */
import { Found, valueChecker } from '../../audit/value.js';
import { connect } from '../../clients/connection.js';
import { KEY_DIGITS, keyName } from '../../clients/native-batch.js';
import { messageOf } from '../../errors.js';
import { ErrorReply } from '../../resp/reader.js';

const BATCH = 500;
/** The values of an MGET together stay below this. */
const MOST_BATCH_BYTES = 1024 * 1024;
/** MGETs under way at once: the node works on one while replies of others are compared. */
const WINDOW = 4;
/** Keys that one SCAN looks at; it takes a few milliseconds. */
const SCAN_COUNT = '10000';
/** Longer foreign keys are distinguished by their length only. */
const LONGEST_KEY_BYTES = 4096;
/** A library that repeats a write repeats it less often. */
const MOST_TIMES = 16;
const NUMBER = new RegExp(`^\\d{${KEY_DIGITS}}$`);

/**
 * @param {Target} target any Redis node, replicas included @param {KeysToRead & {signal?: AbortSignal}} options
 * @returns {Promise<NodeReading>} @throws {Error} it cannot be reached, fell silent, hung up, or answered with an error such as LOADING
 */
export async function readNode(target, { signal, ...keys }) {
  const mostBytes = Math.max(MOST_TIMES * keys.payloadBytes, LONGEST_KEY_BYTES);
  const node = await connect(target, signal, { mostBytes });
  try {
    const before = await isPrimary(node);
    const found = new Uint8Array(keys.count);
    await readValues(node, keys, found, 0, keys.count);
    const missed = new Set();
    const surplus = await scan(node, keys, (number) => {
      if (found[number] === Found.absent) missed.add(number);
    });
    await readMissed(node, keys, found, missed);
    const after = await isPrimary(node);
    return { found, surplus, primary: before && after };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${target.host}:${target.port} could not be read: ${messageOf(error)}`, { cause: error });
  } finally {
    node.close();
  }
}

async function isPrimary(/** @type {Connection} */ node) {
  const [reply] = await node.pipeline([['ROLE']]);
  if (Array.isArray(reply)) return String(reply[0]) === 'master';
  // Without permission for ROLE the keys can still be read.
  if (reply instanceof ErrorReply && !reply.message.startsWith('NOPERM')) throw reply;
  return false;
}

/**
 * @param {Connection} node @param {KeysToRead} keys @param {Uint8Array} found gets a {@link Found} for each number
 * @param {number} first @param {number} end exclusive
 */
async function readValues(node, { keyPrefix, payloadBytes }, found, first, end) {
  const prefix = inBytes(keyPrefix);
  const isRight = valueChecker(keyPrefix, payloadBytes);
  const batch = Math.max(1, Math.min(BATCH, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  let next = first;

  function judge(/** @type {Reply} */ value, /** @type {number} */ number) {
    if (value === null) return Found.absent;
    if (!Buffer.isBuffer(value)) return Found.wrong;
    const times = value.length / payloadBytes;
    if (!Number.isInteger(times) || times === 0) return Found.wrong;
    for (let i = 0; i < times; i++) if (!isRight(value, i * payloadBytes, number)) return Found.wrong;
    return times === 1 ? Found.right : Found.twice;
  }

  const readBatches = async () => {
    while (next < end) {
      const from = next;
      const to = Math.min(end, from + batch);
      next = to;
      const names = Array.from({ length: to - from }, (_, i) => keyName(prefix, from + i));
      const values = await node.call('MGET', ...names);
      if (!Array.isArray(values) || values.length !== to - from)
        throw new Error(`MGET was not answered with ${to - from} values`);
      for (const [i, value] of values.entries()) found[from + i] = judge(value, from + i);
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, readBatches));
}

/**
 * @param {Connection} node @param {KeysToRead} keys @param {(number: number) => void} onNumber called for every key of the writer, or more often
 * @returns number of keys with the prefix that the writer never had
 */
async function scan(node, { keyPrefix, count }, onNumber) {
  const prefix = inBytes(keyPrefix);
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  // SCAN may name a key more than once. A key that is too long is known by its length.
  const surplus = new Set();
  let cursor = '0';
  do {
    const reply = await node.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
    const [next, names] = Array.isArray(reply) ? reply : [];
    if (!Array.isArray(names)) throw new Error('SCAN was not answered with keys');
    cursor = String(next);
    for (const name of names) {
      const key = Buffer.isBuffer(name) ? name.toString('latin1') : name;
      const digits = typeof key === 'string' ? key.slice(prefix.length) : '';
      if (NUMBER.test(digits) && Number(digits) < count) onNumber(Number(digits));
      else surplus.add(key);
    }
  } while (cursor !== '0');
  return surplus.size;
}

/**
 * Reads keys again that SCAN saw and MGET did not. They may be new. A key that still has no value is not a string.
 * @param {Connection} node @param {KeysToRead} keys @param {Uint8Array} found @param {Set<number>} missed
 */
async function readMissed(node, keys, found, missed) {
  if (missed.size === 0) return;
  let [least, most] = [keys.count, 0];
  for (const number of missed) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  await readValues(node, keys, found, least, most + 1);
  for (const number of missed) if (found[number] === Found.absent) found[number] = Found.wrong;
}

/** @param {string} text @returns as connections send and receive it: each byte is a character */
const inBytes = (text) => Buffer.from(text).toString('latin1');
