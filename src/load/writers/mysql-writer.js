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
 */

/** A server that is well accepts a login within this. */
const LOGIN_MS = 500;
const SEARCH_EVERY_MS = 50;
const INSERT = `INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`;

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @returns {Promise<Writer>}
 */
export async function createWriter(plan, trial) {
  const account = new Account(plan);
  const makeValue = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
  const login = { user: trial.credentials.username, password: trial.credentials.password };
  /** Connections without a write under way, and the number of their node. @type {{connection: Connection, node: number}[]} */
  const free = [];
  /** @type {Set<number>} */
  const underWay = new Set();
  /** All open connections. @type {Set<Connection>} */
  const open = new Set();
  let lastNode = 0;
  let closed = false;

  /** Asks every node at once, because a frozen one does not answer. The first that accepts writes is taken. */
  async function findPrimary() {
    const attempts = trial.nodes.map(async ({ address }, index) => {
      const connection = await openMysql(address, login, LOGIN_MS);
      const [{ readOnly }] = await query(connection, 'SELECT @@global.read_only AS readOnly').catch(() => [
        { readOnly: 1 },
      ]);
      if (Number(readOnly) === 0 && !closed) return { connection, node: index + 1 };
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
  async function connect() {
    while (!closed) {
      try {
        const place = await findPrimary();
        if (closed) return place.connection.destroy();
        open.add(place.connection);
        if (place.node !== lastNode) account.moved(place.node);
        lastNode = place.node;
        free.push(place);
        pace.look(clockMs());
        return;
      } catch {
        await delay(SEARCH_EVERY_MS);
      }
    }
  }

  /** @param {Connection} connection */
  function leave(connection) {
    open.delete(connection);
    connection.destroy();
    void connect();
  }

  /** @param {number} number */
  function trySend(number) {
    const place = free.pop();
    if (place === undefined) return false;
    underWay.add(number);
    account.sent(number, place.node);
    place.connection.execute(INSERT, [keyName(plan.shape.keyPrefix, number), makeValue(number)], (error) => {
      // It is no longer under way if the writer was closed.
      if (!underWay.delete(number)) return;
      if (error) {
        const reason = plainError(error);
        const isReply = reason instanceof SqlError;
        account.error(isReply ? reason.message : `CLOSED ${reason.message}`);
        const outcome = isReply ? classifyWriteError(reason.message) : Outcome.unknown;
        account.answered(number, { outcome, waitCount: -1 });
        leave(place.connection);
        return;
      }
      account.answered(number, { outcome: Outcome.acked, waitCount: -1 });
      free.push(place);
      pace.look(clockMs());
    });
    return true;
  }

  const pace = new Pace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    async open() {
      const connecting = Promise.all(Array.from({ length: plan.connections }, connect));
      const late = delay(trial.drainMs, 'late', { ref: false });
      if ((await Promise.race([connecting, late])) !== 'late') return;
      throw new UserError('No MariaDB node accepted writes.', 'See the logs of the nodes, in the folder of this run.');
    },
    begin: () => pace.begin(),
    tick: (now) => pace.look(now),
    end: (now) => pace.end(now),
    isDone: (now) => underWay.size === 0 && !pace.overdue(now),
    async close() {
      if (closed) return;
      closed = true;
      pace.giveUp(clockMs());
      for (const number of underWay) account.answered(number, { outcome: Outcome.unknown, waitCount: -1 });
      underWay.clear();
      for (const connection of open) connection.destroy();
    },
    sample: () => account.sample(pace.writes),
  };
}

/** @type {typeof import('./index.js').createProbes} */
export function createProbes(plan, accounts) {
  return new Probes(plan, accounts, openReader);
}

/**
 * @param {Target} target
 * @returns {Promise<ReadConnection>}
 */
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
