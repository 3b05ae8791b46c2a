import pTimeout from 'p-timeout';
import { openMysql, query, SqlError } from '../../clients/mysql.js';
import { fromOutside } from '../../untrusted.js';
import { ADMIN } from './topology.js';

/** Control connections to MariaDB: a few statements to one node, each answered soon or not at all. Nothing is retried. */
/** @import { Address, Control, Credentials } from '../types.js' */

const DEFAULT_TIMEOUT_MS = 1000;

const STATE = [
  "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'gtid_binlog_pos', 'gtid_current_pos')",
  "SHOW GLOBAL STATUS LIKE 'rpl_semi_sync_%'",
];

export const REPLICA_STATUS = 'SHOW SLAVE STATUS';

/**
 * Logs in as the user of the harness. `call` takes a statement and its values, and resolves to its rows. `info` answers the state of
 * replication, with the fields of SHOW SLAVE STATUS in lower case. @param {Address} address @param {Credentials} credentials
 * @param {{timeoutMs?: number, processInfo?: () => Record<string, string> | Promise<Record<string, string>>}} [options] timeoutMs: for
 *   connecting and for each statement; processInfo: what `info('process')` answers @returns {Promise<Control>}
 */
export async function connectControl(address, { password }, { timeoutMs = DEFAULT_TIMEOUT_MS, processInfo } = {}) {
  const credentials = { username: ADMIN, password };
  const connection = await openMysql({ ...address, credentials }, timeoutMs);
  let lost = false;
  connection.on('end', () => {
    lost = true;
  });

  function close() {
    lost = true;
    connection.destroy();
  }

  /** @type {(statement: string, ...values: (string | number)[]) => Promise<Record<string, unknown>[]>} */
  async function call(statement, ...values) {
    try {
      const answer = query(connection, statement, values);
      return await pTimeout(answer, { milliseconds: timeoutMs, message: 'Statement timed out' });
    } catch (error) {
      // An answer that comes too late must not be taken for the answer to the next statement.
      if (!isReplyError(error)) close();
      if (error instanceof Error) error.message = fromOutside(error.message);
      throw error;
    }
  }

  return {
    call,
    async info(...sections) {
      if (sections.includes('process')) return processInfo?.() ?? {};
      const all = /** @type {Record<string, string>} */ ({});
      for (const statement of STATE) {
        for (const { Variable_name: name, Value: value } of await call(statement))
          all[String(name).toLowerCase()] = fromOutside(String(value));
      }
      const [status] = await call(REPLICA_STATUS);
      for (const [name, value] of Object.entries(status ?? {}))
        all[name.toLowerCase()] = fromOutside(String(value ?? ''));
      return all;
    },
    lost: () => lost,
    close,
  };
}

/** Else the connection failed. @param {unknown} error @returns {error is Error} */
export function isReplyError(error) {
  return error instanceof SqlError;
}
