/** Deployments whose nodes agents start on their machines. Each trial of a run gets one of its own, as on a local stack. */
import { UserError } from '../errors.js';
import { serverText } from '../format.js';
import { nodeOf } from '../stacks/ask.js';
import { APPLICATION, MARIADB_NODES } from '../stacks/mariadb/topology.js';
import { hostsOf } from '../stacks/network/placement.js';
import { nodesOf } from '../stacks/redis/topology.js';
import { keepSecret } from '../untrusted.js';
import { openHost } from './host-client.js';
import { newPassword } from './protocol.js';
import { refusal } from './refusals.js';

/**
 * @import { Placement } from '../stacks/network/placement.js'
 * @import { Size } from '../stacks/redis/topology.js'
 * @import { Credentials, NodeInfo, StackOptions, SystemName } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @typedef {Size & {placement?: Placement, disk?: boolean, disks?: boolean}} Wish placement: default “apart”: a partition may leave the last node with a
 *   majority of the Sentinels; disk: the first primary has one whose power can be cut; disks: asks whether there can be one
 * @typedef {Object} Layout of the nodes of one system
 * @property {string} data what its data nodes are called
 * @property {boolean} clientsApart its clients reach every node in each failure, so they need a machine without nodes
 * @property {(size: Size) => readonly Pick<NodeInfo, 'id' | 'kind'>[]} nodesOf
 * @property {(size: Size, placement: Placement) => readonly (readonly string[])[]} hostsOf ids on each machine: first that of the first primary
 * @property {(password: string) => Credentials} credentials
 * @typedef {ReturnType<typeof openAgentsNodes>} AgentsNodes
 */

/** @type {Readonly<Record<SystemName, Layout>>} */
const LAYOUTS = Object.freeze({
  redis: {
    data: 'Redis nodes',
    clientsApart: false,
    nodesOf,
    hostsOf(size, placement) {
      const ids = (/** @type {string} */ kind) => nodesOf(size).flatMap((node) => (node.kind === kind ? node.id : []));
      const [primary, ...replicas] = ids('redis');
      return hostsOf(placement, { primary, replicas, sentinels: ids('sentinel') });
    },
    credentials: (password) => ({ password }),
  },
  mariadb: {
    data: 'MariaDB nodes',
    clientsApart: true,
    nodesOf: () => MARIADB_NODES,
    hostsOf: () => MARIADB_NODES.map(({ id }) => [id]),
    credentials: (password) => ({ username: APPLICATION, password }),
  },
});

/** @param {Controller} controller its agents allow nodes @param {SystemName} [system] of the nodes */
export function openAgentsNodes(controller, system = 'redis') {
  const layout = LAYOUTS[system];
  const all = controller.agents.map(({ name }) => openHost(controller, name));
  let deployments = 0;

  const dataNodes = (/** @type {Size} */ size) => layout.nodesOf(size).filter(({ kind }) => kind !== 'sentinel').length;

  // Writers go to the first agents, so these have machines of their own if there are enough.
  const machines = (/** @type {Size} */ size) => all.slice(-dataNodes(size));

  /** Why there cannot be a deployment of this size, and the remedy; null: there can. @param {Size} size */
  function whyNot(size) {
    const needed = dataNodes(size);
    if (all.length >= needed) return null;
    return `Each of its ${needed} ${layout.data} needs an agent with --allow nodes, and there are ${all.length}; start more agents.`;
  }

  return {
    /** Writers need a machine without nodes. */
    clientsApart: layout.clientsApart,
    /** Names of the agents that a deployment runs on: first that of the first primary. @param {Size} size */
    machines: (size) => machines(size).map(({ name }) => name),
    whyNot,
    /**
     * Ends the last deployment with all its faults, and starts another. Resolves when every node answers; it may take a while until the Sentinels
     * know all of them. @param {Wish} wish @returns {Promise<Required<Pick<StackOptions, 'deployed' | 'credentials'>>>}
     */
    async start({ placement = 'apart', disk = false, disks = disk, ...size }) {
      const why = whyNot(size);
      if (why !== null) throw new UserError(why, 'Start more agents, or use fewer --replicas.');
      await Promise.all(all.map((host) => host.stop()));
      const hosts = machines(size);
      const ids = layout.hostsOf(size, placement);
      const places = await Promise.all(
        ids.map((own, index) => hosts[index].place({ system, nodes: own.length, disk: disks && index === 0 })),
      );
      checkAlike(hosts, places);
      const placed = ids.flatMap((own, index) =>
        own.map((id, place) => ({ id, host: places[index].address, port: places[index].ports[place], index })),
      );
      const password = newPassword();
      keepSecret(password);
      await Promise.all(
        hosts.map((host, own) => {
          const nodes = placed.map(({ index, ...node }) => ({ ...node, own: index === own }));
          return host.start({ system, nodes, password, disk: disk && own === 0 ? ids[0][0] : null });
        }),
      );
      deployments++;
      return {
        deployed: {
          identity: `${controller.run} ${deployments}`,
          can: disks && places[0].whyNoDisk === null ? ['power-loss', 'fill'] : [],
          server: places[0].server,
          nodes: layout.nodesOf(size).map(({ id, kind }) => {
            const { host, port } = nodeOf({ nodes: placed }, id);
            return { id, kind, address: { host, port }, announced: { host, port } };
          }),
          async rebuild(id) {
            await hosts[nodeOf({ nodes: placed }, id).index].rebuild(id);
          },
        },
        credentials: layout.credentials(password),
      };
    },
  };
}

/** @param {readonly {name: string}[]} hosts @param {readonly {address: string, server: {name: string, version: string}}[]} places on them */
function checkAlike(hosts, places) {
  const texts = places.map(({ server }) => serverText(server));
  const differs = texts.findIndex((text) => text !== texts[0]);
  if (differs > 0) {
    const [one, other] = [hosts[0].name, hosts[differs].name];
    throw refusal('servers-differ', { one, other, first: texts[0], second: texts[differs] });
  }
  const addresses = places.map(({ address }) => address);
  const shared = addresses.findIndex((address, index) => addresses.indexOf(address) !== index);
  if (shared > 0) throw refusal('address-shared', { name: hosts[shared].name, address: addresses[shared] });
}
