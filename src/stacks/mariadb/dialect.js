/**
 * What MySQL calls differently. All other modules use MariaDB's names; a dialect translates them for the server and back.
 *
 * MySQL 8.4 has dropped the old words: https://dev.mysql.com/doc/relnotes/mysql/8.4/en/news-8-4-0.html. It needs a plugin for each side of
 * semi-synchronous replication, and its positions are sets such as `uuid:1-57`.
 *
 * @import { Address, Credentials } from '../types.js'
 *
 * @typedef {Object} Dialect
 * @property {'mariadb' | 'mysql'} name
 * @property {(variable: string) => string} toServer the name of a variable on the server
 * @property {Readonly<Record<string, string>>} conf lines of the configuration that only this server has
 * @property {readonly string[]} adminGrants of the user of the harness, on all databases
 * @property {readonly string[]} applicationGrants of the application, on all databases; replicas log in as it
 * @property {readonly string[]} state statements whose rows are a name and a value
 * @property {(source: Address, login: Credentials, retrySeconds: number) => {statement: string, values: (string | number)[]}} changeSource
 * @property {{start: string, stop: string, stopReceiving: string, forget: string, status: string}} replica statements
 * @property {(state: Record<string, string>) => Record<string, string>} normalise fields in lower case → the same with MariaDB's names
 */

/** The names of both servers, MariaDB's first. */
const VARIABLES = Object.freeze({
  rpl_semi_sync_master_enabled: 'rpl_semi_sync_source_enabled',
  rpl_semi_sync_master_timeout: 'rpl_semi_sync_source_timeout',
  rpl_semi_sync_master_wait_no_slave: 'rpl_semi_sync_source_wait_no_replica',
  rpl_semi_sync_master_wait_point: 'rpl_semi_sync_source_wait_point',
  rpl_semi_sync_slave_enabled: 'rpl_semi_sync_replica_enabled',
  log_slave_updates: 'log_replica_updates',
  slave_net_timeout: 'replica_net_timeout',
  slave_parallel_threads: 'replica_parallel_workers',
  innodb_log_file_size: 'innodb_redo_log_capacity',
});

/** Fields of status, MySQL's first. */
const FIELDS = Object.freeze({
  rpl_semi_sync_source_status: 'rpl_semi_sync_master_status',
  rpl_semi_sync_source_clients: 'rpl_semi_sync_master_clients',
  rpl_semi_sync_source_yes_tx: 'rpl_semi_sync_master_yes_tx',
  rpl_semi_sync_source_no_tx: 'rpl_semi_sync_master_no_tx',
  source_host: 'master_host',
  source_port: 'master_port',
  replica_io_running: 'slave_io_running',
  replica_sql_running: 'slave_sql_running',
});

const SEMI_SYNC_STATUS = "SHOW GLOBAL STATUS LIKE 'rpl_semi_sync_%'";

/** @type {Dialect} */
export const MARIADB = Object.freeze({
  name: 'mariadb',
  toServer: (variable) => variable,
  conf: Object.freeze({
    // Otherwise an old primary with transactions of its own follows without an error, and lacks some of the new primary's.
    'gtid-strict-mode': 'ON',
  }),
  adminGrants: [
    'SUPER',
    'RELOAD',
    'PROCESS',
    'BINLOG MONITOR',
    'REPLICATION SLAVE',
    'SLAVE MONITOR',
    'REPLICATION SLAVE ADMIN',
    'REPLICATION MASTER ADMIN',
    'READ_ONLY ADMIN',
  ],
  applicationGrants: ['REPLICATION SLAVE', 'SLAVE MONITOR'],
  state: [
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'gtid_binlog_pos', 'gtid_current_pos')",
    SEMI_SYNC_STATUS,
  ],
  changeSource: ({ host, port }, { username = '', password = '' }, retrySeconds) => ({
    statement:
      'CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_USE_GTID = slave_pos, ' +
      `MASTER_CONNECT_RETRY = ${retrySeconds}, MASTER_HEARTBEAT_PERIOD = 1`,
    values: [host, port, username, password],
  }),
  replica: {
    start: 'START SLAVE',
    stop: 'STOP SLAVE',
    stopReceiving: 'STOP SLAVE IO_THREAD',
    forget: 'RESET SLAVE ALL',
    status: 'SHOW SLAVE STATUS',
  },
  normalise: (state) => state,
});

/** @type {Dialect} */
export const MYSQL = Object.freeze({
  name: 'mysql',
  toServer: (variable) => /** @type {Record<string, string>} */ (VARIABLES)[variable] ?? variable,
  conf: Object.freeze({
    'gtid-mode': 'ON',
    'enforce-gtid-consistency': 'ON',
    'plugin-load-add': 'semisync_source.so;semisync_replica.so',
    mysqlx: 'OFF',
  }),
  adminGrants: [
    'SUPER',
    'RELOAD',
    'PROCESS',
    'REPLICATION CLIENT',
    'REPLICATION SLAVE',
    'REPLICATION_SLAVE_ADMIN',
    'SYSTEM_VARIABLES_ADMIN',
  ],
  applicationGrants: ['REPLICATION SLAVE', 'REPLICATION CLIENT'],
  state: ["SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'gtid_executed')", SEMI_SYNC_STATUS],
  changeSource: ({ host, port }, { username = '', password = '' }, retrySeconds) => ({
    statement:
      'CHANGE REPLICATION SOURCE TO SOURCE_HOST = ?, SOURCE_PORT = ?, SOURCE_USER = ?, SOURCE_PASSWORD = ?, SOURCE_AUTO_POSITION = 1, ' +
      // Passwords travel encrypted with the source's public key.
      `GET_SOURCE_PUBLIC_KEY = 1, SOURCE_CONNECT_RETRY = ${retrySeconds}, SOURCE_HEARTBEAT_PERIOD = 1`,
    values: [host, port, username, password],
  }),
  replica: {
    start: 'START REPLICA',
    stop: 'STOP REPLICA',
    stopReceiving: 'STOP REPLICA IO_THREAD',
    forget: 'RESET REPLICA ALL',
    status: 'SHOW REPLICA STATUS',
  },
  normalise(state) {
    const renamed = Object.fromEntries(
      Object.entries(state).map(([name, value]) => [
        /** @type {Record<string, string>} */ (FIELDS)[name] ?? name,
        value,
      ]),
    );
    const { gtid_executed: executed = '', retrieved_gtid_set: retrieved = '' } = state;
    const position = positionIn(executed);
    return {
      ...renamed,
      gtid_binlog_pos: position,
      gtid_current_pos: position,
      gtid_io_pos: positionIn(`${executed},${retrieved}`),
    };
  },
});

/**
 * A position in MariaDB's form. At any time one server writes, so the highest numbers of all servers together say how far a node is.
 *
 * @param {string} set such as `3e11fa47-…:1-57:60,8b2f…:1-3`
 * @returns {string} `0-0-` and a number
 */
export function positionIn(set) {
  /** @type {Map<string, number>} */
  const highest = new Map();
  for (const part of set.split(',')) {
    const [server, ...intervals] = part.trim().split(':');
    const last = Number(intervals.at(-1)?.split('-').at(-1) ?? 0);
    highest.set(server, Math.max(last, highest.get(server) ?? 0));
  }
  return `0-0-${[...highest.values()].reduce((total, number) => total + number, 0)}`;
}

/**
 * @param {string} image such as `mysql:8.4` or `registry.example/team/mariadb:11`
 * @returns {Dialect} MySQL's if the image's own name says so
 */
export function dialectOf(image) {
  const name = image.split('/').at(-1) ?? '';
  return /mysql|percona/i.test(name) ? MYSQL : MARIADB;
}
