import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FIRST_PRIMARY, NODES } from './topology.js';

/** The folder of the templates, for those who hand the files on as they are. */
export const CONF_DIR = fileURLToPath(new URL('../../conf/', import.meta.url));

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
 * @param {(id: string) => import('./types.js').Address} where.announced what each node of the stack is called by its peers
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
