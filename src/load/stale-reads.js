/**
 * Probes for stale reads: does another node show a write that its node has just acknowledged?
 * @import { Target } from '../clients/types.js'
 * @import { TrialNode, TrialPlan, TrialSample } from './trial-thread.js'
 * @import { Account } from './writers/writer.js'
 */
import { keyName } from '../clients/native-batch.js';
import { clockMs } from '../stats/clock.js';

const RETRY_MS = 200;

/**
 * @typedef {(target: Target) => Promise<ReadConnection>} OpenReader
 * @typedef {Object} ReadConnection
 * @property {boolean} lost
 * @property {(key: string) => Promise<boolean>} has the node shows this key; rejects when it does not answer
 * @property {() => unknown} close
 * @typedef {{node: TrialNode, connection: ReadConnection | null, connectAt: number, busy: boolean}} NodeReader busy: a read is under way
 */

export class Probes {
  #everyMs;
  #credentials;
  #accounts;
  #openReader;
  /** @type {NodeReader[]} in the order of the ledger's numbers, counted from 0 */
  #readers;
  #nextAt = Number.POSITIVE_INFINITY;
  #closed = false;
  /** @type {TrialSample['reads']} */
  sample = { reads: 0, stale: 0, failed: 0, longestMs: 0 };

  /** @param {TrialPlan} plan @param {Account[]} accounts whose writes are looked for @param {OpenReader} openReader */
  constructor({ readsPerSecond = 0, nodes, credentials }, accounts, openReader) {
    this.#everyMs = readsPerSecond > 0 ? 1000 / readsPerSecond : Number.POSITIVE_INFINITY;
    this.#credentials = credentials;
    this.#accounts = accounts;
    this.#openReader = openReader;
    const read = readsPerSecond > 0 ? nodes : [];
    this.#readers = read.map((node) => ({ node, connection: null, connectAt: 0, busy: false }));
  }

  /** Tries each node once, and ignores failures. */
  async open() {
    await Promise.all(this.#readers.map((reader) => this.#connect(reader)));
  }

  /** @param {number} now when the first read may be due */
  begin(now) {
    if (this.#readers.length > 0) this.#nextAt = now;
  }

  tick(/** @type {number} */ now) {
    for (const reader of this.#readers) {
      if (reader.connection?.lost) {
        reader.connection = null;
        reader.connectAt = now;
      }
      if (now >= reader.connectAt) this.#connect(reader);
    }
    if (now < this.#nextAt) return;
    // Reads missed by a late tick are not made up for.
    this.#nextAt = Math.max(this.#nextAt + this.#everyMs, now);
    this.#probe();
  }

  end() {
    this.#nextAt = Number.POSITIVE_INFINITY;
  }

  /** A read under way counts as failed when this returns. */
  close() {
    this.#closed = true;
    for (const { connection } of this.#readers) connection?.close();
  }

  get isDone() {
    return this.#readers.every(({ busy }) => !busy);
  }

  #probe() {
    const account = this.#accounts.reduce((latest, each) => (each.lastAcked.at > latest.lastAcked.at ? each : latest));
    const { number, node, at } = account.lastAcked;
    if (number < 0) return;
    const others = this.#readers.filter((_, index) => index !== node - 1);
    const reader = others[Math.floor(Math.random() * others.length)];
    if (reader === undefined) return;
    this.sample.reads++;
    // A node that does not answer, or has not answered the last read, would not answer this one either.
    if (reader.connection === null || reader.busy) this.sample.failed++;
    else this.#read(reader, reader.connection, keyName(account.keyPrefix, number), at);
  }

  /** @param {NodeReader} reader @param {ReadConnection} connection @param {string} key @param {number} ackedAt */
  async #read(reader, connection, key, ackedAt) {
    reader.busy = true;
    try {
      if (!(await connection.has(key))) {
        this.sample.stale++;
        this.sample.longestMs = Math.max(this.sample.longestMs, clockMs() - ackedAt);
      }
    } catch {
      this.sample.failed++;
    } finally {
      reader.busy = false;
    }
  }

  /** Never rejects. @param {NodeReader} reader */
  async #connect(reader) {
    reader.connectAt = Number.POSITIVE_INFINITY;
    try {
      const connection = await this.#openReader({ ...reader.node.address, credentials: this.#credentials });
      if (this.#closed) await connection.close();
      else reader.connection = connection;
    } catch {
      reader.connectAt = clockMs() + RETRY_MS;
    }
  }
}
