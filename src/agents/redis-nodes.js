/**
 * How an agent starts Redis nodes and Sentinels: from the same templates as those of a local stack.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { confWord, redisConf, sentinelConf } from '../stacks/redis/conf.js';
import { connectControl } from '../stacks/redis/control.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { FIRST_PRIMARY, kindOf, MASTER_NAME, numberOf } from '../stacks/redis/topology.js';

/** @import { Deployment, NodePrograms, Place } from './nodes-work.js' */

const CONF = 'server.conf';
/** Sentinels have groups of their own, by which rules know what they send. No name belongs to these numbers, which exist in containers, too. */
const FIRST_GROUP = 64_800;

/** @type {NodePrograms} */
export const redisNodes = {
  // A server starts in half a second; the machine may be busy.
  readyMs: 30_000,
  async program() {
    const server = await findServer();
    if (!server) throw new UserError('There is no Redis or Valkey server there.', `${INSTALL_SERVER}.`);
    return { ...server, name: server.name === 'valkey' ? 'valkey' : 'redis' };
  },
  credentials: (password) => ({ password }),
  async prepare(place, deployment) {
    writeFileSync(join(place.folder, CONF), confOf(place, deployment), { mode: 0o600 });
  },
  command: ({ path }, { id, folder }) => [
    path,
    join(folder, CONF),
    ...(kindOf(id) === 'sentinel' ? ['--sentinel'] : []),
  ],
  groupOf: ({ id }) => (kindOf(id) === 'sentinel' && process.getuid?.() === 0 ? FIRST_GROUP + numberOf(id) : undefined),
  async ask({ id, host, port }, password) {
    const control = await connectControl({ host, port }, kindOf(id) === 'sentinel' ? {} : { password });
    await control.call('PING').finally(control.close);
  },
};

/**
 * @param {Place} place
 * @param {Pick<Deployment, 'nodes' | 'password'>} deployment
 */
function confOf({ id, folder, data, host, port }, { nodes, password }) {
  const announced = (/** @type {string} */ name) => {
    const node = nodes.find((each) => each.id === name);
    if (!node) throw new UserError(`The deployment has no ${name}.`, 'Start the run again.');
    return { host: node.host, port: node.port };
  };
  const primary = announced(FIRST_PRIMARY);
  if (kindOf(id) === 'sentinel') {
    const text = sentinelConf(id, { dir: folder, nodes: nodes.map((node) => node.id), announced });
    return [text, `port ${port}`, `bind ${host}`, `sentinel auth-pass ${MASTER_NAME} ${password}`, ''].join('\n');
  }
  return [
    redisConf(),
    `port ${port}`,
    `bind ${host}`,
    `dir ${confWord(data)}`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(id === FIRST_PRIMARY ? [] : [`replicaof ${primary.host} ${primary.port}`]),
    '',
  ].join('\n');
}
