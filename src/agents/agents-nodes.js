/**
 * Deployments whose nodes agents start on their machines. Each trial of a run gets one of its own, as on a local stack.
 */
import { UserError } from '../errors.js';
import { hostsOf } from '../stacks/network/hosts.js';
import { kindOf, nodesOf } from '../stacks/redis/topology.js';
import { keepSecret } from '../untrusted.js';
import { PlaceReply } from './nodes-protocol.js';
import { Nothing } from './protocol.js';
import { newPassword } from './records.js';

/**
 * @import { Placement } from '../stacks/network/hosts.js'
 * @import { Size } from '../stacks/redis/topology.js'
 * @import { Ability, StackOptions } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 *
 * @typedef {Size & {placement?: Placement, disk?: boolean, disks?: boolean}} Wish placement: default “apart”: a partition may leave the last node with a
 *   majority of the Sentinels; disk: the first primary has one whose power can be cut; disks: asks whether there can be one
 *
 * @typedef {Object} AgentsNodes
 * @property {(size: Size) => string[]} machines names of the agents that a deployment of this size runs on: first that of the first primary
 * @property {(size: Size) => string | null} whyNot why there cannot be a deployment of this size, and the remedy; null: there can
 * @property {(wish: Wish) => Promise<Required<Pick<StackOptions, 'deployed' | 'credentials'>>>} start ends the last deployment with all its faults, and
 *   starts another. Resolves when every node answers; it may take a while until the Sentinels know all of them
 */

/** @type {readonly Ability[]} */
const OF_DISKS = ['power-loss', 'fill'];

const STOP_MS = 60_000;
const PLACE_MS = 30_000;
const START_MS = 60_000;

/**
 * @param {Controller} controller its agents allow nodes
 * @returns {AgentsNodes}
 */
export function openAgentsNodes({ run, agents, ask }) {
  let deployments = 0;

  // Writers go to the first agents, so these have machines of their own if there are enough.
  const machines = (/** @type {Size} */ size) =>
    agents.slice(-nodesOf(size).filter(({ kind }) => kind === 'redis').length).map(({ name }) => name);

  /** @param {Size} size */
  function whyNot(size) {
    const needed = nodesOf(size).filter(({ kind }) => kind === 'redis').length;
    if (agents.length >= needed) return null;
    return `Each of its ${needed} Redis nodes needs an agent with --allow nodes, and there are ${agents.length}; start more agents.`;
  }

  return {
    machines,
    whyNot,
    async start({ placement = 'apart', disk = false, disks = disk, ...size }) {
      const why = whyNot(size);
      if (why !== null) throw new UserError(why, 'Start more agents, or use fewer --replicas.');
      await Promise.all(agents.map(({ name }) => ask(name, 'nodes-stop', {}, Nothing, STOP_MS)));
      const ids = (/** @type {string} */ kind) => nodesOf(size).flatMap((node) => (node.kind === kind ? node.id : []));
      const [primary, ...replicas] = ids('redis');
      const hosts = hostsOf(placement, { primary, replicas, sentinels: ids('sentinel') });
      const names = machines(size);
      const places = await Promise.all(
        hosts.map((ofHost, index) =>
          ask(names[index], 'nodes-place', { nodes: ofHost.length, disk: disks && index === 0 }, PlaceReply, PLACE_MS),
        ),
      );
      checkAlike(names, places);
      const placed = hosts.flatMap((ofHost, index) =>
        ofHost.map((id, place) => ({ id, host: places[index].address, port: places[index].ports[place], index })),
      );
      const password = newPassword();
      keepSecret(password);
      await Promise.all(
        names.map((name, own) => {
          const nodes = placed.map(({ index, ...node }) => ({ ...node, own: index === own }));
          const request = { nodes, password, disk: disk && own === 0 ? primary : null };
          return ask(name, 'nodes-start', request, Nothing, START_MS);
        }),
      );
      deployments++;
      return {
        deployed: {
          identity: `${run} ${deployments}`,
          can: disks && places[0].whyNoDisk === null ? OF_DISKS : [],
          nodes: nodesOf(size).map(({ id }) => {
            const { host, port } = placed[placed.findIndex((each) => each.id === id)];
            return { id, kind: kindOf(id), address: { host, port }, announced: { host, port } };
          }),
        },
        credentials: { password },
      };
    },
  };
}

/**
 * @param {readonly string[]} names
 * @param {readonly {address: string, server: {name: string, version: string}}[]} places
 */
function checkAlike(names, places) {
  const text = (/** @type {{name: string, version: string}} */ { name, version }) => `${name} ${version}`;
  const other = places.findIndex(({ server }) => text(server) !== text(places[0].server));
  if (other > 0)
    throw new UserError(
      `The agents ${names[0]} and ${names[other]} have different servers: ${text(places[0].server)} and ${text(places[other].server)}.`,
      'Install the same version on all machines.',
    );
  const shared = places.findIndex(
    ({ address }, index) => places.findIndex((each) => each.address === address) !== index,
  );
  if (shared > 0)
    throw new UserError(
      `The agent ${names[shared]} has the address of another, ${places[shared].address}.`,
      'Each node needs a machine of its own.',
    );
}
