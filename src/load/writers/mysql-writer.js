/**
 * The writers of trials on MariaDB. A writer is an application with a pool of connections: each connection stays on its node until an
 * error, and then asks the nodes which of them accepts writes. That is what a proxy that looks at `read_only` does.
 *
 * Each write is an INSERT of a new key, so that a write that was applied twice would be refused.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { valueMaker } from '../../audit/value.js';
import { ENTRIES, openMysql, plainError, query, SqlError } from '../../clients/mysql.js';
import { keyName } from '../../clients/native-batch.js';
import { classifyWriteError } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { UserError } from '../../errors.js';
import { clockMs } from '../../stats/clock.js';
import { Probes } from '../stale-reads.js';
import { Account, Pace } from './writer.js';

/**
 * @import { Connection } from 'mysql2'
 * @import { Target } from '../../clients/types.js'
 * @import { ReadConnection } from '../stale-reads.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 *
 * @typedef {{connection: Connection, node: number}} WriterPlace of the pool
 */

/** A server that is well accepts a login within this. */
const LOGIN_MS = 500;
const SEARCH_EVERY_MS = 50;
const INSERT = `INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`;

/** @param {WriterPlan} plan @param {TrialPlan} trial @returns {Promise<Writer>} */
export async function createWriter(plan, trial) {
  return new MysqlWriter(plan, trial);
}

/**
 * A pool of connections to the node that accepts writes.
 *
 * @implements {Writer}
 */
class MysqlWriter {
  account;
  #plan;
  #trial;
  #login;
  #makeValue;
  #pace;
  /** Connections without a write under way, and the number of their node. @type {WriterPlace[]} */
  #free = [];
  /** @type {Set<number>} */
  #underWay = new Set();
  /** All open connections. @type {Set<Connection>} */
  #open = new Set();
  #lastNode = 0;
  #closed = false;

  /** @param {WriterPlan} plan @param {TrialPlan} trial */
  constructor(plan, trial) {
    const { credentials, giveUpMs } = trial;
    this.#plan = plan;
    this.#trial = trial;
    this.account = new Account(plan);
    this.#login = { user: credentials.username, password: credentials.password };
    this.#makeValue = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
    this.#pace = new Pace({ rate: plan.rate, giveUpMs }, this.account, (number) => this.#trySend(number));
  }

  async open() {
    const { connections } = this.#plan;
    const connecting = Promise.all(Array.from({ length: connections }, () => this.#connect()));
    const late = delay(this.#trial.drainMs, 'late', { ref: false });
    if ((await Promise.race([connecting, late])) !== 'late') return;
    throw new UserError('No MariaDB node accepted writes.', 'See the logs of the nodes, in the folder of this run.');
  }

  begin() {
    this.#pace.begin();
  }

  /** @param {number} now */
  tick(now) {
    this.#pace.look(now);
  }

  /** @param {number} now */
  end(now) {
    this.#pace.end(now);
  }

  /** @param {number} now */
  isDone(now) {
    return this.#underWay.size === 0 && !this.#pace.overdue(now);
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#pace.giveUp(clockMs());
    for (const number of this.#underWay) this.account.answered(number, { outcome: Outcome.unknown, waitCount: -1 });
    this.#underWay.clear();
    for (const connection of this.#open) connection.destroy();
  }

  sample() {
    return this.account.sample(this.#pace.writes);
  }

  /** Asks every node at once, because a frozen one does not answer. The first that accepts writes is taken. */
  async #findPrimary() {
    const attempts = this.#trial.nodes.map(async ({ address }, index) => {
      const connection = await openMysql(address, this.#login, LOGIN_MS);
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

  /** Fills one place of the pool. */
  async #connect() {
    while (!this.#closed) {
      try {
        const place = await this.#findPrimary();
        if (this.#closed) return place.connection.destroy();
        this.#open.add(place.connection);
        if (place.node !== this.#lastNode) this.account.moved(place.node);
        this.#lastNode = place.node;
        this.#free.push(place);
        this.#pace.look(clockMs());
        return;
      } catch {
        await delay(SEARCH_EVERY_MS);
      }
    }
  }

  /** @param {number} number */
  #trySend(number) {
    const place = this.#free.pop();
    if (place === undefined) return false;
    this.#underWay.add(number);
    this.account.sent(number, place.node);
    const row = [keyName(this.#plan.shape.keyPrefix, number), this.#makeValue(number)];
    place.connection.execute(INSERT, row, (error) => {
      // It is no longer under way if the writer was closed.
      if (!this.#underWay.delete(number)) return;
      if (error) return this.#failed(number, place, error);
      this.account.answered(number, { outcome: Outcome.acked, waitCount: -1 });
      this.#free.push(place);
      this.#pace.look(clockMs());
    });
    return true;
  }

  /** @param {number} number @param {WriterPlace} place @param {Error} error */
  #failed(number, { connection }, error) {
    const reason = plainError(error);
    const isReply = reason instanceof SqlError;
    this.account.error(isReply ? reason.message : `CLOSED ${reason.message}`);
    const outcome = isReply ? classifyWriteError(reason.message) : Outcome.unknown;
    this.account.answered(number, { outcome, waitCount: -1 });
    this.#open.delete(connection);
    connection.destroy();
    void this.#connect();
  }
}

/** @type {typeof import('./index.js').createProbes} */
export function createProbes(plan, accounts) {
  return new Probes(plan, accounts, openReader);
}

/** @param {Target} target @returns {Promise<ReadConnection>} */
async function openReader(target) {
  const { username: user, password } = target.credentials ?? {};
  const connection = await openMysql(target, { user, password }, LOGIN_MS);
  let lost = false;
  connection.on('end', () => {
    lost = true;
  });
  return {
    get lost() {
      return lost;
    },
    has: async (key) => (await query(connection, `SELECT 1 FROM ${ENTRIES} WHERE k = ?`, [key])).length > 0,
    close: () => connection.destroy(),
  };
}
