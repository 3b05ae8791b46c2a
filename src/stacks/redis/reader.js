/**
 * Reads everything that a node holds of one writer: each key by number, then a scan of the key space for keys that the writer never
 * had. On a node that still accepts writes, new keys numbered `count` and above count as surplus.
 */

import { Found, valueChecker } from '../../audit/value.js';
import { dial } from '../../clients/dial.js';
import { KEY_DIGITS, keyName, writeKeyNumber } from '../../clients/native-batch.js';
import { messageOf } from '../../errors.js';
import { Kind, ReplyScanner } from '../../resp/reader.js';
import { encodeCommand } from '../../resp/writer.js';

/**
 * @import { KeysToRead, NodeReading } from '../../audit/value.js'
 * @import { Target } from '../../clients/types.js'
 * @import { UserError } from '../../errors.js'
 * @import { Socket } from 'node:net'
 */

/** Keys an MGET. */
const BATCH = 500;
/** The values of an MGET together stay below this. */
const MOST_BATCH_BYTES = 1024 * 1024;
/** MGETs under way at once: the node works on one while replies of others are compared. */
const WINDOW = 4;
/** Keys that one SCAN looks at; it takes a few milliseconds. */
const SCAN_COUNT = 10_000;
const SILENCE_MS = 10_000;
/** Longer foreign keys are distinguished by their length only. */
const LONGEST_KEY_BYTES = 4096;
/** A library that repeats a write repeats it less often. */
const MOST_TIMES = 16;
const DIGIT_ZERO = 0x30;

/**
 * @param {Target} target any Redis node, replicas included
 * @param {KeysToRead & {signal?: AbortSignal, timeoutMs?: number}} options timeoutMs: the longest silence;
 *   default 10 s
 * @returns {Promise<NodeReading>}
 * @throws {Error} it cannot be reached, fell silent, hung up, or answered with an error such as LOADING
 */
export async function readNode(target, { keyPrefix, count, payloadBytes, signal, timeoutMs = SILENCE_MS }) {
  const mostBytes = Math.max(MOST_TIMES * payloadBytes, LONGEST_KEY_BYTES);
  const wire = await openWire(target, { mostBytes, timeoutMs, signal });
  try {
    const keys = { keyPrefix, count, payloadBytes };
    const before = await isPrimary(wire);
    const found = new Uint8Array(count);
    await readValues(wire, keys, found, 0, count);
    const missed = new Set();
    const surplus = await scan(wire, keys, (number) => {
      if (found[number] === Found.absent) missed.add(number);
    });
    await readMissed(wire, keys, found, missed);
    const after = await isPrimary(wire);
    return { found, surplus, primary: before && after };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${target.host}:${target.port} could not be read: ${messageOf(error)}`, { cause: error });
  } finally {
    wire.close();
  }
}

/** @param {Wire} wire */
async function isPrimary(wire) {
  let role = '';
  const bulk = (/** @type {Buffer} */ buffer, /** @type {number} */ at, /** @type {number} */ length) => {
    role ||= buffer.toString('latin1', at, at + length);
  };
  // Without permission for ROLE the keys can still be read.
  await wire.send(encodeCommand(['ROLE']), { bulk }).catch((error) => {
    if (!error.message.startsWith('NOPERM')) throw error;
  });
  return role === 'master';
}

/**
 * @param {Wire} wire
 * @param {KeysToRead} keys
 * @param {Uint8Array} found gets a {@link Found} for each number from `first` to `end - 1`
 * @param {number} first
 * @param {number} end
 */
async function readValues(wire, { keyPrefix, payloadBytes }, found, first, end) {
  const isRight = valueChecker(keyPrefix, payloadBytes);
  const batch = Math.max(1, Math.min(BATCH, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  let next = first;

  const readBatches = async () => {
    const mget = buildMget(keyPrefix, batch);
    while (next < end) {
      const from = next;
      const to = Math.min(end, from + batch);
      next = to;
      let number = from;
      await wire.send(mget(from, to), {
        bulk(buffer, at, length) {
          const times = length / payloadBytes;
          let right = 0;
          if (Number.isInteger(times))
            while (right < times && isRight(buffer, at + right * payloadBytes, number)) right++;
          if (right === 0 || right < times) found[number] = Found.wrong;
          else found[number] = times === 1 ? Found.right : Found.twice;
          number++;
        },
        nothing() {
          found[number++] = Found.absent;
        },
        tooLong() {
          found[number++] = Found.wrong;
        },
      });
      if (number !== to) throw new Error(`${number - from} values came in answer to ${to - from} keys`);
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, readBatches));
}

/**
 * @param {string} keyPrefix
 * @param {number} most keys in one command
 * @returns {(first: number, end: number) => Buffer} the command for the keys `first … end - 1`, in a buffer that the next call
 *   reuses
 */
function buildMget(keyPrefix, most) {
  const name = keyName(keyPrefix, 0);
  const nameBytes = Buffer.byteLength(name);
  const key = Buffer.from(`$${nameBytes}\r\n${name}\r\n`);
  const digits = key.length - 2 - KEY_DIGITS;
  /** @param {number} keys */
  const build = (keys) => {
    const head = Buffer.from(`*${keys + 1}\r\n$4\r\nMGET\r\n`);
    return { headBytes: head.length, bytes: Buffer.concat([head, ...Array.from({ length: keys }, () => key)]) };
  };
  const full = build(most);
  return (first, end) => {
    const { bytes, headBytes } = end - first === most ? full : build(end - first);
    for (let at = headBytes + digits, number = first; number < end; number++, at += key.length) {
      writeKeyNumber(bytes, at, number);
    }
    return bytes;
  };
}

/**
 * Scans the whole key space.
 *
 * @param {Wire} wire
 * @param {KeysToRead} keys
 * @param {(number: number) => void} onNumber called for every key of the writer, perhaps more than once
 * @returns {Promise<number>} number of keys with the prefix that the writer never had
 */
async function scan(wire, { keyPrefix, count }, onNumber) {
  const prefixBytes = Buffer.byteLength(keyPrefix);
  const pattern = `${keyPrefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  // SCAN may name a key more than once.
  const surplus = new Set();
  let cursor = '0';
  do {
    let isCursor = true;
    await wire.send(encodeCommand(['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(SCAN_COUNT)]), {
      bulk(buffer, at, length) {
        if (isCursor) {
          cursor = buffer.toString('latin1', at, at + length);
          isCursor = false;
          return;
        }
        const number = length === prefixBytes + KEY_DIGITS ? numberAt(buffer, at + prefixBytes) : -1;
        if (number >= 0 && number < count) onNumber(number);
        else surplus.add(buffer.toString('latin1', at, at + length));
      },
      tooLong(length) {
        surplus.add(length);
      },
    });
    if (isCursor) throw new Error('SCAN was answered without a cursor');
  } while (cursor !== '0');
  return surplus.size;
}

/**
 * Reads keys again that SCAN saw and MGET did not. They may be new, on a node that still accepts writes. A key that still has no value
 * is not a string.
 *
 * @param {Wire} wire
 * @param {KeysToRead} keys
 * @param {Uint8Array} found
 * @param {Set<number>} missed
 */
async function readMissed(wire, keys, found, missed) {
  if (missed.size === 0) return;
  let [least, most] = [keys.count, 0];
  for (const number of missed) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  await readValues(wire, keys, found, least, most + 1);
  for (const number of missed) if (found[number] === Found.absent) found[number] = Found.wrong;
}

/**
 * @param {Buffer} buffer
 * @param {number} at
 * @returns {number} the number at the end of a key; -1: not digits
 */
function numberAt(buffer, at) {
  let number = 0;
  for (let i = at; i < at + KEY_DIGITS; i++) {
    const digit = buffer[i] - DIGIT_ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/**
 * A connection for reading much data: commands are pipelined, and the parts of replies are handed on as places in the buffer, without
 * making strings or arrays.
 */

/**
 * @typedef {Object} Sink takes the elements of one reply in order, including those of nested arrays
 * @property {(buffer: Buffer, at: number, length: number) => void} [bulk] a string; the buffer is valid during the call only
 * @property {() => void} [nothing] no value
 * @property {(length: number) => void} [tooLong] a string longer than the wire's `mostBytes`, which is dropped
 */

class Wire {
  #socket;
  #scanner = new ReplyScanner();
  /** The first element of the current reply was taken. */
  #begun = false;
  /** @type {{sink: Sink, resolve: () => void, reject: (error: Error) => void}[]} oldest first */
  #asked = [];
  /** @type {Error | null} */
  #over = null;

  /**
   * @param {Socket} socket
   * @param {number} mostBytes
   */
  constructor(socket, mostBytes) {
    this.#socket = socket;
    this.#scanner.mostBytes = mostBytes;
  }

  /**
   * @param {Buffer} command must not be changed before the promise is settled
   * @param {Sink} [sink]
   * @returns {Promise<void>} resolves when the whole reply was taken; rejects with the text of an error reply, or the reason
   *   of a lost connection
   */
  send(command, sink = {}) {
    if (this.#over) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#asked.push({ sink, resolve, reject });
      this.#socket.write(command);
    });
  }

  /** @param {string[]} words */
  request(words) {
    return this.send(encodeCommand(words));
  }

  /**
   * Closes the connection.
   *
   * @param {Error} [reason] all pending requests reject with it
   */
  close(reason = new Error('closed by this side')) {
    if (this.#over) return;
    this.#over = reason;
    this.#socket.destroy();
    for (const { reject } of this.#asked.splice(0)) reject(reason);
  }

  /** @param {Error | null} cause */
  disconnected(cause) {
    const why = cause ? `the connection was lost: ${messageOf(cause)}` : 'the connection was closed by the server';
    this.close(new Error(why));
  }

  /**
   * @param {Buffer} chunk
   * @param {number} length how far it is filled
   */
  receive(chunk, length) {
    const scanner = this.#scanner;
    scanner.feed(chunk, length);
    while (!this.#over) {
      const kind = scanner.next();
      if (kind === Kind.incomplete) return;
      this.#take(kind);
    }
  }

  /** @param {number} kind */
  #take(kind) {
    const scanner = this.#scanner;
    const question = this.#asked[0];
    if (kind === Kind.garbage) return this.#refuse(scanner.problem);
    if (!question) return this.#refuse('an unexpected reply');
    if (kind === Kind.error) {
      if (this.#begun) return this.#refuse(`an error within a reply: ${scanner.text()}`);
      this.#asked.shift();
      question.reject(new Error(scanner.text()));
      return;
    }
    if (kind === Kind.bulk) question.sink.bulk?.(scanner.buffer, scanner.start, scanner.end - scanner.start);
    else if (kind === Kind.nothing) question.sink.nothing?.();
    else if (kind === Kind.skipped) question.sink.tooLong?.(scanner.number);
    this.#begun = scanner.depth > 0;
    if (this.#begun) return;
    this.#asked.shift();
    question.resolve();
  }

  /** @param {string} what */
  #refuse(what) {
    this.close(new Error(`the server sent ${what}`));
  }
}

/**
 * @param {Target} target
 * @param {Object} options
 * @param {number} options.mostBytes the longest string to take, at least 1
 * @param {number} options.timeoutMs the longest silence
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Wire>} connected and logged in
 * @throws {UserError} the node cannot be reached
 */
export async function openWire(target, { mostBytes, timeoutMs, signal }) {
  const attach = (/** @type {Socket} */ socket) => {
    const wire = new Wire(socket, mostBytes);
    socket.setTimeout(timeoutMs, () => wire.close(new Error(`no answer for ${timeoutMs / 1000} s`)));
    return wire;
  };
  return await dial(target, attach, { signal });
}
