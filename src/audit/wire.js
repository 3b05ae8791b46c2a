/**
 * A connection for reading a great deal: commands are pipelined, and what their replies are made of is handed on where it
 * lies in the buffer, without making strings or arrays of it.
 */
import { dial } from '../clients/dial.js';
import { messageOf } from '../errors.js';
import { Kind, ReplyScanner } from '../resp/reader.js';
import { encodeCommand } from '../resp/writer.js';

/**
 * @import { Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { Socket } from 'node:net'
 */

/**
 * @typedef {Object} Sink takes the elements of one reply, one after the other, those of nested arrays too
 * @property {(buffer: Buffer, at: number, length: number) => void} [bulk] a string; valid during the call only
 * @property {() => void} [nothing] no value
 * @property {(length: number) => void} [tooLong] a string longer than the wire's `mostBytes`; it is not kept
 */

export class Wire {
  #socket;
  #scanner = new ReplyScanner();
  /** The first element of the reply under way was taken. */
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

  /** @param {string[]} words */
  request(words) {
    return this.send(encodeCommand(words));
  }

  /**
   * Ends it.
   *
   * @param {Error} [reason] everything asked rejects with it
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
    const asked = this.#asked[0];
    if (kind === Kind.garbage) return this.#refuse(scanner.problem);
    if (!asked) return this.#refuse('a reply that nobody asked for');
    if (kind === Kind.error) {
      if (this.#begun) return this.#refuse(`an error within a reply: ${scanner.text()}`);
      this.#asked.shift();
      asked.reject(new Error(scanner.text()));
      return;
    }
    if (kind === Kind.bulk) asked.sink.bulk?.(scanner.buffer, scanner.start, scanner.end - scanner.start);
    else if (kind === Kind.nothing) asked.sink.nothing?.();
    else if (kind === Kind.skipped) asked.sink.tooLong?.(scanner.number);
    this.#begun = scanner.depth > 0;
    if (this.#begun) return;
    this.#asked.shift();
    asked.resolve();
  }

  /** @param {string} what */
  #refuse(what) {
    this.close(new Error(`the server sent ${what}`));
  }
}

/**
 * @param {Target} target
 * @param {Object} options
 * @param {number} options.mostBytes the longest string that is to be taken, at least 1
 * @param {number} options.timeoutMs silence for so long ends it
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
