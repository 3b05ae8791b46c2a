/**
 * What `redis` and `ioredis` have in common behind the interface of types.js: the account of one batch, from its writes to
 * its outcomes. Both libraries give a promise a command; how commands leave and how a connection ends is their own.
 */

import { messageOf } from '../errors.js';
import { keyName, payload } from './native-batch.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

/** @import { Connection, Shape } from './types.js' */

/**
 * @typedef {Object} Library what the account needs of a connected library
 * @property {new (...args: any[]) => Error} ErrorReply its class for an error that the server answered with; any other
 *   rejection means that the connection is gone
 * @property {() => boolean} writable whether it would send a command now, as opposed to queueing or refusing it
 * @property {(batch: LibraryConnection) => void} send sends the writes, and WAIT with them when `waitsAtOnce`; or the PINGs,
 *   when `pings`; or else the reads, when `fetched`; every one of them must come back through the batch's callbacks
 * @property {(replicas: number, timeoutMs: number) => Promise<unknown>} wait
 * @property {(words: string[]) => Promise<unknown>} call any command
 * @property {(key: string) => Promise<string | null>} get
 * @property {() => Promise<void> | void} drop ends the connection without waiting for the node, and rejects what is under way
 */

/**
 * One pinned connection of a client library.
 * @implements {Connection}
 */
export class LibraryConnection {
  lost = false;
  waitCount = -1;
  waitLocalCount = -1;
  fetched = false;
  /** The batch is one of PINGs. */
  pings = false;
  misses = 0;
  /** @type {(error: string) => void} */
  onError = () => {};
  onBatch = () => {};

  #library;
  /** Answers that the batch under way still needs; 0: none is under way. */
  #open = 0;
  /** WAIT is still to be sent, once every write has been answered. */
  #waitDue = false;
  /** The outcome of a write answered OK for as long as WAIT has not been answered. */
  #okSoFar;
  /** A WAIT belongs to each batch of writes. */
  #waits;
  #generated;
  /** @type {Promise<void> | undefined} */
  #closing;
  /** @type {(() => void) | undefined} */
  #onIdle;

  /**
   * @param {Shape} shape
   * @param {Library} library
   */
  constructor(shape, library) {
    this.shape = shape;
    this.#library = library;
    this.keys = new Uint32Array(shape.pipeline);
    this.outcomes = new Uint8Array(shape.pipeline);
    this.#generated = payload(shape.payloadBytes);
    /** The value of the next writes. */
    this.value = this.#generated;
    this.#waits = shape.waitReplicas > 0 || shape.waitLocal !== undefined;
    this.#okSoFar = outcomeOfOk(shape, -1);
    /** WAIT leaves with the writes. */
    this.waitsAtOnce = false;
    // What each write's promise is given. Made once, so that a write costs the promise its library makes and no closure.
    const writes = [...this.keys.keys()];
    this.onReply = writes.map((i) => (/** @type {unknown} */ reply) => this.answered(i, reply));
    this.onFailure = writes.map((i) => (/** @type {unknown} */ error) => this.failed(i, error));
    this.onWaitReply = this.waited.bind(this);
    this.onWaitFailure = this.waitFailed.bind(this);
  }

  /** @type {Connection['write']} */
  write() {
    const atOnce = this.#waits && this.shape.habit === 'one-flush';
    this.pings = false;
    this.#start({ fetched: false, waitsAtOnce: atOnce, waitDue: this.#waits && !atOnce });
  }

  /** @type {Connection['fetch']} */
  fetch() {
    this.pings = false;
    this.#start({ fetched: true, waitsAtOnce: false, waitDue: false });
  }

  /** @type {Connection['ping']} */
  ping() {
    this.pings = true;
    this.#start({ fetched: true, waitsAtOnce: false, waitDue: false });
  }

  /** @param {{fetched: boolean, waitsAtOnce: boolean, waitDue: boolean}} batch */
  #start({ fetched, waitsAtOnce, waitDue }) {
    this.fetched = fetched;
    this.waitsAtOnce = waitsAtOnce;
    this.#waitDue = waitDue;
    this.misses = 0;
    this.waitCount = -1;
    this.waitLocalCount = -1;
    if (this.lost || !this.#library.writable()) return this.#refuse();
    this.#open = this.shape.pipeline + (waitsAtOnce ? 1 : 0);
    this.#library.send(this);
  }

  /** @param {number} i of the batch under way */
  key(i) {
    return this.#key(this.keys[i]);
  }

  /** @type {Connection['read']} */
  read(key) {
    return this.#ask(() => this.#library.get(this.#key(key)));
  }

  /** @type {Connection['wait']} */
  async wait(replicas, timeoutMs) {
    return Number(await this.#ask(() => this.#library.wait(replicas, timeoutMs)));
  }

  /** @type {Connection['setValue']} */
  setValue(text) {
    const { payloadBytes } = this.shape;
    const value = text ?? this.#generated;
    const bytes = Buffer.byteLength(value);
    if (bytes !== payloadBytes) throw new RangeError(`a value of ${bytes} bytes where ${payloadBytes} were announced`);
    this.value = value;
  }

  /**
   * A batch under way is settled first: what was not answered is `unknown`, and `onBatch` has been called when the promise
   * resolves.
   * @type {Connection['close']}
   */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * The connection is gone.
   * @param {unknown} reason
   */
  lose(reason) {
    if (this.lost) return;
    this.lost = true;
    this.onError(`CLOSED ${messageOf(reason)}`);
  }

  /**
   * Operation `i` of the batch was answered.
   * @param {number} i
   * @param {unknown} reply
   */
  answered(i, reply) {
    if (this.pings ? reply === 'PONG' : this.fetched) {
      this.outcomes[i] = Outcome.acked;
      if (reply === null) this.misses++;
    } else if (reply === 'OK' && !this.pings) {
      this.outcomes[i] = this.#okSoFar;
    } else {
      this.outcomes[i] = Outcome.unknown;
      this.onError(`PROTOCOL ${this.pings ? 'PING' : 'SET'} was answered with ${String(reply)}`);
    }
    this.#settle();
  }

  /**
   * The promise of operation `i` was rejected.
   * @param {number} i
   * @param {unknown} error
   */
  failed(i, error) {
    this.outcomes[i] = this.#isReply(error) ? classifyWriteError(messageOf(error)) : Outcome.unknown;
    this.#settle();
  }

  /**
   * WAIT was answered.
   * @param {unknown} count
   */
  waited(count) {
    if (typeof count === 'number') this.waitCount = count;
    else if (Array.isArray(count)) [this.waitLocalCount, this.waitCount] = count;
    else this.onError(`PROTOCOL WAIT was answered with ${String(count)}`);
    this.#settle();
  }

  /**
   * The promise of WAIT was rejected.
   * @param {unknown} error
   */
  waitFailed(error) {
    this.#isReply(error);
    this.#settle();
  }

  #settle() {
    if (--this.#open > 0) return;
    if (this.#waitDue && !this.lost && this.outcomes.includes(Outcome.underAcked)) {
      this.#waitDue = false;
      this.#open = 1;
      this.#wait().then(this.onWaitReply, this.onWaitFailure);
      return;
    }
    const outcome = outcomeOfOk(this.shape, this.waitCount, this.waitLocalCount);
    if (this.#waits && outcome === Outcome.acked) this.#acknowledge();
    this.#onIdle?.();
    this.onBatch();
  }

  /** Sends the WAIT or WAITAOF that the shape asks for, by itself. */
  #wait() {
    const command = this.waitAofCommand();
    return command
      ? this.#library.call(command)
      : this.#library.wait(this.shape.waitReplicas, this.shape.waitTimeoutMs);
  }

  /** @returns {string[] | null} for the libraries, which have no function for it; null when WAIT is sent */
  waitAofCommand() {
    const { waitLocal, waitReplicas, waitTimeoutMs } = this.shape;
    return waitLocal === undefined ? null : ['WAITAOF', ...[waitLocal, waitReplicas, waitTimeoutMs].map(String)];
  }

  #acknowledge() {
    const { outcomes } = this;
    for (let i = 0; i < outcomes.length; i++) {
      if (outcomes[i] === Outcome.underAcked) outcomes[i] = Outcome.acked;
    }
  }

  /** Tells that nothing was sent; later, because `onBatch` must not be called within `write`. */
  #refuse() {
    this.lose('before a batch');
    this.outcomes.fill(Outcome.rejected);
    setImmediate(() => {
      this.onError(NOT_SENT);
      this.onBatch();
    });
  }

  /**
   * Tells of an error.
   * @param {unknown} error of a rejected promise
   * @returns {boolean} whether it is the server's answer
   */
  #isReply(error) {
    const isReply = error instanceof this.#library.ErrorReply;
    if (isReply) this.onError(messageOf(error));
    else this.lose(error);
    return isReply;
  }

  /**
   * @template T
   * @param {() => Promise<T>} command
   * @returns {Promise<T>} rejects with nothing of the library's own in the error
   */
  async #ask(command) {
    if (this.lost) throw new Error(NOT_SENT);
    try {
      return await command();
    } catch (error) {
      if (error instanceof this.#library.ErrorReply) throw new Error(messageOf(error));
      this.lose(error);
      throw new Error(`CLOSED ${messageOf(error)}`);
    }
  }

  async #close() {
    if (this.#open > 0) this.lose('by this side');
    this.lost = true;
    await this.#library.drop();
    if (this.#open > 0) {
      await new Promise((resolve) => {
        this.#onIdle = () => resolve(undefined);
      });
    }
  }

  /** @param {number} number */
  #key(number) {
    return keyName(this.shape.keyPrefix, number);
  }
}
