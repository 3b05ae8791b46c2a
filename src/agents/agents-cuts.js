/** The network between the machines of agents: which packets each of them is to drop. */
import { blocksOf } from '../stacks/network/network.js';
import { allEnded } from '../wait.js';
import { refusal } from './refusals.js';

/**
 * @import { Network, Partition } from '../stacks/network/network.js'
 * @import { ServedHost } from './agents-faults.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { Cut } from './host-protocol.js'
 */

/** Whose cuts are those of groups; the others are of nodes. */
const GROUPS = 'groups';

/** @param {readonly ServedHost[]} hosts @param {{ofSentinels: boolean}} options ofSentinels: they can be separated from servers, whatever their machines */
export function openCuts(hosts, { ofSentinels }) {
  const served = hosts.flatMap(({ nodes }) => nodes);
  const machines = new Set(served.map(({ at }) => at.host));
  /** Clients on other machines. @type {Map<string, readonly string[]>} */
  const clients = new Map();
  const find = (/** @type {string} */ id) => /** @type {NodeWithAgent} */ (served.find((node) => node.id === id));
  const addressesOf = (/** @type {string} */ id) => clients.get(id) ?? [find(id).at.host];

  /** By owner. @type {Map<string, readonly Cut[]>} */
  const all = new Map();

  /** @param {string} owner @param {readonly Cut[]} own */
  async function set(owner, own) {
    all.set(owner, own);
    const cuts = [...all.values()].flat();
    await allEnded(
      hosts.map(({ client, addresses }) => client.cut(cuts.flatMap((cut) => partOf(cut, { addresses, machines })))),
    );
  }

  /** @type {Network} */
  const network = {
    by: 'nftables rules of agents beside the nodes',
    clientAddress: () => undefined,
    adopt: (client, addresses) => void clients.set(client, addresses),
    admit: async () => {},
    async divide(wish) {
      const isKnown = (/** @type {string} */ id) => clients.has(id) || find(id) !== undefined;
      const divided = { ...wish, groups: wish.groups.map((group) => group.filter(isKnown)) };
      const within = ofSentinels ? cutsOfSentinels(divided, served) : null;
      if (!within) checkApart(divided.groups, addressesOf, clients);
      await set(GROUPS, within ?? blocksOf(divided, addressesOf));
    },
    join: () => set(GROUPS, []),
  };
  return {
    network,
    /** @param {string} id @param {'peers' | 'everybody'} from */
    async separate(id, from) {
      const { at } = find(id);
      const [own, others] = [[at.host], [...machines].filter((host) => host !== at.host)];
      const around = from === 'everybody' ? [{ around: at }] : [];
      await set(id, [...around, { from: own, to: others }, { from: others, to: own }]);
    },
    /** Undoes `separate`; idempotent. @param {string} id */
    join: (id) => set(id, []),
    /** The agents have removed all their rules. */
    forget: () => all.clear(),
  };
}

/**
 * What a Sentinel sends to a server is dropped where it runs, so it gets no answer. Servers do not connect to Sentinels.
 * @param {Partition} partition @param {readonly NodeWithAgent[]} served
 * @returns {Cut[] | null} null: it separates others, too
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
 * What one machine has to drop of it. Packets are dropped where they arrive, if an agent is there, else where they begin.
 * @param {Cut} cut
 * @param {{addresses: ReadonlySet<string>, machines: ReadonlySet<string>}} of addresses: of this machine; machines: those of all agents
 * @returns {Cut[]}
 */
function partOf(cut, { addresses, machines }) {
  if ('around' in cut) return addresses.has(cut.around.host) ? [cut] : [];
  if ('sentBy' in cut) return addresses.has(cut.sentBy.host) ? [cut] : [];
  const arriving = { from: cut.from, to: cut.to.filter((host) => addresses.has(host)) };
  const leaving = {
    from: cut.from.filter((host) => addresses.has(host)),
    to: cut.to.filter((host) => !machines.has(host)),
  };
  return [arriving, leaving].filter(({ from, to }) => from.length > 0 && to.length > 0);
}

/**
 * @param {readonly (readonly string[])[]} groups @param {(id: string) => readonly string[]} addressesOf
 * @param {ReadonlyMap<string, readonly string[]>} clients
 * @throws {UserError} what is to be separated has one address
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
