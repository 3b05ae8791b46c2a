/**
 * The client `mysql2`: what a Node application of MariaDB sees. A batch is one INSERT with as many rows as the batch has writes, so it is
 * one transaction. The answer to a commit includes its confirmation by a replica, if the server asks for one.
 * @import { Connection as MysqlConnection } from 'mysql2'
 * @import { RoundPlan } from '../load/types.js'
 * @import { Client, Target } from './types.js'
 */
import pTimeout from 'p-timeout';
import { messageOf } from '../errors.js';
import { findClient } from '../registry/clients.js';
import { keepSecret } from '../untrusted.js';
import { orUndo } from '../wait.js';
import { readYaml } from '../yaml.js';
import { CONNECT_TIMEOUT_MS } from './dial.js';
import { LibraryConnection } from './library.js';

const CATCH_UP_SECONDS = findClient('mysql2')?.catchUpSeconds ?? 0;

export const DATABASE = 'sentinel_bench';

/**
 * The table of all entries that we write: `k` is the key, `v` the value. `writes` changes with every write: a server that gets the value
 * that a row has already writes nothing, and confirms at once. The stack makes the table.
 */
export const ENTRIES = `${DATABASE}.entries`;

/** An error reply, in the form of Redis: its kind, then its text. */
export class SqlError extends Error {}

/** By the number of an error. @type {{mariadb: Readonly<Record<number, string>>}} */
const { mariadb: KINDS } = readYaml(new URL('errors.yaml', import.meta.url));

/** @param {unknown} error of the library @returns {Error} a {@link SqlError} if the server answered; otherwise the connection is lost */
export function plainError(error) {
  const { errno, fatal, sqlState } = /** @type {{errno?: number, fatal?: boolean, sqlState?: string}} */ (error);
  const message = messageOf(error);
  if (sqlState === undefined || fatal) return new Error(message);
  return new SqlError(`${KINDS[errno ?? 0] ?? 'ERR'} ${message}`);
}

/**
 * @param {Target} target @param {number} [timeoutMs] until the server has accepted the login
 * @throws {Error} a plain error; nothing is left open then
 */
export async function openMysql({ host, port, credentials = {} }, timeoutMs = CONNECT_TIMEOUT_MS) {
  const { username: user, password } = credentials;
  keepSecret(password);
  // Most commands never need the library, which takes long to load.
  const { default: mysql } = await import('mysql2');
  const connection = mysql.createConnection({ host, port, user, password, connectTimeout: timeoutMs });
  // A lost connection also fails the statement under way, which tells its caller.
  connection.on('error', () => {});
  const accepted = new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(plainError(error)) : resolve(undefined)));
  });
  // The kernel of a frozen server accepts connections, and the server never answers.
  const inTime = pTimeout(accepted, { milliseconds: timeoutMs, message: `no answer within ${timeoutMs / 1000} s` });
  await orUndo(inTime, () => connection.destroy());
  return connection;
}

/**
 * Rejects with a plain error. @param {MysqlConnection} connection @param {string} statement @param {(string | number)[]} [values]
 * @returns {Promise<Record<string, unknown>[]>} rows
 */
export function query(connection, statement, values = []) {
  return new Promise((resolve, reject) => {
    connection.query(statement, values, (error, rows) =>
      error ? reject(plainError(error)) : resolve(/** @type {Record<string, unknown>[]} */ (rows)),
    );
  });
}

/** @type {Client} */
export const client = {
  name: 'mysql2',
  async connect(target, shape) {
    const connection = await openMysql(target);
    let open = true;
    const rows = Array.from({ length: shape.pipeline }, () => '(?, ?)').join(', ');
    const statement = `INSERT INTO ${ENTRIES} (k, v) VALUES ${rows} ON DUPLICATE KEY UPDATE v = VALUES(v), writes = writes + 1`;
    /** @type {string[]} */
    const values = new Array(2 * shape.pipeline).fill('');
    // The commit waits by itself: there is no WAIT to send.
    /** @type {LibraryConnection} */
    const batch = new LibraryConnection(
      { ...shape, waitReplicas: 0, waitLocal: undefined },
      {
        ErrorReply: SqlError,
        writable: () => open,
        send() {
          if (batch.fetched) return batch.readEach({ ping, get });
          for (let i = 0; i < shape.pipeline; i++) {
            values[2 * i] = batch.key(i);
            values[2 * i + 1] = batch.value;
          }
          connection.execute(statement, values, written);
        },
        call: () => Promise.reject(new SqlError('ERR a commit waits by itself')),
        get,
        drop() {
          open = false;
          connection.destroy();
        },
      },
    );
    connection.on('end', () => {
      open = false;
      batch.lose('by the server');
    });

    function written(/** @type {Error | null} */ error) {
      const reason = error && plainError(error);
      for (let i = 0; i < shape.pipeline; i++) {
        if (reason) batch.onFailure[i](reason);
        else batch.onReply[i]('OK');
      }
    }

    async function ping() {
      await query(connection, 'DO 1');
      return 'PONG';
    }

    /** @param {string} key @returns {Promise<string | null>} */
    async function get(key) {
      const [row] = await query(connection, `SELECT v FROM ${ENTRIES} WHERE k = ?`, [key]);
      return row === undefined ? null : String(row.v);
    }

    return batch;
  },
  drain,
};

/** Waits until every replica has applied what the primary has committed. @param {RoundPlan} plan @throws {Error} one did not in time */
async function drain({ primary, replicas }) {
  const [{ reached }] = await ask(primary, 'SELECT @@global.gtid_binlog_pos AS reached');
  for (const replica of replicas) {
    const [{ late }] = await ask(replica, 'SELECT MASTER_GTID_WAIT(?, ?) AS late', [String(reached), CATCH_UP_SECONDS]);
    if (Number(late) !== 0) throw new Error(`a replica did not catch up within ${CATCH_UP_SECONDS} s`);
  }
}

/** @param {Target} target @param {string} statement @param {(string | number)[]} [values] */
async function ask(target, statement, values) {
  const connection = await openMysql(target);
  return query(connection, statement, values).finally(() => connection.destroy());
}
