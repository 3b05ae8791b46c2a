/**
 * What every node of a MariaDB stack is started with, on every backend.
 *
 * @import { Dialect } from './dialect.js'
 */
import { DATABASE, ENTRIES } from '../../clients/mysql.js';
import { ADMIN, APPLICATION } from './topology.js';

/** Each node of a stack writes a redo log of this size. */
export const REDO_LOG_BYTES = 16 * 2 ** 20;

/** Heartbeats come once a second. A replica that misses them for this long connects anew. */
const NET_TIMEOUT_SECONDS = 5;

/**
 * @param {Dialect} dialect
 * @returns {Record<string, string>} of every node. It begins as a replica does: what makes it the primary opens it
 */
export function commonConf({ conf, toServer }) {
  return {
    'skip-name-resolve': 'ON',
    'log-bin': 'binlog',
    'relay-log': 'relay',
    [dashed(toServer('log_slave_updates'))]: 'ON',
    [dashed(toServer('slave_net_timeout'))]: String(NET_TIMEOUT_SECONDS),
    'binlog-format': 'ROW',
    'read-only': 'ON',
    'performance-schema': 'OFF',
    'local-infile': 'OFF',
    'max-connections': '300',
    'innodb-buffer-pool-size': '64M',
    [dashed(toServer('innodb_log_file_size'))]: String(REDO_LOG_BYTES),
    ...conf,
  };
}

/**
 * @param {Readonly<Record<string, string>>} lines
 * @returns {string} a configuration file; MariaDB and MySQL both read this section
 */
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

/** @param {string} name of a variable @returns {string} as files and command lines spell it */
function dashed(name) {
  return name.replaceAll('_', '-');
}

/**
 * @param {Dialect} dialect
 * @param {{password: string, from: string}} login password: letters, digits, `-` and `_`; from: the hosts that may log in, `%` for all
 * @returns {string} statements, one a line, that every node executes at its start and does not replicate
 */
export function firstStatements({ adminGrants, applicationGrants }, { password, from }) {
  const [admin, application] = [ADMIN, APPLICATION].map((user) => `'${user}'@'${from}'`);
  const lines = [
    'SET sql_log_bin = 0',
    `CREATE USER IF NOT EXISTS ${admin} IDENTIFIED BY '${password}'`,
    `CREATE USER IF NOT EXISTS ${application} IDENTIFIED BY '${password}'`,
    // Neither may read or write files of the machine.
    `GRANT ${adminGrants.join(', ')} ON *.* TO ${admin}`,
    `GRANT SELECT, INSERT, DELETE ON ${DATABASE}.* TO ${admin}`,
    `GRANT ${applicationGrants.join(', ')} ON *.* TO ${application}`,
    `GRANT SELECT, INSERT, UPDATE ON ${DATABASE}.* TO ${application}`,
    `CREATE DATABASE IF NOT EXISTS ${DATABASE}`,
    `CREATE TABLE IF NOT EXISTS ${ENTRIES} (k VARBINARY(96) PRIMARY KEY, v VARBINARY(60000) NOT NULL, writes INT UNSIGNED NOT NULL DEFAULT 0) ENGINE = InnoDB`,
  ];
  return `${lines.join(';\n')};\n`;
}
