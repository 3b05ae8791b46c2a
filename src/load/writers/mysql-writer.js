/**
 * The writers of trials on MariaDB. A writer is an application with a pool of connections: each connection stays on its node until an
 * error, and then asks the nodes which of them accepts writes. That is what a proxy that looks at `read_only` does.
 * Each write is an INSERT of a new key, so that a write that was applied twice would be refused.
 * @import { Connection as MysqlConnection } from 'mysql2'
 * @import { ClientReport, PromiseClient, WriteAnswer } from './paced-writer.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 * @typedef {{connection: MysqlConnection, node: number}} WriterPlace of the pool
 */
import { setTimeout as delay } from 'node:timers/promises';
import pTimeout from 'p-timeout';
import { valueMaker } from '../../audit/value.js';
import { ENTRIES, openMysql, plainError, query, SqlError } from '../../clients/mysql.js';
import { keyName } from '../../clients/native-batch.js';
import { classifyWriteError } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { orUndo } from '../../wait.js';
import { problem } from '../sentences.js';
import { createPromiseWriter } from './paced-writer.js';

/** A server that is well accepts a login within this. */
const LOGIN_MS = 500;
const SEARCH_EVERY_MS = 50;
const INSERT = `INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`;

/** @param {WriterPlan} plan @param {TrialPlan} trial @returns {Writer} */
export function createWriter(plan, trial) {
  return createPromiseWriter(plan, trial, async (report) => {
    const pool = new Pool(plan, trial, report);
    await orUndo(pool.open(), () => pool.close());
    return pool;
  });
}

/** @implements {PromiseClient} */
class Pool {
  #plan;
  #trial;
  #report;
  #makeValue;
  #free = /** @type {WriterPlace[]} */ ([]);
  #open = /** @type {Set<MysqlConnection>} */ (new Set());
  #lastNode = 0;
  #closed = false;

  /** @param {WriterPlan} plan @param {TrialPlan} trial @param {ClientReport} report */
  constructor(plan, trial, report) {
    this.#plan = plan;
    this.#trial = trial;
    this.#report = report;
    this.#makeValue = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
  }

  async open() {
    const { connections } = this.#plan;
    const connecting = Promise.all(Array.from({ length: connections }, () => this.#connect()));
    const message = problem('no-mariadb');
    await pTimeout(connecting, { milliseconds: this.#trial.drainMs, message });
  }

  isFree() {
    return this.#free.length > 0;
  }

  node() {
    return this.#free.at(-1)?.node ?? 0;
  }

  /** @param {number} number @returns {Promise<WriteAnswer>} */
  write(number) {
    const place = /** @type {WriterPlace} */ (this.#free.pop());
    const row = [keyName(this.#plan.shape.keyPrefix, number), this.#makeValue(number)];
    return new Promise((resolve) => {
      place.connection.execute(INSERT, row, (error) => {
        const outcome = error ? this.#failed(place, error) : Outcome.acked;
        if (!error) this.#free.push(place);
        resolve({ outcome, waitCount: -1, falseAck: false, node: place.node });
      });
    });
  }

  close() {
    this.#closed = true;
    for (const connection of this.#open) connection.destroy();
  }

  /** Asks every node at once, because a frozen one does not answer. The first that accepts writes is taken. */
  async #findPrimary() {
    const { nodes, credentials } = this.#trial;
    const attempts = nodes.map(async ({ address }, index) => {
      const connection = await openMysql({ ...address, credentials }, LOGIN_MS);
      const [{ readOnly }] = await query(connection, 'SELECT @@global.read_only AS readOnly').catch(() => [
        { readOnly: 1 },
      ]);
      if (Number(readOnly) === 0 && !this.#closed) return { connection, node: index + 1 };
      connection.destroy();
      throw new Error('read only');
    });
    const found = await Promise.any(attempts);
    // Two nodes may accept writes. The pool needs one connection for each of its places.
    for (const attempt of attempts) {
      attempt.then(
        (other) => other !== found && other.connection.destroy(),
        () => {},
      );
    }
    return found;
  }

  async #connect() {
    while (!this.#closed) {
      try {
        const place = await this.#findPrimary();
        if (this.#closed) return place.connection.destroy();
        this.#open.add(place.connection);
        if (place.node !== this.#lastNode) this.#report.moved(place.node);
        this.#lastNode = place.node;
        this.#free.push(place);
        return;
      } catch {
        await delay(SEARCH_EVERY_MS);
      }
    }
  }

  /** @param {WriterPlace} place is replaced @param {Error} error @returns {number} the outcome of its write */
  #failed({ connection }, error) {
    const reason = plainError(error);
    const isReply = reason instanceof SqlError;
    this.#report.error(isReply ? reason.message : `CLOSED ${reason.message}`);
    this.#open.delete(connection);
    connection.destroy();
    void this.#connect();
    return isReply ? classifyWriteError(reason.message) : Outcome.unknown;
  }
}

/** @type {import('../stale-reads.js').OpenReader} */
export async function openReader(target) {
  const connection = await openMysql(target, LOGIN_MS);
  const reader = {
    lost: false,
    has: async (/** @type {string} */ key) =>
      (await query(connection, `SELECT 1 FROM ${ENTRIES} WHERE k = ?`, [key])).length > 0,
    close: () => connection.destroy(),
  };
  connection.on('end', () => {
    reader.lost = true;
  });
  return reader;
}
