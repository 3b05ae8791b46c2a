/**
 * Faults of an existing deployment, injected by agents that run beside its nodes.
 */
import { lookup } from 'node:dns/promises';
import { UserError } from '../errors.js';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { formatAddress } from '../stacks/address.js';
import { blocksOf, NETWORK_ABILITIES } from '../stacks/network/network.js';
import { ownAddresses } from '../stacks/redis/machine/servers.js';
import { lanesFor } from './agents-links.js';
import { waitForAgents } from './agents-load.js';
import { FindReply, SERVER_ACTIONS, UNDONE_BY } from './faults-protocol.js';
import { Nothing } from './protocol.js';

/**
 * @import { Block } from '../stacks/network/firewall.js'
 * @import { Partition } from '../stacks/network/network.js'
 * @import { Ability, Action, Address, LinkShape, NodeInfo, OpenFaults } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @import { Cut } from './faults-protocol.js'
 *
 * @typedef {NodeInfo & {agent: string, at: Address, whyNoStart: string | null, alone: boolean}} Served a node and the agent beside it; at: its IPv4 address;
 *   alone: what it sends can be told from what others on its machine send
 */

/** A stopped primary waits for its replicas, and a server reads its data when it starts. */
const ACT_MS = 60_000;
const FIND_MS = 15_000;

/** @type {readonly Ability[]} */
const NEED_START = ['kill', 'stop', 'lose'];
/** @type {readonly Ability[]} */
const NEED_RULES = ['lose', 'partition', 'isolate', ...NETWORK_ABILITIES, 'sentinel-partition'];
/** @type {readonly Ability[]} */
const POSSIBLE = [
  ...DISTURBING_ACTIONS.filter((action) => action !== 'fill'),
  ...NETWORK_ABILITIES,
  'narrow-link',
  'slow-link',
  'sentinel-partition',
];

/**
 * @param {Controller} controller its agents allow faults
 * @returns {(...args: [...Parameters<OpenFaults>, onFound?: (served: readonly Served[]) => void]) => ReturnType<OpenFaults>} onFound: told which agent
 *   is beside which node
 */
export function openAgentsFaults(controller) {
  const { ask, lost } = controller;

  /** @param {string} agent @param {'faults-act' | 'faults-cut' | 'faults-slow'} operation @param {object} body */
  async function insist(agent, operation, body) {
    try {
      await ask(agent, operation, body, Nothing, ACT_MS);
    } catch {
      // An agent that was away has undone its faults, or its recovery did. Doing it again does no harm.
      await waitForAgents(controller, new AbortController().signal);
      await ask(agent, operation, body, Nothing, ACT_MS);
    }
  }

  return async function open(nodes, tell, onFound) {
    const { served, whyNot } = await findAll(controller, nodes);
    onFound?.(served);
    const names = [...new Set(served.map(({ agent }) => agent))];
    const ofAgent = (/** @type {string} */ name) => served.filter(({ agent }) => agent === name).map(({ id }) => id);
    tell(`Faults by agents: ${names.map((name) => `${name} (${ofAgent(name).join(', ')})`).join(', ')}`);
    for (const line of whyNot.told) tell(line);
    const abilities = POSSIBLE.filter(
      (ability) =>
        !(whyNot.start && NEED_START.includes(ability)) &&
        !(whyNot.rules && NEED_RULES.includes(ability)) &&
        !whyNot.links.includes(ability) &&
        !(ability === 'sentinel-partition' && served.some(({ kind, alone }) => kind === 'sentinel' && !alone)),
    );
    const addressesOf = (/** @type {string} */ id) => [find(id).at.host];
    /** Clients on other machines. @type {Map<string, readonly string[]>} */
    const clients = new Map();
    /** @type {Partition | null} */
    let partition = null;
    /** Nodes that are separated from their peers; true: from everybody. @type {Map<string, boolean>} */
    const separated = new Map();
    /** What each agent drops now, as JSON. @type {Map<string, string>} */
    const inForce = new Map();
    /** @type {LinkShape | null} */
    let allSlowed = null;
    /** @type {Map<string, {shape: LinkShape, dials: boolean}>} */
    const slowed = new Map();
    /** What each agent slows now, as JSON. @type {Map<string, string>} */
    const slowedBy = new Map();
    /** @type {Map<string, Action>} nodes that do not run, and what is due */
    const due = new Map();
    /** Nodes that were lost with the machine of this one. @type {Map<string, readonly string[]>} */
    const lostWith = new Map();

    /** @param {string} id */
    function find(id) {
      const node = served.find((each) => each.id === id);
      if (!node) throw new RangeError(`no node is called ${id}`);
      return node;
    }

    /** @returns {Map<string, Cut[]>} by agent */
    function wanted() {
      /** @type {Map<string, Cut[]>} */
      const cuts = new Map(names.map((name) => [name, []]));
      /** @type {Block[]} */
      const blocks = [];
      for (const [id, fromEverybody] of separated) {
        const { agent, at } = find(id);
        const others = [...new Set(served.map((node) => node.at.host))].filter((host) => host !== at.host);
        if (others.length > 0) blocks.push({ from: [at.host], to: others }, { from: others, to: [at.host] });
        if (fromEverybody) cuts.get(agent)?.push({ around: at });
      }
      const within = partition && abilities.includes('sentinel-partition') ? cutsOfSentinels(partition, served) : null;
      for (const [agent, cut] of within ?? []) cuts.get(agent)?.push(cut);
      if (partition && !within) blocks.push(...blocksOf(partition, (id) => clients.get(id) ?? addressesOf(id)));
      for (const [agent, block] of blocks.flatMap((each) => byAgent(each, served))) cuts.get(agent)?.push(block);
      return cuts;
    }

    /** @param {typeof insist} send */
    const apply = (send) => bring(wanted(), inForce, (agent, blocks) => send(agent, 'faults-cut', { blocks }));

    /** @param {typeof insist} send */
    const applyLinks = (send) =>
      bring(lanesFor(served, { all: allSlowed, nodes: slowed }), slowedBy, (agent, lanes) =>
        send(agent, 'faults-slow', { lanes }),
      );

    /** @param {LinkShape | null} shape @param {string} [id] @param {boolean} [dials] */
    async function slow(shape, id, dials = true) {
      if (id === undefined) allSlowed = shape;
      else if (shape) slowed.set(find(id).id, { shape, dials });
      else slowed.delete(id);
      await applyLinks(shape ? once : insist);
    }

    /** @type {typeof insist} */
    const once = async (agent, operation, body) => {
      await ask(agent, operation, body, Nothing, ACT_MS);
    };

    /**
     * A machine is lost with all its nodes: the Sentinel beside the primary, too.
     *
     * @param {string} id
     * @param {'lose' | 'start'} action
     */
    async function actOnMachine(id, action) {
      const { agent } = find(id);
      const beside = served.filter((node) => node.agent === agent && node.id !== id && node.whyNoStart === null);
      const ids = [id, ...(action === 'lose' ? beside.map((node) => node.id) : (lostWith.get(id) ?? []))];
      if (action === 'lose') lostWith.set(id, ids.slice(1));
      await Promise.all(ids.map((each) => actOnNode(each, action)));
      if (action === 'start') lostWith.delete(id);
    }

    /** @param {string} id @param {Action} action */
    async function act(id, action) {
      if (action === 'partition' || action === 'isolate') {
        separated.set(id, action === 'isolate');
        return apply(once);
      }
      if (action === 'join') {
        separated.delete(id);
        return apply(insist);
      }
      if (action === 'lose' || action === 'start') return actOnMachine(id, action);
      return actOnNode(id, action);
    }

    /** @param {string} id @param {Action} action */
    async function actOnNode(id, action) {
      if (!SERVER_ACTIONS.some((each) => each === action)) throw new RangeError(`agents cannot ${action}`);
      const { agent, at } = find(id);
      const undoing = UNDONE_BY[action];
      if (undoing) due.set(id, undoing);
      await (undoing ? once : insist)(agent, 'faults-act', { node: at, action });
      if (!undoing) due.delete(id);
    }

    async function join() {
      partition = null;
      await apply(insist);
    }

    return {
      abilities,
      act,
      slow,
      lost: () => lost(names),
      ...(abilities.includes('group-partition') && {
        network: {
          by: 'nftables rules of agents beside the nodes',
          clientAddress: () => undefined,
          adopt: (client, addresses) => void clients.set(client, addresses),
          admit: async () => {},
          async divide(wish) {
            const groups = wish.groups.map((group) =>
              group.filter((id) => clients.has(id) || served.some((node) => node.id === id)),
            );
            const divided = { ...wish, groups };
            if (!abilities.includes('sentinel-partition') || !cutsOfSentinels(divided, served))
              checkApart(groups, (id) => clients.get(id) ?? addressesOf(id), clients);
            partition = divided;
            await apply(once);
          },
          join,
        },
      }),
      async undo() {
        separated.clear();
        await join();
        slowed.clear();
        await slow(null);
        for (const [id, action] of due) await act(id, action);
      },
    };
  };
}

/**
 * Tells the agents for which something changes.
 *
 * @template T
 * @param {ReadonlyMap<string, T[]>} wanted by agent
 * @param {Map<string, string>} inForce what each of them was told, as JSON
 * @param {(agent: string, wanted: T[]) => Promise<void>} send
 */
async function bring(wanted, inForce, send) {
  const changed = [...wanted].filter(([agent, list]) => (inForce.get(agent) ?? '[]') !== JSON.stringify(list));
  await Promise.all(
    changed.map(async ([agent, list]) => {
      // Also if it fails: it may have had some effect.
      inForce.set(agent, '?');
      await send(agent, list);
      inForce.set(agent, JSON.stringify(list));
    }),
  );
}

/**
 * @param {Controller} controller
 * @param {readonly NodeInfo[]} nodes
 */
async function findAll({ agents, ask }, nodes) {
  const located = await Promise.all(nodes.map(async (node) => ({ ...node, at: await addressOf(node) })));
  const request = { nodes: located.map(({ at }) => at) };
  const replies = await Promise.all(
    agents.map(async ({ name }) => ({ name, ...(await ask(name, 'faults-find', request, FindReply, FIND_MS)) })),
  );
  /** @type {Served[]} */
  const served = located.map((node) => {
    const beside = replies.flatMap(({ name, nodes: found }) =>
      found
        .filter(({ host, port }) => host === node.at.host && port === node.at.port)
        .map((each) => ({ name, ...each })),
    );
    const where = `${node.id} at ${formatAddress(node.at)}`;
    if (beside.length === 0)
      throw new UserError(
        `No agent with --allow faults runs beside ${where}.`,
        'Start one on that machine, and name it with --agents.',
      );
    if (beside.length > 1)
      throw new UserError(
        `Several agents run beside ${where}: ${beside.map(({ name }) => name).join(', ')}.`,
        'Name one of them with --agents.',
      );
    return { ...node, agent: beside[0].name, whyNoStart: beside[0].whyNoStart, alone: beside[0].alone };
  });
  const unstartable = served.filter(({ whyNoStart }) => whyNoStart !== null);
  const noRules = replies.filter(({ name, whyNoRules }) => whyNoRules && served.some(({ agent }) => agent === name));
  const hosts = new Set(served.map(({ at }) => at.host));
  const own = ownAddresses().find((address) => hosts.has(address));
  const ofNodes = replies.filter(({ name }) => served.some(({ agent }) => agent === name));
  const noNarrow = ofNodes.filter(({ whyNotNarrow }) => whyNotNarrow !== null);
  const noSlow = ofNodes.filter(({ whyNotSlow }) => whyNotSlow !== null);
  const noLinks = own !== undefined || hosts.size === 1;
  return {
    served,
    whyNot: {
      start: unstartable.some(({ kind }) => kind !== 'sentinel'),
      rules: noRules.length > 0 || own !== undefined || hosts.size === 1,
      links: [
        ...(noLinks || noNarrow.length > 0 ? ['narrow-link'] : []),
        ...(noLinks || noSlow.length > 0 ? ['slow-link'] : []),
      ],
      told: [
        ...unstartable.map(
          ({ id, agent, whyNoStart, at }) =>
            `The agent ${agent} cannot kill ${id}, because ${whyNoStart}; give it --start '${at.port}=COMMAND'.`,
        ),
        ...noRules.map(({ name, whyNoRules }) => `The agent ${name} cannot drop packets: ${whyNoRules}.`),
        ...noNarrow.map(({ name, whyNotNarrow }) => `The agent ${name} cannot narrow links: ${whyNotNarrow}.`),
        ...noSlow
          .filter(({ whyNotNarrow }) => whyNotNarrow === null)
          .map(({ name, whyNotSlow }) => `The agent ${name} cannot delay packets: ${whyNotSlow}.`),
        ...(own === undefined ? [] : [`This process runs beside a node (${own}), so no network can be partitioned.`]),
      ],
    },
  };
}

/** @param {NodeInfo} node @returns {Promise<Address>} as its peers reach it, and by IPv4 */
async function addressOf({ id, announced: { host, port } }) {
  try {
    return { host: (await lookup(host, { family: 4 })).address, port };
  } catch (error) {
    throw new UserError(`Agents know nodes by IPv4 addresses, and ${id} has none (${host}).`, 'Leave out --agents.', {
      cause: error,
    });
  }
}

/**
 * Sentinels separated from servers, whatever the machines: what such a Sentinel sends is dropped where it runs, so it gets no answer. Servers do
 * not connect to Sentinels.
 *
 * @param {Partition} partition
 * @param {readonly Served[]} served
 * @returns {[string, Cut][] | null} by agent; null: it separates others, too
 */
function cutsOfSentinels({ groups, oneWay }, served) {
  const sides = groups.map((group) => group.map((id) => served.find((node) => node.id === id)));
  const ofKind = (/** @type {string} */ kind) => sides.find((side) => side.every((node) => node?.kind === kind)) ?? [];
  const [servers, sentinels] = [ofKind('redis'), ofKind('sentinel')];
  if (oneWay || sides.length !== 2 || servers.length === 0 || sentinels.length === 0) return null;
  return sentinels.flatMap((sentinel) =>
    servers.flatMap((server) =>
      sentinel && server
        ? [/** @type {[string, Cut]} */ ([sentinel.agent, { sentBy: sentinel.at, to: server.at }])]
        : [],
    ),
  );
}

/**
 * Packets are dropped where they arrive, if an agent is there, else where they begin.
 *
 * @param {Block} block
 * @param {readonly Served[]} served
 * @returns {[string, Cut][]} its parts by agent
 */
function byAgent({ from, to }, served) {
  const agentAt = (/** @type {string} */ host) => served.find(({ at }) => at.host === host)?.agent;
  /** @type {[string, Cut][]} */
  const parts = [];
  for (const host of to) {
    const agent = agentAt(host);
    if (agent) parts.push([agent, { from: [...from], to: [host] }]);
    else for (const [sender, hosts] of senders(from, agentAt)) parts.push([sender, { from: hosts, to: [host] }]);
  }
  return parts;
}

/**
 * @param {readonly string[]} from
 * @param {(host: string) => string | undefined} agentAt
 * @returns {Map<string, string[]>} addresses by the agent that has them
 */
function senders(from, agentAt) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const host of from) {
    const agent = agentAt(host);
    if (agent) found.set(agent, [...(found.get(agent) ?? []), host]);
  }
  return found;
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
  if (shared !== undefined)
    throw new UserError(
      `The partition separates what has one address, ${shared}.`,
      'Run the writers on agents of machines without nodes, and each node on a machine of its own.',
    );
  const inside = new Set(groups.flat());
  for (const [client, addresses] of clients) {
    const host = addresses.find((each) => sides.some((side) => side.has(each)));
    if (!inside.has(client) && host !== undefined)
      throw new UserError(
        `The client ${client} is to reach every node, and has the address of one, ${host}.`,
        'Run it on an agent of a machine without nodes.',
      );
  }
}
