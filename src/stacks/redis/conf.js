import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FIRST_PRIMARY, NODES } from './topology.js';

/** @import { Address } from '../types.js' */

/** The folder of the templates, for those who hand the files on as they are. */
export const CONF_DIR = fileURLToPath(new URL('../../../conf/', import.meta.url));

/**
 * @param {string} [folder] of the templates
 * @returns {string | null} a template that not everybody may read; containers mount them and run as another user
 */
export function privateTemplate(folder = CONF_DIR) {
  const files = ['redis.conf', 'sentinel.conf'].map((name) => join(folder, name));
  return files.find((file) => (statSync(file).mode & 0o004) === 0) ?? null;
}

/** @returns {string} what every Redis node's configuration begins with */
export function redisConf() {
  return readFileSync(`${CONF_DIR}redis.conf`, 'utf8');
}

/**
 * A Sentinel's configuration, filled in.
 *
 * @param {string} id of the Sentinel, as in the topology
 * @param {Object} where
 * @param {string} where.dir its working directory, as the Sentinel sees it
 * @param {(id: string) => Address} where.announced what each node of the stack is called by its peers
 * @returns {string}
 * @throws {Error} when the template has a name that nobody fills in
 */
export function sentinelConf(id, { dir, announced }) {
  const own = NODES.find((node) => node.id === id && node.kind === 'sentinel');
  if (!own) throw new RangeError(`no Sentinel is called ${id}`);
  const peers = NODES.filter((node) => node.kind === 'sentinel' && node.id !== id);
  const replicas = NODES.filter((node) => node.kind === 'redis' && node.id !== FIRST_PRIMARY);

  /** @type {Record<string, string | number>} */
  const values = {
    DIR: dir,
    MYID: String(own.myid),
    HOST: announced(id).host,
    PORT: announced(id).port,
    PRIMARY_HOST: announced(FIRST_PRIMARY).host,
    PRIMARY_PORT: announced(FIRST_PRIMARY).port,
  };
  replicas.forEach((replica, index) => {
    values[`REPLICA_${index + 1}_HOST`] = announced(replica.id).host;
    values[`REPLICA_${index + 1}_PORT`] = announced(replica.id).port;
  });
  peers.forEach((peer, index) => {
    values[`PEER_${index + 1}_HOST`] = announced(peer.id).host;
    values[`PEER_${index + 1}_PORT`] = announced(peer.id).port;
    values[`PEER_${index + 1}_ID`] = String(peer.myid);
  });
  return fillIn(readFileSync(`${CONF_DIR}sentinel.conf`, 'utf8'), values);
}

/**
 * Directives by which a server runs code, or writes to files of another choice than ours.
 */
const DANGEROUS =
  /^(include|loadmodule(-ex)?|rename-command|enable-.*|aclfile|logfile|pidfile|unixsocket|daemonize|supervised|dir|dbfilename|append(file|dir)name|sentinel (notification|client-reconfig)-script)$/;

/**
 * Whoever may connect to a node can have lines of any kind written to its configuration: servers do not quote the host of
 * REPLICAOF, or what SENTINEL SET is given. Other users of this machine can connect to a local stack, and a server would do
 * what such a line says as our user when it starts again.
 *
 * @param {string} text of a node's configuration, as the server has rewritten it
 * @param {{own: string, dir: string}} ours own: the configuration as we wrote it; dir: where the node works
 * @returns {string | null} the first line that could harm and is not ours; null: there is none
 */
export function foreignLine(text, { own, dir }) {
  const known = new Set(own.split('\n').map((line) => line.trim()));
  const harms = (/** @type {string} */ line) => {
    const [, directive, value = ''] = /^(sentinel\s+\S+|\S+)\s*(.*)$/is.exec(line) ?? [];
    if (directive === undefined || line.startsWith('#') || known.has(line)) return false;
    // Servers quote values, never names; a quoted name would pass for another.
    if (/["']/.test(directive)) return true;
    const name = directive.toLowerCase().replace(/\s+/, ' ');
    return DANGEROUS.test(name) && !(name === 'dir' && unquoted(value) === dir);
  };
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .find(harms) ?? null
  );
}

/**
 * @param {string} value as a server writes a text
 * @returns {string}
 */
function unquoted(value) {
  if (!/^".*"$/.test(value)) return value;
  // Byte by byte: of a character beyond ASCII each byte is written by its number.
  const bytes = value.slice(1, -1).replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_, code, letter) => {
    return code ? String.fromCharCode(Number.parseInt(code, 16)) : letter;
  });
  return Buffer.from(bytes, 'latin1').toString();
}

/**
 * @param {string} template
 * @param {Record<string, string | number>} values
 * @returns {string} the template with every `@NAME@` replaced
 * @throws {Error} when a name has no value
 */
export function fillIn(template, values) {
  return template.replace(/@([A-Z][A-Z0-9_]*)@/g, (_, name) => {
    if (!(name in values)) throw new Error(`nothing to fill in for @${name}@`);
    return String(values[name]);
  });
}
