/**
 * Nodes that an agent starts for a run: those of a stack that are on its machine. They start as a local stack does, and end with the run.
 * Their record is that of a local stack, so a recovery finds and ends the nodes of a killed agent.
 */
import { sameAddress } from '../stacks/address.js';
import { createStack, pidOf } from '../stacks/hosts/local/record.js';
import { startParts } from '../stacks/hosts/local/start.js';
import { findMariadb, INSTALL_MARIADB } from '../stacks/mariadb/local/server.js';
import { preparedData } from '../stacks/mariadb/local/template.js';
import { mariadbNodes } from '../stacks/mariadb/nodes.js';
import { checkRoom } from '../stacks/records/own-folders.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { redisNodes } from '../stacks/redis/nodes.js';
import { kindOf, numberOf } from '../stacks/redis/topology.js';
import { refusal } from './refusals.js';

/**
 * @import { Nodes } from '../stacks/hosts/host.js'
 * @import { LocalHost } from '../stacks/hosts/local/start.js'
 * @import { Action, Address } from '../stacks/types.js'
 * @import { NodesToStart, OfferedPlace } from './host-protocol.js'
 * @typedef {{name: OfferedPlace['server']['name'], version: string, path: string}} NodeServer
 * @typedef {Object} NodesOfSystem
 * @property {() => Promise<NodeServer>} find throws a UserError if there is none
 * @property {(host: LocalHost, deployment: NodesToStart, server: NodeServer) => Promise<Nodes & {rebuild?: (id: string, signal: AbortSignal) => Promise<void>}>} open
 * @property {(id: string) => number | undefined} groupOf of users, that only this node is in; undefined: that of the agent
 * @typedef {Awaited<ReturnType<typeof startNodes>>} OwnNodes
 */

/** Sentinels have groups of their own, by which rules know what they send. No name belongs to these numbers, which exist in containers, too. */
const FIRST_GROUP = 64_800;
/** A data directory of MariaDB and its logs. */
const LEAST_ROOM_BYTES = 350 * 2 ** 20;

/** @param {string} id */
const groupOfSentinel = (id) =>
  kindOf(id) === 'sentinel' && process.getuid?.() === 0 ? FIRST_GROUP + numberOf(id) : undefined;

async function mariadbServer() {
  const found = await findMariadb();
  if (!found) throw refusal('mariadb-missing', { install: INSTALL_MARIADB });
  return { ...found, name: /** @type {const} */ ('mariadb') };
}

/** @type {Readonly<Record<NodesToStart['system'], NodesOfSystem>>} */
const SYSTEMS = {
  redis: {
    async find() {
      const server = await findServer();
      if (!server) throw refusal('redis-missing', { install: INSTALL_SERVER });
      return { ...server, name: server.name === 'valkey' ? 'valkey' : 'redis' };
    },
    open: async (host, { nodes, password }, server) =>
      redisNodes(host, { program: () => server.path, server, nodes, password, groupOf: groupOfSentinel }),
    groupOf: groupOfSentinel,
  },
  mariadb: {
    find: mariadbServer,
    async open(host, { password }, { path }) {
      for (const { data } of host.nodes) checkRoom(data, LEAST_ROOM_BYTES, 'a MariaDB server');
      const template = await preparedData(await mariadbServer());
      // Controller and other nodes log in from other machines.
      return mariadbNodes(host, { program: path, template, password, from: '%' });
    },
    groupOf: () => undefined,
  },
};

/** @param {NodesToStart['system']} system @throws {UserError} it is not installed here */
export const findProgram = (system) => SYSTEMS[system].find();

/**
 * @param {NodesToStart} deployment @param {{signal: AbortSignal, tell: (line: string) => void}} options signal: abandons it
 * @returns those of one deployment, on this machine; they answer. After a rejection everything that was started is removed
 */
export async function startNodes(deployment, { signal, tell }) {
  const { system, disk } = deployment;
  const { open, groupOf } = SYSTEMS[system];
  const server = await findProgram(system);
  const own = deployment.nodes.filter((node) => node.own).map(({ id, host, port }) => ({ id, host, port }));
  const record = createStack({ part: 'agent', detached: false, system, server, nodes: own });
  const volatileDisks = disk === null ? [] : [disk];
  return startParts(record, { volatileDisks, disks: 'agent', signal, tell }, async (host) => {
    const { prepare, start, startAgain, rebuild } = await open(host, deployment, server);
    for (const { id } of own) {
      await prepare(id);
      signal.throwIfAborted();
    }
    await Promise.all(own.map(({ id }) => start(id, signal)));
    return {
      /** The node begins again with an empty database. @param {string} id @param {AbortSignal} ending */
      async rebuild(id, ending) {
        if (!rebuild || !own.some((node) => node.id === id)) throw refusal('not-started', { id });
        await rebuild(id, ending);
      },
      serverAt(/** @type {Address} */ address) {
        const node = own.find((each) => sameAddress(each, address));
        if (!node) return undefined;
        return {
          pid: () => pidOf(record, node.id),
          group: groupOf(node.id),
          async act(/** @type {Action} */ action) {
            if (action !== 'start') await host.act(node.id, action);
            else if ((await host.process(node.id)) === null) await startAgain(node.id);
          },
        };
      },
      end: host.remove,
    };
  });
}
