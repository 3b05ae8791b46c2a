/**
 * What the clients of libraries have in common: the account of one batch, whose commands each have a promise in the library.
 * @import { LoadConnection, Shape } from './types.js'
 * @typedef {Object} Library what the account needs from a connected library
 * @property {new (...args: any[]) => Error} ErrorReply any other rejection means that the connection is gone
 * @property {() => boolean} writable it would send a command now, rather than queue or refuse it
 * @property {(batch: LibraryConnection) => void} send sends PINGs if `pings`, else reads if `fetched`, else writes, with WAIT if
 *   `waitsAtOnce`. Each of them must end in one of the batch's callbacks
 * @property {(words: string[]) => Promise<unknown>} call any command @property {(key: string) => Promise<string | null>} get
 * @property {() => Promise<void> | void} drop ends the connection without waiting for the node, and rejects what is under way
 */
import { messageOf } from '../errors.js';
import { once } from '../once.js';
import { keyName, payload } from './native-batch.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk, waitCommand } from './outcome.js';
import { Outcome } from './types.js';

/** @implements {LoadConnection} */
export class LibraryConnection {
  lost = false;
  waitCount = -1;
  waitLocalCount = -1;
  fetched = false;
  pings = false;
  misses = 0;
  waitsAtOnce = false;
  /** @type {(error: string) => void} */
  onError = () => {};
  onBatch = () => {};

  #library;
  #open = 0;
  #waitDue = false;
  #waitsEarly;
  /** The outcome of a write answered OK until WAIT is answered. */
  #okSoFar;
  #generated;
  #onIdle = /** @type {(() => void) | undefined} */ (undefined);

  /** @param {Shape} shape @param {Library} library */
  constructor(shape, library) {
    this.shape = shape;
    this.#library = library;
    this.keys = new Uint32Array(shape.pipeline);
    this.outcomes = new Uint8Array(shape.pipeline);
    this.#generated = payload(shape.payloadBytes);
    this.value = this.#generated;
    /** Null: the batches have no WAIT. */
    this.waitCommand = waitCommand(shape);
    this.#waitsEarly = this.waitCommand !== null && shape.waitMode === 'pipelined' && !shape.transaction;
    this.#okSoFar = outcomeOfOk(shape, -1);
    // Made once, so that a write costs its library's promise and no closure.
    const writes = [...this.keys.keys()];
    this.onReply = writes.map((i) => (/** @type {unknown} */ reply) => this.answered(i, reply));
    this.onFailure = writes.map((i) => (/** @type {unknown} */ error) => this.failed(i, error));
    this.onWaitReply = this.waited.bind(this);
    this.onWaitFailure = this.waitFailed.bind(this);
  }

  write() {
    this.#start(false, false);
  }

  fetch() {
    this.#start(true, false);
  }

  ping() {
    this.#start(true, true);
  }

  /** @param {boolean} fetched @param {boolean} pings */
  #start(fetched, pings) {
    this.fetched = fetched;
    this.pings = pings;
    this.waitsAtOnce = !fetched && this.#waitsEarly;
    this.#waitDue = !fetched && this.waitCommand !== null && !this.#waitsEarly;
    this.misses = 0;
    this.waitCount = -1;
    this.waitLocalCount = -1;
    if (this.lost || !this.#library.writable()) return this.#refuse();
    this.#open = this.shape.pipeline + (this.waitsAtOnce ? 1 : 0);
    this.#library.send(this);
  }

  /** Sends reads or PINGs one by one. @param {{ping: () => Promise<unknown>, get: (key: string) => Promise<unknown>}} client */
  readEach(client) {
    for (let i = 0; i < this.shape.pipeline; i++) {
      const reply = this.pings ? client.ping() : client.get(this.key(i));
      reply.then(this.onReply[i], this.onFailure[i]);
    }
  }

  /** Sends writes one by one, and WAIT if it is due with them. @param {{set: (key: string, value: string) => Promise<unknown>}} client */
  writeEach(client) {
    for (let i = 0; i < this.shape.pipeline; i++) {
      client.set(this.key(i), this.value).then(this.onReply[i], this.onFailure[i]);
    }
    if (this.waitsAtOnce) this.#sendWait();
  }

  /** @param {number} i of the batch under way */
  key(i) {
    return keyName(this.shape.keyPrefix, this.keys[i]);
  }

  /** @type {LoadConnection['read']} */
  read(key) {
    return this.#ask(() => this.#library.get(keyName(this.shape.keyPrefix, key)));
  }

  /** @type {LoadConnection['wait']} */
  async wait(replicas, timeoutMs) {
    const command = ['WAIT', String(replicas), String(timeoutMs)];
    return Number(await this.#ask(() => this.#library.call(command)));
  }

  /** @type {LoadConnection['setValue']} */
  setValue(text) {
    const { payloadBytes } = this.shape;
    const value = text ?? this.#generated;
    const bytes = Buffer.byteLength(value);
    if (bytes !== payloadBytes) throw new RangeError(`a value of ${bytes} bytes where ${payloadBytes} were announced`);
    this.value = value;
  }

  /** Settles a batch under way first: unanswered writes are `unknown`, and `onBatch` was called when the promise resolves. */
  close = once(() => this.#close());

  lose(/** @type {unknown} */ reason) {
    if (this.lost) return;
    this.lost = true;
    this.onError(`CLOSED ${messageOf(reason)}`);
  }

  /** @param {number} i of the batch @param {unknown} reply */
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

  /** @param {number} i of the batch @param {unknown} error with which its promise was rejected */
  failed(i, error) {
    this.outcomes[i] = this.#isReply(error) ? classifyWriteError(error.message) : Outcome.unknown;
    this.#settle();
  }

  allFailed(/** @type {unknown} */ error) {
    for (let i = 0; i < this.shape.pipeline; i++) this.failed(i, error);
  }

  /** @param {unknown} count what WAIT or WAITAOF was answered with */
  waited(count) {
    if (typeof count === 'number') this.waitCount = count;
    else if (Array.isArray(count)) [this.waitLocalCount, this.waitCount] = count;
    else this.onError(`PROTOCOL WAIT was answered with ${String(count)}`);
    this.#settle();
  }

  /** @param {unknown} error with which the promise of WAIT was rejected */
  waitFailed(error) {
    this.#isReply(error);
    this.#settle();
  }

  #settle() {
    if (--this.#open > 0) return;
    if (this.#waitDue && !this.lost && this.outcomes.includes(Outcome.underAcked)) {
      this.#waitDue = false;
      this.#open = 1;
      this.#sendWait();
      return;
    }
    const outcome = outcomeOfOk(this.shape, this.waitCount, this.waitLocalCount);
    if (this.waitCommand && outcome === Outcome.acked) this.#acknowledge();
    this.#onIdle?.();
    this.onBatch();
  }

  #sendWait() {
    const command = /** @type {string[]} */ (this.waitCommand);
    this.#library.call(command).then(this.onWaitReply, this.onWaitFailure);
  }

  #acknowledge() {
    const { outcomes } = this;
    for (let i = 0; i < outcomes.length; i++) {
      if (outcomes[i] === Outcome.underAcked) outcomes[i] = Outcome.acked;
    }
  }

  /** Later, because `onBatch` must not be called within `write`. */
  #refuse() {
    this.lose('before a batch');
    this.outcomes.fill(Outcome.rejected);
    setImmediate(() => {
      this.onError(NOT_SENT);
      this.onBatch();
    });
  }

  /** Reports an error. @param {unknown} error of a rejected promise @returns {error is Error} it is an error reply */
  #isReply(error) {
    const isReply = error instanceof this.#library.ErrorReply;
    if (isReply) this.onError(messageOf(error));
    else this.lose(error);
    return isReply;
  }

  /** @template T @param {() => Promise<T>} command @returns {Promise<T>} rejects with an error that holds nothing of the library's own */
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
}
