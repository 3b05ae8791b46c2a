/** The network between the machines of agents: which packets each of them is to drop. */
import { openRules } from '../stacks/network/firewall.js';
import { blocksOf } from '../stacks/network/network.js';
import { refusal } from './refusals.js';

/**
 * @import { DropRule } from '../stacks/network/firewall.js'
 * @import { Network, Partition } from '../stacks/network/network.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { Cut } from './host-protocol.js'
 *
 * @typedef {[agent: string, cut: Cut]} CutOfAgent
 */

/** Whose cuts are those of groups; the others are of nodes. */
const GROUPS = 'groups';

/**
 * @param {readonly NodeWithAgent[]} served
 * @param {Object} options
 * @param {boolean} options.ofSentinels Sentinels can be separated from servers, whatever their machines
 * @param {(cuts: Map<string, Cut[]>, undoing: boolean) => Promise<void>} options.apply brings into force, by agent
 */
export function openCuts(served, { ofSentinels, apply }) {
  /** Clients on other machines. @type {Map<string, readonly string[]>} */
  const clients = new Map();
  const find = (/** @type {string} */ id) => /** @type {NodeWithAgent} */ (served.find((node) => node.id === id));
  const addressesOf = (/** @type {string} */ id) => clients.get(id) ?? [find(id).at.host];
  const byAgent = (/** @type {readonly DropRule[]} */ blocks) => blocks.flatMap((block) => partsOf(block, served));
  const rules = openRules((/** @type {readonly CutOfAgent[]} */ cuts, undoing) =>
    apply(
      new Map(served.map(({ agent }) => [agent, cuts.flatMap(([name, cut]) => (name === agent ? [cut] : []))])),
      undoing,
    ),
  );

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
      await rules.set(GROUPS, within ?? byAgent(blocksOf(divided, addressesOf)));
    },
    join: () => rules.set(GROUPS, []),
  };
  return {
    network,
    /** @param {string} id @param {'peers' | 'everybody'} from */
    async separate(id, from) {
      const { agent, at } = find(id);
      const own = [at.host];
      const others = [...new Set(served.map((node) => node.at.host))].filter((host) => host !== at.host);
      const between = [
        { from: own, to: others },
        { from: others, to: own },
      ];
      /** @type {CutOfAgent[]} */
      const around = from === 'everybody' ? [[agent, { around: at }]] : [];
      await rules.set(id, [...around, ...(others.length > 0 ? byAgent(between) : [])]);
    },
    /** Undoes `separate`; idempotent. @param {string} id */
    join: (id) => rules.set(id, []),
    /** Idempotent. */
    clear: rules.clear,
  };
}

/**
 * What a Sentinel sends to a server is dropped where it runs, so it gets no answer. Servers do not connect to Sentinels.
 * @param {Partition} partition @param {readonly NodeWithAgent[]} served
 * @returns {CutOfAgent[] | null} null: it separates others, too
 */
function cutsOfSentinels({ groups, oneWay }, served) {
  const sides = groups.map((group) => served.filter(({ id }) => group.includes(id)));
  const whole = sides.every((side, index) => side.length === groups[index].length);
  const ofKind = (/** @type {string} */ kind) => sides.find((side) => side.every((node) => node.kind === kind)) ?? [];
  const [servers, sentinels] = [ofKind('redis'), ofKind('sentinel')];
  if (oneWay || !whole || sides.length !== 2 || servers.length === 0 || sentinels.length === 0) return null;
  return sentinels.flatMap(({ agent, at }) =>
    servers.map((server) => /** @type {CutOfAgent} */ ([agent, { sentBy: at, to: server.at }])),
  );
}

/** Packets are dropped where they arrive, if an agent is there, else where they begin. @param {DropRule} block @param {readonly NodeWithAgent[]} served */
function partsOf({ from, to }, served) {
  const agentAt = (/** @type {string} */ host) => served.find(({ at }) => at.host === host)?.agent;
  /** @param {readonly string[]} senders @param {string} host @param {string | undefined} agent @returns {CutOfAgent[]} */
  const part = (senders, host, agent) => (agent ? [[agent, { from: [...senders], to: [host] }]] : []);
  return to.flatMap((host) =>
    agentAt(host) ? part(from, host, agentAt(host)) : from.flatMap((sender) => part([sender], host, agentAt(sender))),
  );
}

/**
 * @param {readonly (readonly string[])[]} groups
 * @param {(id: string) => readonly string[]} addressesOf
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
