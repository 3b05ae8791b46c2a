/**
 * A connection that sends batches of requests whose answers are one line each, and counts the lines.
 */
import { openSocket } from '../client/native.js';
import { encodeCommand } from '../client/native-batch.js';
import { classifyWriteError } from '../client/outcome.js';
import { reach } from '../client/reach.js';
import { Outcome } from '../client/types.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
/** The next byte is the first of a line. */
const AT_START = 0;

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

  /** @type {import('node:net').Socket} */
  #socket;
  /** The first byte of the line that is being read. */
  #type = AT_START;
  /** Of an error. */
  #text = '';

  /**
   * @param {import('node:net').Socket} socket
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

  /** @param {string[]} command sent by itself; its answer counts like any other */
  command(command) {
    this.#begin(1);
    this.#socket.write(encodeCommand(command));
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
    for (let i = 0; i < length && !this.lost; i++) {
      const byte = chunk[i];
      if (this.#type === AT_START) {
        this.#type = byte;
        if (byte !== PLUS && byte !== COLON && byte !== MINUS) this.lose(`an answer begins with byte ${byte}`);
      } else if (byte === NEWLINE) {
        this.#answered();
      } else if (this.#type === MINUS && byte !== CARRIAGE_RETURN) {
        this.#text += String.fromCharCode(byte);
      }
    }
  }

  #answered() {
    if (this.pending === 0) {
      this.lose('the server sent more answers than there were requests');
      return;
    }
    if (this.#type === MINUS) {
      if (classifyWriteError(this.#text) === Outcome.rejected) this.answers.rejected++;
      else this.answers.unknown++;
      this.onError(this.#text);
      this.#text = '';
    } else {
      this.answers.acked++;
    }
    this.#type = AT_START;
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

  /** Idempotent; for one that nothing is under way on. */
  close() {
    this.lost = true;
    this.#socket.destroy();
  }
}

/**
 * @param {import('../client/types.js').Target} target
 * @param {number} bytes of the longest batch
 * @returns {Promise<TrafficConnection>} connected and logged in
 * @throws {import('../errors.js').UserError} it could not be, within 5 s
 */
export async function connectTraffic(target, bytes) {
  /** @type {Error | null} */
  let cause = null;
  const socket = openSocket(target, (chunk, length) => connection.receive(chunk, length));
  const connection = new TrafficConnection(socket, bytes);
  const { username, password, tls } = target.credentials ?? {};
  const connecting = new Promise((resolve, reject) => {
    socket.once(tls ? 'secureConnect' : 'connect', resolve);
    socket.on('error', (error) => {
      cause = error;
      reject(error);
    });
    socket.on('close', () => {
      connection.lose(cause?.message ?? 'closed by the server');
      reject(cause ?? new Error('closed by the server'));
    });
  });
  const logIn = () =>
    new Promise((resolve, reject) => {
      connection.onError = (text) => reject(new Error(text));
      connection.onBatch = () => resolve(undefined);
      // Who may do what they like without a password answers too.
      connection.command(
        password === undefined ? ['PING'] : username === undefined ? ['AUTH', password] : ['AUTH', username, password],
      );
    });
  await reach(target, connecting.then(logIn), () => connection.lose('closed by this side'));
  return connection;
}
