/** The network between the machines of agents: which packets each of them is to drop, and which to keep waiting. */
import { nodeOf } from '../stacks/ask.js';
import { blocksOf } from '../stacks/network/network.js';
import { combine } from '../stacks/network/relay/relay-line.js';
import { allEnded } from '../wait.js';
import { refusal } from './refusals.js';

/**
 * @import { Network, Partition } from '../stacks/network/network.js'
 * @import { LinkShape, StackNetwork } from '../stacks/types.js'
 * @import { ServedHost, ServedNode } from './host-client.js'
 * @import { Cut, SlowedLane } from './host-protocol.js'
 * @typedef {Object} Slowed links of connections with a server at either end, between machines
 * @property {LinkShape | null} all of every link
 * @property {Map<string, {shape: LinkShape, dials: boolean}>} nodes on top of that, for the links of these nodes. dials: the node itself
 *   connects to others, as a replica does; what else its machine sends to the servers of others is slowed along with it
 */

/** Whose cuts are those of groups; the others are of nodes. */
const GROUPS = 'groups';

/** @param {readonly ServedHost[]} hosts @param {{ofSentinels: boolean}} options ofSentinels: they can be separated from servers, whatever their machines */
export function openAgentsNetwork(hosts, { ofSentinels }) {
  const nodes = hosts.flatMap((host) => host.nodes);
  const machines = new Set(nodes.map(({ at }) => at.host));
  /** Clients on other machines. @type {Map<string, readonly string[]>} */
  const clients = new Map();
  const addressesOf = (/** @type {string} */ id) => clients.get(id) ?? [nodeOf({ nodes }, id).at.host];
  /** By owner. @type {Map<string, readonly Cut[]>} */
  const cuts = new Map();
  /** @type {Slowed} */
  const slowed = { all: null, nodes: new Map() };

  /** @param {string} owner @param {readonly Cut[]} own */
  async function cut(owner, own) {
    cuts.set(owner, own);
    const all = [...cuts.values()].flat();
    await allEnded(hosts.map((host) => host.cut(all, machines)));
  }

  /** @type {Network} */
  const network = {
    by: 'nftables rules of agents beside the nodes',
    clientAddress: () => undefined,
    adopt: (client, addresses) => void clients.set(client, addresses),
    admit: async () => {},
    async divide(wish) {
      const isKnown = (/** @type {string} */ id) => clients.has(id) || nodes.some((node) => node.id === id);
      const divided = { ...wish, groups: wish.groups.map((group) => group.filter(isKnown)) };
      const within = ofSentinels ? cutsOfSentinels(divided, nodes) : null;
      if (!within) checkApart(divided.groups, addressesOf, clients);
      await cut(GROUPS, within ?? blocksOf(divided, addressesOf));
    },
    join: () => cut(GROUPS, []),
  };
  return {
    network,
    /** @param {string} id @param {'peers' | 'everybody'} from */
    async separate(id, from) {
      const { at } = nodeOf({ nodes }, id);
      const [own, others] = [[at.host], [...machines].filter((host) => host !== at.host)];
      const around = from === 'everybody' ? [{ around: at }] : [];
      await cut(id, [...around, { from: own, to: others }, { from: others, to: own }]);
    },
    /** Undoes `separate`; idempotent. @param {string} id */
    join: (id) => cut(id, []),
    /** @type {(...args: [...Parameters<StackNetwork['slow']>, dials?: boolean]) => Promise<void>} */
    async slow(shape, id, dials = true) {
      if (id === undefined) slowed.all = shape;
      else if (shape) slowed.nodes.set(nodeOf({ nodes }, id).id, { shape, dials });
      else slowed.nodes.delete(id);
      const lanes = lanesFor(nodes, slowed);
      await allEnded(hosts.map((host) => host.slow(lanes)));
    },
    /** The agents have undone all of it. */
    forget() {
      cuts.clear();
      slowed.all = null;
      slowed.nodes.clear();
    },
  };
}

/**
 * What a Sentinel sends to a server is dropped where it runs, so it gets no answer. Servers do not connect to Sentinels.
 * @param {Partition} partition @param {readonly ServedNode[]} served @returns {Cut[] | null} null: it separates others, too
 */
function cutsOfSentinels({ groups, oneWay }, served) {
  const sides = groups.map((group) => served.filter(({ id }) => group.includes(id)));
  const whole = sides.every((side, index) => side.length === groups[index].length);
  const ofKind = (/** @type {string} */ kind) => sides.find((side) => side.every((node) => node.kind === kind)) ?? [];
  const [servers, sentinels] = [ofKind('redis'), ofKind('sentinel')];
  if (oneWay || !whole || sides.length !== 2 || servers.length === 0 || sentinels.length === 0) return null;
  return sentinels.flatMap(({ at: sentBy }) => servers.map(({ at: to }) => ({ sentBy, to })));
}

/**
 * @param {readonly (readonly string[])[]} groups @param {(id: string) => readonly string[]} addressesOf
 * @param {ReadonlyMap<string, readonly string[]>} clients @throws {UserError} what is to be separated has one address
 */
function checkApart(groups, addressesOf, clients) {
  const sides = groups.map((group) => new Set(group.flatMap(addressesOf)));
  const shared = [...sides[0]].find((host) => sides.slice(1).some((side) => side.has(host)));
  if (shared !== undefined) throw refusal('one-address', { shared });
  const inside = new Set(groups.flat());
  for (const [client, addresses] of clients) {
    const host = addresses.find((each) => sides.some((side) => side.has(each)));
    if (!inside.has(client) && host !== undefined) throw refusal('client-beside-node', { client, host });
  }
}

/** @param {readonly Pick<ServedNode, 'id' | 'at'>[]} served @param {Slowed} slowed @returns {SlowedLane[]} nodes of one machine have no link */
export function lanesFor(served, { all, nodes }) {
  const machines = [...new Set(served.map(({ at }) => at.host))];
  return served.flatMap(({ id, at: { host, port } }) =>
    machines.flatMap((peer) => {
      const dialing = served.flatMap((node) => {
        const own = nodes.get(node.id);
        return node.at.host === peer && own?.dials ? own.shape : [];
      });
      const shapes = [all ?? [], nodes.get(id)?.shape ?? [], dialing].flat();
      if (peer === host || shapes.length === 0) return [];
      const { latencyMs, jitterMs, bytesPerSecond } = combine(shapes);
      const shape = {
        delayMs: latencyMs / 2,
        jitterMs,
        ...(bytesPerSecond < Number.POSITIVE_INFINITY && { bytesPerSecond: Math.max(1, Math.round(bytesPerSecond)) }),
      };
      return [
        { from: host, to: peer, fromPort: port, ...shape },
        { from: peer, to: host, toPort: port, ...shape },
      ];
    }),
  );
}
