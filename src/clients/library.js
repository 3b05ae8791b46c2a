/**
 * What the clients `redis` and `ioredis` have in common: the account of one batch, from its writes to its outcomes, and the
 * interface of their Sentinel clients. Both libraries return a promise for each command; each has its own way to send commands
 * and to close a connection.
 */

import { messageOf } from '../errors.js';
import { dialledName } from './dialled-names.js';
import { keyName, payload } from './native-batch.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

/**
 * @import { Connection, Shape } from './types.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 */

/**
 * @typedef {Object} Library what the account needs from a connected library
 * @property {new (...args: any[]) => Error} ErrorReply the library's class of error replies; any other rejection means that the
 *   connection is gone
 * @property {() => boolean} writable whether it would send a command now, rather than queue or refuse it
 * @property {(batch: LibraryConnection) => void} send sends PINGs if `pings`, else reads if `fetched`, else writes, with
 *   WAIT if `waitsAtOnce`. Each of them must end in one of the batch's callbacks
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
  /** Answers that the batch under way still needs; 0: no batch is under way. */
  #open = 0;
  /** WAIT is still to be sent, once every write has been answered. */
  #waitDue = false;
  /** The outcome of a write answered OK until WAIT is answered. */
  #okSoFar;
  /** Each batch of writes has a WAIT. */
  #waits;
  #generated;
  /** @type {Promise<void> | undefined} */
  #closing;
  /** @type {(() => void) | undefined} */
  #onIdle;

  /** @param {Shape} shape @param {Library} library */
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
    /** WAIT is sent with the writes. */
    this.waitsAtOnce = false;
    // The callbacks of each write's promise. Made once, so that a write costs its library's promise and no closure.
    const writes = [...this.keys.keys()];
    this.onReply = writes.map((i) => (/** @type {unknown} */ reply) => this.answered(i, reply));
    this.onFailure = writes.map((i) => (/** @type {unknown} */ error) => this.failed(i, error));
    this.onWaitReply = this.waited.bind(this);
    this.onWaitFailure = this.waitFailed.bind(this);
  }

  /** @type {Connection['write']} */
  write() {
    const atOnce = this.#waits && this.shape.waitMode === 'pipelined' && !this.shape.transaction;
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
   * Settles a batch under way first: unanswered writes are `unknown`, and `onBatch` was called when the promise resolves.
   * @type {Connection['close']}
   */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The connection is gone. @param {unknown} reason */
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
    this.outcomes[i] = this.#isReply(error) ? classifyWriteError(error.message) : Outcome.unknown;
    this.#settle();
  }

  /** The promise of the whole batch was rejected. @param {unknown} error */
  allFailed(error) {
    for (let i = 0; i < this.shape.pipeline; i++) this.failed(i, error);
  }

  /** WAIT was answered. @param {unknown} count */
  waited(count) {
    if (typeof count === 'number') this.waitCount = count;
    else if (Array.isArray(count)) [this.waitLocalCount, this.waitCount] = count;
    else this.onError(`PROTOCOL WAIT was answered with ${String(count)}`);
    this.#settle();
  }

  /** The promise of WAIT was rejected. @param {unknown} error */
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

  /** @returns {string[] | null} the words of WAITAOF, for which the libraries have no function; null if the shape asks for WAIT */
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

  /** Rejects the batch. Later, because `onBatch` must not be called within `write`. */
  #refuse() {
    this.lose('before a batch');
    this.outcomes.fill(Outcome.rejected);
    setImmediate(() => {
      this.onError(NOT_SENT);
      this.onBatch();
    });
  }

  /**
   * Reports an error.
   * @param {unknown} error of a rejected promise
   * @returns {error is Error} whether it is an error reply
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
   * @returns {Promise<T>} rejects with an error that holds nothing of the library's own
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

/** How long a Sentinel client may take to reach the primary at first, as the options of `pTimeout`. */
export const CONNECT_DEADLINE = Object.freeze({ milliseconds: 5000, message: 'not within 5 s' });

/**
 * @typedef {Object} SentinelOptions
 * @property {Address[]} sentinels
 * @property {{address: Address, announced: Address}[]} nodes the Redis nodes
 * @property {string} masterName
 * @property {Credentials} credentials
 * @property {(node: number) => void} onMove there is a new connection to this Redis node: its place in `nodes`, counted from 1,
 *   or 0 if it is not one of them
 *
 * @typedef {Object} SentinelClient a library's Sentinel client, connected
 * @property {(key: string, value: string) => Promise<unknown>} append
 * @property {(replicas: number, timeoutMs: number) => Promise<unknown>} wait
 * @property {(command: string[]) => Promise<unknown>} call any command, on the primary
 * @property {number} generation of the connection that answered last: no two connections have the same
 * @property {number} node to which it is connected, as in `onMove`; 0 also: not connected
 * @property {(error: unknown) => boolean} isReply it is an error reply
 * @property {() => Promise<void>} destroy idempotent; leaves no socket
 */

/**
 * Finds the node that a socket is connected to.
 * @param {{address: Address}[]} nodes
 * @param {{remoteAddress?: string, remotePort?: number}} socket connected
 * @returns {number} its place in `nodes`, counted from 1; 0: none of them. If a node has a host name instead of an IP address, the name
 *   that the socket dialled decides. If that is not known, its port does, provided that no other node has the same
 */
export function nodeNumber(nodes, socket) {
  const { remoteAddress, remotePort } = socket;
  const hosts = [remoteAddress, dialledName(socket)];
  const exact = nodes.findIndex(({ address }) => hosts.includes(address.host) && address.port === remotePort);
  if (exact >= 0) return exact + 1;
  const samePort = nodes.filter(({ address }) => address.port === remotePort);
  return samePort.length === 1 ? nodes.indexOf(samePort[0]) + 1 : 0;
}
