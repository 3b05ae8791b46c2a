/**
 * How an agent starts Redis nodes and Sentinels: from the same templates as those of a local stack.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { nodeOf } from '../stacks/ask.js';
import { nodeConf } from '../stacks/redis/conf.js';
import { connectControl } from '../stacks/redis/control.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { kindOf, MASTER_NAME, numberOf } from '../stacks/redis/topology.js';

/** @import { NodePrograms } from './nodes-work.js' */

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
  async prepare({ id, folder, data, host, port }, { nodes, password }) {
    const conf = nodeConf(id, {
      dir: data,
      port,
      nodes: nodes.map((node) => node.id),
      announced: (name) => nodeOf({ nodes }, name),
      ofSentinel: [`bind ${host}`, `sentinel auth-pass ${MASTER_NAME} ${password}`],
      ofRedis: [`bind ${host}`, `requirepass ${password}`, `masterauth ${password}`],
    });
    writeFileSync(join(folder, CONF), conf, { mode: 0o600 });
  },
  command: ({ path }, { id, folder }) => [
    path,
    join(folder, CONF),
    ...(kindOf(id) === 'sentinel' ? ['--sentinel'] : []),
  ],
  groupOf: ({ id }) => (kindOf(id) === 'sentinel' && process.getuid?.() === 0 ? FIRST_GROUP + numberOf(id) : undefined),
  connect: ({ id, host, port }, password) =>
    connectControl({ host, port }, kindOf(id) === 'sentinel' ? {} : { password }),
};
