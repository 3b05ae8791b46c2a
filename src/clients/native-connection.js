/**
 * One connection of the `native` client: a batch is one prebuilt buffer into which only the key numbers are written, and
 * every reply is checked.
 */
import { buildBatch, encodeCommand, keyName, writeKeyNumber } from './native-batch.js';
import { bulkBytes, isPong, NO_VALUE, PONG_LENGTH, REPLY_INCOMPLETE, readReply } from './native-reply.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

/** @typedef {import('./types.js').Connection} Connection */

const PLUS = 0x2b;
const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
const CARRIAGE_RETURN = 0x0d;
const NEWLINE = 0x0a;
const DOLLAR = 0x24;
const OK_LENGTH = 5;
const NOTHING = Buffer.alloc(0);

/** Whose reply comes next. */
const NOBODY = 0;
const WRITES = 1;
const WAIT = 2;
const READS = 3;
const PINGS = 4;
const REQUEST = 5;

/** @implements {Connection} */
export class NativeConnection {
  /** @type {(error: string) => void} */
  onError = () => {};
  /** @type {() => void} */
  onBatch = () => {};
  waitCount = -1;
  waitLocalCount = -1;
  fetched = false;
  misses = 0;
  lost = false;

  #socket;
  #shape;
  #batch;
  /** Whose reply comes next. */
  #awaits = NOBODY;
  /** Operations of the batch under way that have been answered. */
  #answered = 0;
  /** The start of a reply whose end has not arrived. */
  #partial = NOTHING;
  /** Bytes of a read's value, and the line end after it, that have not arrived. */
  #unread = 0;
  /** @type {{resolve: (reply: string | null) => void, reject: (error: Error) => void} | null} */
  #request = null;

  /**
   * @param {import('node:net').Socket} socket
   * @param {import('./types.js').Shape} shape
   */
  constructor(socket, shape) {
    this.#socket = socket;
    this.#shape = shape;
    this.#batch = buildBatch(shape);
    this.keys = new Uint32Array(shape.pipeline);
    this.outcomes = new Uint8Array(shape.pipeline);
  }

  write() {
    const { writes, whole, keyOffsets } = this.#batch;
    this.#start(WRITES, this.#shape.habit === 'one-flush' ? whole : writes, whole, keyOffsets);
  }

  fetch() {
    const { reads, readKeyOffsets } = this.#batch;
    this.#start(READS, reads, reads, readKeyOffsets);
  }

  ping() {
    this.#begin(PINGS, this.#batch.pings);
  }

  /**
   * @param {number} kind WRITES or READS
   * @param {Buffer} bytes what is sent
   * @param {Buffer} target where the key numbers are written; `bytes` is a part of it
   * @param {Uint32Array} keyOffsets
   */
  #start(kind, bytes, target, keyOffsets) {
    const { keys } = this;
    for (let i = 0; i < keys.length; i++) writeKeyNumber(target, keyOffsets[i], keys[i]);
    this.#begin(kind, bytes);
  }

  /**
   * @param {number} kind WRITES, READS or PINGS
   * @param {Buffer} bytes what is sent
   */
  #begin(kind, bytes) {
    this.fetched = kind !== WRITES;
    this.misses = 0;
    this.waitCount = -1;
    this.waitLocalCount = -1;
    if (this.lost) {
      this.outcomes.fill(Outcome.rejected);
      setImmediate(() => {
        this.onError(NOT_SENT);
        this.onBatch();
      });
      return;
    }
    this.#awaits = kind;
    this.#answered = 0;
    this.#socket.write(bytes);
  }

  /** @param {number} key */
  read(key) {
    return this.request(['GET', keyName(this.#shape.keyPrefix, key)]);
  }

  /**
   * @param {number} replicas
   * @param {number} timeoutMs
   */
  async wait(replicas, timeoutMs) {
    return Number(await this.request(['WAIT', String(replicas), String(timeoutMs)]));
  }

  /** @param {string | null} text */
  setValue(text) {
    this.#batch.setValue(text);
  }

  /**
   * One command outside of batches.
   *
   * @param {string[]} command
   * @returns {Promise<string | null>} the reply as text
   * @throws {Error} an error reply's text, or a lost connection
   */
  request(command) {
    if (this.lost) return Promise.reject(new Error(NOT_SENT));
    return new Promise((resolve, reject) => {
      this.#awaits = REQUEST;
      this.#request = { resolve, reject };
      this.#socket.write(encodeCommand(command));
    });
  }

  async close() {
    this.#lose('closed by this side');
  }

  /**
   * Takes apart what was read.
   *
   * @param {Buffer} chunk
   * @param {number} length how far it is filled
   */
  receive(chunk, length) {
    let buffer = chunk;
    let end = length;
    if (this.#partial.length > 0) {
      buffer = Buffer.concat([this.#partial, chunk.subarray(0, length)]);
      end = buffer.length;
      this.#partial = NOTHING;
    }
    let at = this.#unread > 0 ? this.#skipValue(buffer, 0, end) : 0;
    while (at < end && !this.lost) {
      // What nearly every reply is: +OK to a write.
      if (
        this.#awaits === WRITES &&
        end - at >= OK_LENGTH &&
        buffer[at] === PLUS &&
        buffer[at + 1] === LETTER_O &&
        buffer[at + 2] === LETTER_K &&
        buffer[at + 3] === CARRIAGE_RETURN &&
        buffer[at + 4] === NEWLINE
      ) {
        at += OK_LENGTH;
        this.#operationAnswered(Outcome.acked, at === end);
      } else if (this.#awaits === READS && buffer[at] === DOLLAR) {
        const newline = buffer.subarray(0, end).indexOf(NEWLINE, at);
        if (newline < 0) {
          this.#partial = Buffer.from(buffer.subarray(at, end));
          return;
        }
        this.#unread = bulkBytes(buffer, at + 1, newline - 1);
        at = this.#skipValue(buffer, newline + 1, end);
      } else if (this.#awaits === PINGS && isPong(buffer, at, end)) {
        at += PONG_LENGTH;
        this.#operationAnswered(Outcome.acked, at === end);
      } else {
        const reply = readReply(buffer, at, end);
        if (reply === REPLY_INCOMPLETE) {
          this.#partial = Buffer.from(buffer.subarray(at, end));
          return;
        }
        if (reply.kind === 'garbage') this.#lose(`the server sent ${reply.text}`);
        else this.#take(reply, reply.end === end);
        at = reply.end;
      }
    }
  }

  /**
   * Goes over what has arrived of a read's value.
   *
   * @param {Buffer} buffer
   * @param {number} at
   * @param {number} end
   * @returns {number} the position after it
   */
  #skipValue(buffer, at, end) {
    if (this.#unread === NO_VALUE) {
      this.#unread = 0;
      this.misses++;
      this.#operationAnswered(Outcome.acked, at === end);
      return at;
    }
    const after = Math.min(end, at + this.#unread);
    this.#unread -= after - at;
    if (this.#unread > 0) return after;
    if (!(this.#unread === 0 && buffer[after - 1] === NEWLINE))
      this.#lose('the server sent a value that is not as long as announced');
    else this.#operationAnswered(Outcome.acked, after === end);
    return after;
  }

  /**
   * @param {import('./native-reply.js').Reply} reply
   * @param {boolean} last nothing has arrived after it
   */
  #take(reply, last) {
    const { kind, text } = reply;
    if (this.#awaits === WRITES || this.#awaits === READS || this.#awaits === PINGS) {
      if (kind !== 'error') this.onError(`PROTOCOL ${kind} ${text.slice(0, 40)} is no answer to a read, write or PING`);
      else this.onError(text);
      this.#operationAnswered(kind === 'error' ? classifyWriteError(text) : Outcome.unknown, last);
    } else if (this.#awaits === WAIT) {
      if (kind === 'integer') this.waitCount = Number(text);
      else if (kind === 'pair') [this.waitLocalCount, this.waitCount] = text.split(' ').map(Number);
      else this.onError(kind === 'error' ? text : `PROTOCOL ${kind} ${text.slice(0, 40)} is no answer to WAIT`);
      this.#finish(last);
    } else if (this.#awaits === REQUEST) {
      const request = this.#request;
      this.#awaits = NOBODY;
      this.#request = null;
      if (kind === 'error') request?.reject(new Error(text));
      else request?.resolve(kind === 'null' ? null : text);
    } else {
      this.#lose('the server sent a reply that nobody asked for');
    }
  }

  /**
   * @param {number} outcome
   * @param {boolean} last
   */
  #operationAnswered(outcome, last) {
    this.outcomes[this.#answered++] = outcome;
    if (this.#answered < this.outcomes.length) return;
    const { wait } = this.#batch;
    if (wait.length === 0 || this.fetched) {
      this.#finish(last);
    } else if (this.#shape.habit === 'one-flush') {
      this.#awaits = WAIT;
    } else if (this.outcomes.includes(Outcome.acked)) {
      this.#awaits = WAIT;
      this.#socket.write(wait);
    } else {
      // Nothing was written that could be waited for.
      this.#finish(last);
    }
  }

  /** @param {boolean} last */
  #finish(last) {
    if (!last) {
      // The next batch's replies could not be told from what is left over.
      this.#lose('the server sent more replies than there were commands');
      return;
    }
    this.#downgrade();
    this.#awaits = NOBODY;
    this.onBatch();
  }

  /** Answered OK, but the guarantee asked for was not reached. */
  #downgrade() {
    if (this.fetched || outcomeOfOk(this.#shape, this.waitCount, this.waitLocalCount) === Outcome.acked) return;
    const { outcomes } = this;
    for (let i = 0; i < outcomes.length; i++) {
      if (outcomes[i] === Outcome.acked) outcomes[i] = Outcome.underAcked;
    }
  }

  /** @param {string} why */
  #lose(why) {
    if (this.lost) return;
    this.lost = true;
    this.#socket.destroy();
    const awaited = this.#awaits;
    this.#awaits = NOBODY;
    const error = `CLOSED ${why}`;
    if (awaited === REQUEST) {
      this.#request?.reject(new Error(error));
      this.#request = null;
    } else if (awaited !== NOBODY) {
      this.outcomes.fill(Outcome.unknown, this.#answered);
      this.#downgrade();
      this.onError(error);
      this.onBatch();
    }
  }

  /** @param {NodeJS.ErrnoException | null} error */
  disconnected(error) {
    this.#lose(error ? error.message : 'closed by the server');
  }
}
