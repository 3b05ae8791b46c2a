/** What every node of a MariaDB stack is started with, on every backend. */
import { DATABASE, ENTRIES } from '../../clients/mysql.js';
import { ADMIN, APPLICATION } from './topology.js';

/** Each node of a stack writes a redo log of this size. */
export const REDO_LOG_BYTES = 16 * 2 ** 20;

/** Of every node. It begins as a replica does: what makes it the primary opens it. */
export const COMMON_CONF = Object.freeze({
  'skip-name-resolve': 'ON',
  'log-bin': 'binlog',
  'relay-log': 'relay',
  'log-slave-updates': 'ON',
  // Heartbeats come once a second. A replica that misses them for so many seconds connects anew.
  'slave-net-timeout': '5',
  'binlog-format': 'ROW',
  'read-only': 'ON',
  'performance-schema': 'OFF',
  'local-infile': 'OFF',
  'max-connections': '300',
  'innodb-buffer-pool-size': '64M',
  'innodb-log-file-size': String(REDO_LOG_BYTES),
  // Otherwise an old primary with transactions of its own follows without an error, and lacks some of the new primary's.
  'gtid-strict-mode': 'ON',
});

/** @param {Readonly<Record<string, string>>} lines @returns {string} a configuration file */
export function confText(lines) {
  return `[mysqld]\n${Object.entries(lines)
    .map(([name, value]) => `${name} = ${confValue(value)}\n`)
    .join('')}`;
}

/**
 * @param {string} value without line ends
 * @returns {string} quoted if it is more than a word: `#` would begin a comment, and a backslash an escape
 */
function confValue(value) {
  return /^[\w.:/*@%+-]*$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

const ADMIN_GRANTS =
  'SUPER, RELOAD, PROCESS, BINLOG MONITOR, REPLICATION SLAVE, SLAVE MONITOR, REPLICATION SLAVE ADMIN, REPLICATION MASTER ADMIN, READ_ONLY ADMIN';
/** Replicas log in as the application. */
const APPLICATION_GRANTS = 'REPLICATION SLAVE, SLAVE MONITOR';

/**
 * @param {{password: string, from: string}} login password: letters, digits, `-` and `_`; from: the hosts that may log in, `%` for all
 * @returns {string} statements, one a line, that every node executes at its start and does not replicate
 */
export function firstStatements({ password, from }) {
  const [admin, application] = [ADMIN, APPLICATION].map((user) => `'${user}'@'${from}'`);
  const lines = [
    'SET sql_log_bin = 0',
    `CREATE USER IF NOT EXISTS ${admin} IDENTIFIED BY '${password}'`,
    `CREATE USER IF NOT EXISTS ${application} IDENTIFIED BY '${password}'`,
    // Neither may read or write files of the machine.
    `GRANT ${ADMIN_GRANTS} ON *.* TO ${admin}`,
    `GRANT SELECT, INSERT, DELETE ON ${DATABASE}.* TO ${admin}`,
    `GRANT ${APPLICATION_GRANTS} ON *.* TO ${application}`,
    `GRANT SELECT, INSERT, UPDATE ON ${DATABASE}.* TO ${application}`,
    `CREATE DATABASE IF NOT EXISTS ${DATABASE}`,
    `CREATE TABLE IF NOT EXISTS ${ENTRIES} (k VARBINARY(96) PRIMARY KEY, v VARBINARY(60000) NOT NULL, writes INT UNSIGNED NOT NULL DEFAULT 0) ENGINE = InnoDB`,
  ];
  return `${lines.join(';\n')};\n`;
}
