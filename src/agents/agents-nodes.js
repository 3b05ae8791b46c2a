/** Deployments whose nodes agents start on their machines. Each trial of a run gets one of its own, as on a local stack. */
import { UserError } from '../errors.js';
import { APPLICATION, MARIADB_NODES } from '../stacks/mariadb/topology.js';
import { hostsOf } from '../stacks/network/placement.js';
import { nodesOf } from '../stacks/redis/topology.js';
import { keepSecret } from '../untrusted.js';
import { newPassword } from './protocol.js';
import { refusal } from './refusals.js';

/**
 * @import { Placement } from '../stacks/network/placement.js'
 * @import { Size } from '../stacks/redis/topology.js'
 * @import { Ability, Credentials, NodeInfo, StackOptions, SystemName } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 *
 * @typedef {Size & {placement?: Placement, disk?: boolean, disks?: boolean}} Wish placement: default “apart”: a partition may leave the last node with a
 *   majority of the Sentinels; disk: the first primary has one whose power can be cut; disks: asks whether there can be one
 *
 * @typedef {Object} Layout of the nodes of one system
 * @property {string} data what its data nodes are called
 * @property {boolean} clientsApart its clients reach every node in each failure, so they need a machine without nodes
 * @property {(size: Size) => readonly Pick<NodeInfo, 'id' | 'kind'>[]} nodesOf
 * @property {(size: Size, placement: Placement) => readonly (readonly string[])[]} hostsOf ids on each machine: first that of the first primary
 * @property {(password: string) => Credentials} credentials
 *
 * @typedef {Object} AgentsNodes
 * @property {boolean} clientsApart writers need a machine without nodes
 * @property {(size: Size) => string[]} machines names of the agents that a deployment of this size runs on: first that of the first primary
 * @property {(size: Size) => string | null} whyNot why there cannot be a deployment of this size, and the remedy; null: there can
 * @property {(wish: Wish) => Promise<Required<Pick<StackOptions, 'deployed' | 'credentials'>>>} start ends the last deployment with all its faults, and
 *   starts another. Resolves when every node answers; it may take a while until the Sentinels know all of them
 */

/** @type {readonly Ability[]} */
const OF_DISKS = ['power-loss', 'fill'];

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

/** @param {Controller} controller its agents allow nodes @param {SystemName} [system] of the nodes @returns {AgentsNodes} */
export function openAgentsNodes({ run, agents, ask }, system = 'redis') {
  const layout = LAYOUTS[system];
  let deployments = 0;

  const dataNodes = (/** @type {Size} */ size) => layout.nodesOf(size).filter(({ kind }) => kind !== 'sentinel').length;

  // Writers go to the first agents, so these have machines of their own if there are enough.
  const machines = (/** @type {Size} */ size) => agents.slice(-dataNodes(size)).map(({ name }) => name);

  /** @param {Size} size */
  function whyNot(size) {
    const needed = dataNodes(size);
    if (agents.length >= needed) return null;
    return `Each of its ${needed} ${layout.data} needs an agent with --allow nodes, and there are ${agents.length}; start more agents.`;
  }

  return {
    clientsApart: layout.clientsApart,
    machines,
    whyNot,
    async start({ placement = 'apart', disk = false, disks = disk, ...size }) {
      const why = whyNot(size);
      if (why !== null) throw new UserError(why, 'Start more agents, or use fewer --replicas.');
      await Promise.all(agents.map(({ name }) => ask(name, 'nodes-stop', {})));
      const hosts = layout.hostsOf(size, placement);
      const names = machines(size);
      const places = await Promise.all(
        hosts.map((ofHost, index) => {
          const request = { system, nodes: ofHost.length, disk: disks && index === 0 };
          return ask(names[index], 'nodes-place', request);
        }),
      );
      checkAlike(names, places);
      const placed = hosts.flatMap((ofHost, index) =>
        ofHost.map((id, place) => ({ id, host: places[index].address, port: places[index].ports[place], index })),
      );
      const find = (/** @type {string} */ id) => placed[placed.findIndex((each) => each.id === id)];
      const password = newPassword();
      keepSecret(password);
      await Promise.all(
        names.map((name, own) => {
          const nodes = placed.map(({ index, ...node }) => ({ ...node, own: index === own }));
          const request = { system, nodes, password, disk: disk && own === 0 ? hosts[0][0] : null };
          return ask(name, 'nodes-start', request);
        }),
      );
      deployments++;
      return {
        deployed: {
          identity: `${run} ${deployments}`,
          can: disks && places[0].whyNoDisk === null ? OF_DISKS : [],
          server: places[0].server,
          nodes: layout.nodesOf(size).map(({ id, kind }) => {
            const { host, port } = find(id);
            return { id, kind, address: { host, port }, announced: { host, port } };
          }),
          async rebuild(id) {
            await ask(names[find(id).index], 'nodes-rebuild', { node: id });
          },
        },
        credentials: layout.credentials(password),
      };
    },
  };
}

/** @param {readonly string[]} names @param {readonly {address: string, server: {name: string, version: string}}[]} places */
function checkAlike(names, places) {
  const text = (/** @type {{name: string, version: string}} */ { name, version }) => `${name} ${version}`;
  const other = places.findIndex(({ server }) => text(server) !== text(places[0].server));
  if (other > 0)
    throw refusal('servers-differ', {
      one: names[0],
      other: names[other],
      first: text(places[0].server),
      second: text(places[other].server),
    });
  const shared = places.findIndex(
    ({ address }, index) => places.findIndex((each) => each.address === address) !== index,
  );
  if (shared > 0) throw refusal('address-shared', { name: names[shared], address: places[shared].address });
}
