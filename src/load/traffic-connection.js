/**
 * A connection that sends batches of requests whose answers are one line each, and counts the lines.
 */
import { dial } from '../clients/dial.js';
import { classifyWriteError } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { Kind, ReplyScanner } from '../resp/reader.js';
import { encodeCommand } from '../resp/writer.js';

/**
 * @import { Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { Socket } from 'node:net'
 */

/**
 * @typedef {Object} Answers of a batch
 * @property {number} acked
 * @property {number} rejected
 * @property {number} unknown
 */

export class TrafficConnection {
  /** Told the text of each error, and of a lost connection. @type {(text: string) => void} */
  onError = () => {};
  /** Every request of the batch has an answer, or will have none. Never called from within `send`. */
  onBatch = () => {};
  lost = false;
  /** Requests under way. */
  pending = 0;
  /** Of the batch under way, or the last one. @type {Answers} */
  answers = { acked: 0, rejected: 0, unknown: 0 };
  /** What is sent from here: filled by the caller while nothing is under way. @type {Buffer} */
  buffer;

  /** @type {Socket} */
  #socket;
  #replies = new ReplyScanner();

  /**
   * @param {Socket} socket
   * @param {number} bytes of the longest batch
   */
  constructor(socket, bytes) {
    this.#socket = socket;
    this.buffer = Buffer.allocUnsafeSlow(bytes);
  }

  /**
   * @param {number} length of what is in `buffer`
   * @param {number} requests in it, ≥ 1
   */
  send(length, requests) {
    this.#begin(requests);
    this.#socket.write(this.buffer.subarray(0, length));
  }

  /**
   * @param {string[]} words sent while no batch is under way, before the callbacks are set
   * @returns {Promise<void>} rejects with an error reply's text
   */
  request(words) {
    return new Promise((resolve, reject) => {
      this.onError = (text) => reject(new Error(text));
      this.onBatch = () => resolve();
      this.#begin(1);
      this.#socket.write(encodeCommand(words));
    });
  }

  /** @param {number} requests */
  #begin(requests) {
    this.pending = requests;
    this.answers.acked = 0;
    this.answers.rejected = 0;
    this.answers.unknown = 0;
  }

  /**
   * @param {Buffer} chunk
   * @param {number} length how far it is filled
   */
  receive(chunk, length) {
    const replies = this.#replies;
    replies.feed(chunk, length);
    while (!this.lost) {
      const kind = replies.next();
      if (kind === Kind.incomplete) return;
      if (kind === Kind.garbage) this.lose(`the server sent ${replies.problem}`);
      else if (kind > Kind.integer) this.lose('the server sent an answer of more than one line');
      else if (this.pending === 0) this.lose('the server sent more answers than there were requests');
      else this.#answered(kind === Kind.error ? replies.text() : null);
    }
  }

  /** @param {string | null} error */
  #answered(error) {
    if (error === null) {
      this.answers.acked++;
    } else {
      if (classifyWriteError(error) === Outcome.rejected) this.answers.rejected++;
      else this.answers.unknown++;
      this.onError(error);
    }
    if (--this.pending === 0) this.onBatch();
  }

  /** @param {string} why */
  lose(why) {
    if (this.lost) return;
    this.close();
    const awaited = this.pending;
    this.answers.unknown += awaited;
    this.pending = 0;
    this.onError(`CLOSED ${why}`);
    if (awaited > 0) this.onBatch();
  }

  /** @param {Error | null} cause */
  disconnected(cause) {
    this.lose(cause?.message ?? 'closed by the server');
  }

  /** Idempotent; for a connection on which nothing is under way. */
  close() {
    this.lost = true;
    this.#socket.destroy();
  }
}

/**
 * @param {Target} target
 * @param {number} bytes of the longest batch
 * @returns {Promise<TrafficConnection>} connected and logged in
 * @throws {UserError} it could not be, within 5 s
 */
export function connectTraffic(target, bytes) {
  // Without a password to send, PING shows that the node answers.
  const greet = (/** @type {TrafficConnection} */ connection) => connection.request(['PING']);
  return dial(target, (socket) => new TrafficConnection(socket, bytes), { greet });
}
