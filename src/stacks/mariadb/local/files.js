/** The files of a MariaDB node on this machine: its configuration, its first statements, and the data directory that it begins with. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../../programs.js';
import { PID_FILE } from '../../daemons.js';
import { COMMON_CONF, confText, firstStatements } from '../conf.js';
import { MARIADB_NODES } from '../topology.js';
import { copyData } from './template.js';

/**
 * @typedef {Object} NodePlace
 * @property {string} id
 * @property {string} folder of the node, which exists
 * @property {string} data where it keeps its data: the same folder, or one on a disk of its own
 * @property {string} host at which it listens
 * @property {number} port
 */

const CONF = 'node.cnf';
const FIRST_STATEMENTS = 'first.sql';
/** ext4 makes it on a disk of a node's own. */
const LOST_AND_FOUND = 'lost+found';
/** Files in the node's folder that are not its data. */
const OURS = [CONF, FIRST_STATEMENTS, PID_FILE, 'log', LOST_AND_FOUND];

/**
 * @param {string} program path of mariadbd
 * @param {NodePlace} place
 * @returns {string[]} the command that starts the node
 */
export function commandOf(program, { folder }) {
  return [program, `--defaults-file=${join(folder, CONF)}`];
}

/** @param {NodePlace} place @param {Readonly<Record<string, string>>} [more] further lines, or other values */
export function writeConf(place, more = {}) {
  writeFileSync(join(place.folder, CONF), confText({ ...baseOf(place), ...more }), { mode: 0o600 });
}

/**
 * @param {NodePlace} place without data
 * @param {Object} options
 * @param {string} options.template data directory to copy
 * @param {Parameters<typeof firstStatements>[0]} options.login of the harness and the application
 */
export async function writeData({ folder, data }, { template, login }) {
  await copyData(template, data);
  // A power loss must not damage what the node was given.
  if (data !== folder) await execute('sync', ['--file-system', data]);
  writeFileSync(join(folder, FIRST_STATEMENTS), firstStatements(login), { mode: 0o600 });
}

/** @param {NodePlace} place of a node that does not run */
export function removeData({ data }) {
  for (const name of readdirSync(data)) {
    if (!OURS.includes(name)) rmSync(join(data, name), { recursive: true, force: true });
  }
}

/** @param {NodePlace} place @returns {Record<string, string>} its lines of configuration */
function baseOf({ id, folder, data, host, port }) {
  return {
    ...COMMON_CONF,
    ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
    datadir: data,
    socket: 'socket',
    'pid-file': 'mariadbd.pid',
    'init-file': join(folder, FIRST_STATEMENTS),
    // Not a database.
    'ignore-db-dirs': LOST_AND_FOUND,
    'bind-address': host,
    port: String(port),
    'server-id': String(MARIADB_NODES.findIndex((node) => node.id === id) + 1),
    tmpdir: folder,
  };
}
