/**
 * A connection for reading a great deal: commands are pipelined, and what their replies are made of is handed on where it
 * lies in the buffer, without making strings or arrays of it.
 */
import { openSocket } from '../client/native.js';
import { encodeCommand } from '../client/native-batch.js';
import { bulkBytes, NO_VALUE, REPLY_INCOMPLETE, readReply } from '../client/native-reply.js';
import { reach, textOf } from '../client/reach.js';

const DOLLAR = 0x24;
const STAR = 0x2a;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_END_BYTES = 2;

/** What is kept of what has arrived, beyond the longest element. */
const ROOM_BYTES = 512 * 1024;
/** Arrays of more elements are not an answer to anything asked here. */
const MOST_ELEMENTS = 1 << 24;

/**
 * @typedef {Object} Sink takes the elements of one reply, one after the other, those of nested arrays too
 * @property {(buffer: Buffer, at: number, length: number) => void} [bulk] a string; valid during the call only
 * @property {() => void} [nothing] no value
 * @property {(length: number) => void} [tooLong] a string longer than the wire's `mostBytes`; it is not kept
 */

export class Wire {
  #socket;
  #mostBytes;
  #buffer;
  /** What has arrived and was not taken apart yet. */
  #start = 0;
  #end = 0;
  /** Bytes of a string that is too long, and its line end, that have not arrived. */
  #skip = 0;
  /** Elements of the reply under way that are still to come. */
  #elements = 1;
  /** Its first line was taken. */
  #begun = false;
  /** @type {{sink: Sink, resolve: () => void, reject: (error: Error) => void}[]} oldest first */
  #asked = [];
  /** @type {Error | null} */
  #over = null;

  /**
   * @param {import('node:net').Socket} socket
   * @param {number} mostBytes
   */
  constructor(socket, mostBytes) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    this.#buffer = Buffer.allocUnsafeSlow(mostBytes + ROOM_BYTES);
  }

  /**
   * @param {Buffer} command must not be changed before the promise is settled
   * @param {Sink} [sink]
   * @returns {Promise<void>} resolves when the whole reply was taken; rejects with an error reply's text, or with why the
   *   connection was lost
   */
  send(command, sink = {}) {
    if (this.#over) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#asked.push({ sink, resolve, reject });
      this.#socket.write(command);
    });
  }

  /**
   * Ends it: everything asked rejects with `error`.
   *
   * @param {Error} error
   */
  fail(error) {
    if (this.#over) return;
    this.#over = error;
    this.#socket.destroy();
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }

  /**
   * @param {Buffer} chunk
   * @param {number} length how far it is filled
   */
  receive(chunk, length) {
    for (let from = 0; from < length && !this.#over; ) {
      if (this.#start > 0) {
        this.#buffer.copyWithin(0, this.#start, this.#end);
        this.#end -= this.#start;
        this.#start = 0;
      }
      const copied = chunk.copy(this.#buffer, this.#end, from, length);
      // A whole element always fits, and a longer line than that is no answer of Redis's.
      if (copied === 0) return this.fail(new Error('the server sent a line without an end'));
      this.#end += copied;
      from += copied;
      while (this.#start < this.#end && !this.#over && this.#takeElement());
    }
  }

  /** @returns {boolean} false: more has to arrive */
  #takeElement() {
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, this.#end - this.#start);
      this.#start += skipped;
      this.#skip -= skipped;
      if (this.#skip === 0) this.#elementTaken();
      return this.#skip === 0;
    }
    const { sink } = this.#asked[0] ?? {};
    if (!sink) return this.#refuse('a reply that nobody asked for');
    const type = this.#buffer[this.#start];
    return type === DOLLAR || type === STAR ? this.#takeCounted(type, sink) : this.#takeLine();
  }

  /**
   * @param {number} type
   * @param {Sink} sink
   */
  #takeCounted(type, sink) {
    const buffer = this.#buffer;
    const newline = buffer.subarray(0, this.#end).indexOf(NEWLINE, this.#start);
    if (newline < 0) return false;
    const size = bulkBytes(buffer, this.#start + 1, newline - 1);
    if (Number.isNaN(size)) return this.#refuse('a length that is none');
    const at = newline + 1;
    const length = size - LINE_END_BYTES;
    if (size === NO_VALUE) {
      this.#start = at;
      sink.nothing?.();
    } else if (type === STAR) {
      if (length > MOST_ELEMENTS) return this.#refuse('an array that is too long');
      this.#start = at;
      this.#elements += length;
      this.#begun = true;
    } else if (length > this.#mostBytes) {
      this.#start = at;
      this.#skip = size;
      sink.tooLong?.(length);
      return true;
    } else {
      if (this.#end < at + size) return false;
      if (buffer[at + length] !== CARRIAGE_RETURN || buffer[at + length + 1] !== NEWLINE) {
        return this.#refuse('a string that is not as long as announced');
      }
      this.#start = at + size;
      sink.bulk?.(buffer, at, length);
    }
    return this.#elementTaken();
  }

  #takeLine() {
    const reply = readReply(this.#buffer, this.#start, this.#end);
    if (reply === REPLY_INCOMPLETE) return false;
    if (reply.kind === 'garbage') return this.#refuse(reply.text);
    this.#start = reply.end;
    if (reply.kind === 'error') {
      if (this.#begun) return this.#refuse(`an error within a reply: ${reply.text}`);
      this.#asked.shift()?.reject(new Error(reply.text));
      return true;
    }
    return this.#elementTaken();
  }

  #elementTaken() {
    this.#elements--;
    if (this.#elements === 0) {
      this.#elements = 1;
      this.#begun = false;
      this.#asked.shift()?.resolve();
    }
    return true;
  }

  /** @param {string} what */
  #refuse(what) {
    this.fail(new Error(`the server sent ${what}`));
    return false;
  }
}

/**
 * @param {import('../client/types.js').Target} target
 * @param {Object} options
 * @param {number} options.mostBytes the longest string that is to be taken, at least 1
 * @param {number} options.timeoutMs silence for so long ends it
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Wire>} connected and logged in
 * @throws {import('../errors.js').UserError} the node cannot be reached
 */
export async function openWire(target, { mostBytes, timeoutMs, signal }) {
  signal?.throwIfAborted();
  const socket = openSocket(target, (chunk, length) => wire.receive(chunk, length));
  const wire = new Wire(socket, mostBytes);
  const abandon = () => wire.fail(signal?.reason);
  signal?.addEventListener('abort', abandon, { once: true });
  socket.on('close', () => {
    signal?.removeEventListener('abort', abandon);
    wire.fail(new Error('the connection was closed by the server'));
  });
  const connecting = new Promise((resolve, reject) => {
    socket.once(target.credentials?.tls ? 'secureConnect' : 'connect', resolve);
    socket.on('error', (error) => {
      wire.fail(new Error(`the connection was lost: ${textOf(error)}`));
      reject(error);
    });
    socket.once('close', () => reject(new Error('the connection was closed by the server')));
  });
  const { username, password } = target.credentials ?? {};
  const logIn = async () => {
    if (password === undefined) return;
    await wire.send(encodeCommand(username === undefined ? ['AUTH', password] : ['AUTH', username, password]));
  };
  try {
    await reach(target, connecting.then(logIn), () => wire.fail(new Error('could not connect')));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  socket.setTimeout(timeoutMs, () => wire.fail(new Error(`no answer for ${timeoutMs / 1000} s`)));
  return wire;
}
