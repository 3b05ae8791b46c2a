/**
 * The `native` client: RESP on a plain socket, so that we measure the server and not the client. Every reply is checked.
 * @import { Client, LoadConnection, Shape } from './types.js'
 * @import { Socket } from 'node:net'
 */
import { countOks, Kind, LONGEST_BULK, OK_BYTES, ReplyScanner } from '../resp/reader.js';
import { encodeCommand } from '../resp/writer.js';
import { dial } from './dial.js';
import { buildBatch, keyName, writeKeyNumber } from './native-batch.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

/** The scanner's `mostBytes` for reads: their values are dropped. */
const NO_VALUES = -1;
/** Only values are longer. A hostile server cannot make this process hold more. */
const LONGEST_ANSWER = 64 * 1024;

/** A kind of our own: two integers, as WAITAOF answers. */
const PAIR = 9;
const NAMES = ['', 'status', 'error', 'integer', 'bulk', 'bulk', 'null', 'array', '', 'pair'];

const PONG = 0x504f4e47;

/** Which reply comes next. */
const NOTHING = 0;
const WRITES = 1;
const WAIT = 2;
const READS = 3;
const PINGS = 4;
const REQUEST = 5;

/** @type {Client} */
export const client = {
  name: 'native',
  connect: (target, shape) => dial(target, (socket) => new NativeConnection(socket, shape)),
};

/** @implements {LoadConnection} */
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
  #awaits = NOTHING;
  #answered = 0;
  #replies = new ReplyScanner();
  /** The integers of an incomplete array. @type {string[] | null} */
  #pair = null;
  #request = /** @type {{resolve: (reply: string | null) => void, reject: (error: Error) => void} | null} */ (null);

  /** @param {Socket} socket @param {Shape} shape */
  constructor(socket, shape) {
    this.#socket = socket;
    this.#shape = shape;
    this.#batch = buildBatch(shape);
    this.keys = new Uint32Array(shape.pipeline);
    this.outcomes = new Uint8Array(shape.pipeline);
  }

  write() {
    const { writes, whole, keyOffsets } = this.#batch;
    this.#start(WRITES, this.#shape.waitMode === 'pipelined' ? whole : writes, whole, keyOffsets);
  }

  fetch() {
    const { reads, readKeyOffsets } = this.#batch;
    this.#start(READS, reads, reads, readKeyOffsets);
  }

  ping() {
    this.#begin(PINGS, this.#batch.pings);
  }

  /**
   * @param {number} kind WRITES or READS @param {Buffer} bytes to send
   * @param {Buffer} target where to write the key numbers; `bytes` is a part of it @param {Uint32Array} keyOffsets
   */
  #start(kind, bytes, target, keyOffsets) {
    const { keys } = this;
    for (let i = 0; i < keys.length; i++) writeKeyNumber(target, keyOffsets[i], keys[i]);
    this.#begin(kind, bytes);
  }

  /** @param {number} kind WRITES, READS or PINGS @param {Buffer} bytes to send */
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
    if (kind === READS) this.#replies.accept(NO_VALUES, LONGEST_BULK);
    else if (this.#replies.longestBytes !== LONGEST_ANSWER) this.#replies.accept(LONGEST_ANSWER, LONGEST_ANSWER);
    this.#socket.write(bytes);
  }

  read(/** @type {number} */ key) {
    return this.request(['GET', keyName(this.#shape.keyPrefix, key)]);
  }

  /** @param {number} replicas @param {number} timeoutMs */
  async wait(replicas, timeoutMs) {
    return Number(await this.request(['WAIT', String(replicas), String(timeoutMs)]));
  }

  setValue(/** @type {string | null} */ text) {
    this.#batch.setValue(text);
  }

  /**
   * Sends one command outside of batches.
   * @param {string[]} command
   * @returns {Promise<string | null>} the reply as text; rejects with an error reply's text, or when the connection is lost
   */
  request(command) {
    if (this.lost) return Promise.reject(new Error(NOT_SENT));
    return new Promise((resolve, reject) => {
      this.#awaits = REQUEST;
      const longest = Math.max(this.#shape.payloadBytes, LONGEST_ANSWER);
      this.#replies.accept(longest, longest);
      this.#request = { resolve, reject };
      this.#socket.write(encodeCommand(command));
    });
  }

  async close() {
    this.#lose('closed by this side');
  }

  /** @param {Buffer} chunk @param {number} length how far it is filled */
  receive(chunk, length) {
    const replies = this.#replies;
    // Nearly every chunk holds nothing but whole +OK replies to the writes under way.
    if (this.#awaits === WRITES && !replies.isHolding) {
      const count = countOks(chunk, 0, length, this.outcomes.length - this.#answered);
      if (count * OK_BYTES === length) {
        this.#operationsAnswered(Outcome.acked, count);
        return;
      }
    }
    replies.feed(chunk, length);
    while (!this.lost) {
      if (this.#awaits === WRITES) {
        const count = replies.takeOks(this.outcomes.length - this.#answered);
        if (count > 0) this.#operationsAnswered(Outcome.acked, count);
        if (this.lost) return;
      }
      const kind = replies.next();
      if (kind === Kind.incomplete) return;
      this.#take(kind);
    }
  }

  /** @param {number} kind of an element */
  #take(kind) {
    if (kind === Kind.garbage) {
      this.#lose(`the server sent ${this.#replies.problem}`);
    } else if (kind === Kind.array || this.#pair !== null) {
      this.#takePair(kind);
    } else if (this.#awaits === READS && (kind === Kind.skipped || kind === Kind.nothing)) {
      if (kind === Kind.nothing) this.misses++;
      this.#operationsAnswered(Outcome.acked, 1);
    } else if (this.#awaits === PINGS && kind === Kind.status && isPong(this.#replies)) {
      this.#operationsAnswered(Outcome.acked, 1);
    } else {
      const text = kind === Kind.nothing || kind === Kind.skipped ? '' : this.#replies.text();
      this.#reply(kind, text);
    }
  }

  /** The only array among the replies is WAITAOF's, of two integers. @param {number} kind */
  #takePair(kind) {
    const replies = this.#replies;
    const expected = this.#awaits === WAIT || this.#awaits === REQUEST;
    if (expected && this.#pair === null && replies.number === 2) {
      this.#pair = [];
    } else if (this.#pair !== null && kind === Kind.integer) {
      this.#pair.push(replies.text());
    } else {
      this.#lose('the server sent an array that is not two integers');
      return;
    }
    if (replies.depth > 0) return;
    const text = this.#pair.join(' ');
    this.#pair = null;
    this.#reply(PAIR, text);
  }

  /** @param {number} kind of a whole reply @param {string} text */
  #reply(kind, text) {
    if (this.#awaits === WRITES || this.#awaits === READS || this.#awaits === PINGS) {
      const isError = kind === Kind.error;
      this.onError(
        isError ? text : `PROTOCOL ${NAMES[kind]} ${text.slice(0, 40)} does not answer a read, write or PING`,
      );
      this.#operationsAnswered(isError ? classifyWriteError(text) : Outcome.unknown, 1);
    } else if (this.#awaits === WAIT) {
      if (kind === Kind.integer) this.waitCount = Number(text);
      else if (kind === PAIR) [this.waitLocalCount, this.waitCount] = text.split(' ').map(Number);
      else
        this.onError(kind === Kind.error ? text : `PROTOCOL ${NAMES[kind]} ${text.slice(0, 40)} does not answer WAIT`);
      this.#finish();
    } else if (this.#awaits === REQUEST) {
      const request = this.#request;
      this.#awaits = NOTHING;
      this.#request = null;
      if (kind === Kind.error) request?.reject(new Error(text));
      else request?.resolve(kind === Kind.nothing ? null : text);
    } else {
      this.#lose('the server sent a reply without a request');
    }
  }

  /** @param {number} outcome @param {number} count of operations */
  #operationsAnswered(outcome, count) {
    const { outcomes } = this;
    const end = this.#answered + count;
    for (let i = this.#answered; i < end; i++) outcomes[i] = outcome;
    this.#answered = end;
    if (end < outcomes.length) return;
    const { wait } = this.#batch;
    if (wait.length === 0 || this.fetched) {
      this.#finish();
    } else if (this.#shape.waitMode === 'pipelined') {
      this.#awaits = WAIT;
    } else if (outcomes.includes(Outcome.acked)) {
      this.#awaits = WAIT;
      this.#socket.write(wait);
    } else {
      // No write was acknowledged, so there is nothing to wait for.
      this.#finish();
    }
  }

  #finish() {
    if (!this.#replies.isEmpty) {
      // What is left over would be taken for replies to the next batch.
      this.#lose('the server sent more replies than there were commands');
      return;
    }
    this.#downgrade();
    this.#awaits = NOTHING;
    this.onBatch();
  }

  /** Makes `acked` writes `underAcked` if WAIT counted too few. */
  #downgrade() {
    if (this.fetched || outcomeOfOk(this.#shape, this.waitCount, this.waitLocalCount) === Outcome.acked) return;
    const { outcomes } = this;
    for (let i = 0; i < outcomes.length; i++) {
      if (outcomes[i] === Outcome.acked) outcomes[i] = Outcome.underAcked;
    }
  }

  #lose(/** @type {string} */ why) {
    if (this.lost) return;
    this.lost = true;
    this.#socket.destroy();
    const awaited = this.#awaits;
    this.#awaits = NOTHING;
    const error = `CLOSED ${why}`;
    if (awaited === REQUEST) {
      this.#request?.reject(new Error(error));
      this.#request = null;
    } else if (awaited !== NOTHING) {
      this.outcomes.fill(Outcome.unknown, this.#answered);
      this.#downgrade();
      this.onError(error);
      this.onBatch();
    }
  }

  disconnected(/** @type {Error | null} */ error) {
    this.#lose(error ? error.message : 'closed by the server');
  }
}

/** @param {ReplyScanner} replies at a status line @returns {boolean} it is the answer to PING */
function isPong({ buffer, start, end }) {
  return end - start === 4 && buffer.readUInt32BE(start) === PONG;
}
