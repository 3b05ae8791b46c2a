/** Which agent runs beside which node of a deployment, and what these agents can do there. */
import { lookup } from 'node:dns/promises';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { formatAddress, sameAddress } from '../stacks/address.js';
import { NETWORK_ABILITIES } from '../stacks/network/network.js';
import { ownAddresses } from '../stacks/redis/machine/servers.js';
import { refusal } from './refusals.js';

/**
 * @import { Ability, Address, NodeInfo } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @import { FoundNodes } from './host-protocol.js'
 *
 * @typedef {NodeInfo & {agent: string, at: Address, whyNoStart: string | null, alone: boolean}} NodeWithAgent a node and the agent beside it; at: its IPv4 address;
 *   alone: what it sends can be told from what others on its machine send
 */

/** @type {readonly Ability[]} */
const POSSIBLE = [
  ...DISTURBING_ACTIONS.filter((action) => action !== 'fill'),
  ...NETWORK_ABILITIES,
  'narrow-link',
  'slow-link',
  'sentinel-partition',
];
/** @type {readonly Ability[]} */
const NEED_START = ['kill', 'stop', 'lose'];
/**
 * What an agent may be unable to do, and the abilities that need it.
 * @type {readonly {what: keyof FoundNodes['whyNot'], does: string, need: readonly Ability[]}[]}
 */
const NEEDED = [
  {
    what: 'drop',
    does: 'drop packets',
    need: ['lose', 'partition', 'isolate', ...NETWORK_ABILITIES, 'sentinel-partition'],
  },
  { what: 'narrow', does: 'narrow links', need: ['narrow-link', 'slow-link'] },
  { what: 'delay', does: 'delay packets', need: ['slow-link'] },
];

/**
 * @param {Pick<Controller, 'agents' | 'ask'>} controller @param {readonly NodeInfo[]} nodes
 * @returns {Promise<{served: NodeWithAgent[], abilities: Ability[], told: string[]}>} told: what the agents cannot do, and why
 * @throws {UserError} a node has no agent beside it, or several
 */
export async function findServed({ agents, ask }, nodes) {
  const located = await Promise.all(nodes.map(async (node) => ({ ...node, at: await addressOf(node) })));
  const request = { nodes: located.map(({ at }) => at) };
  const replies = await Promise.all(
    agents.map(async ({ name }) => ({ name, ...(await ask(name, 'faults-find', request)) })),
  );
  const served = located.map((node) => ({ ...node, ...besideOf(node, replies) }));
  const beside = replies.filter(({ name }) => served.some(({ agent }) => agent === name));
  const unstartable = served.filter(({ whyNoStart }) => whyNoStart !== null);
  const hosts = new Set(served.map(({ at }) => at.host));
  const own = ownAddresses().find((address) => hosts.has(address));
  const noNetwork = own !== undefined || hosts.size === 1;
  const cannot = new Set([
    ...(unstartable.some(({ kind }) => kind !== 'sentinel') ? NEED_START : []),
    ...NEEDED.flatMap(({ what, need }) =>
      noNetwork || beside.some(({ whyNot }) => whyNot[what] !== null) ? need : [],
    ),
    ...(served.some(({ kind, alone }) => kind === 'sentinel' && !alone) ? ['sentinel-partition'] : []),
  ]);
  const told = [
    ...unstartable.map(
      ({ id, agent, whyNoStart, at }) =>
        `The agent ${agent} cannot kill ${id}, because ${whyNoStart}; give it --start '${at.port}=COMMAND'.`,
    ),
    ...beside.flatMap(({ name, whyNot }) =>
      NEEDED.filter(({ what }) => whyNot[what] !== null).map(
        ({ what, does }) => `The agent ${name} cannot ${does}: ${whyNot[what]}.`,
      ),
    ),
    ...(own === undefined ? [] : [`This process runs beside a node (${own}), so no network can be partitioned.`]),
  ];
  return { served, abilities: POSSIBLE.filter((ability) => !cannot.has(ability)), told };
}

/** @param {{id: string, at: Address}} node @param {readonly {name: string, nodes: FoundNodes['nodes']}[]} replies */
function besideOf({ id, at }, replies) {
  const beside = replies.flatMap(({ name, nodes }) =>
    nodes.filter((found) => sameAddress(found, at)).map((found) => ({ name, ...found })),
  );
  const where = `${id} at ${formatAddress(at)}`;
  if (beside.length === 0) throw refusal('none-beside', { where });
  if (beside.length > 1) throw refusal('several-beside', { where, names: beside.map(({ name }) => name).join(', ') });
  const [{ name: agent, whyNoStart, alone }] = beside;
  return { agent, whyNoStart, alone };
}

/** @param {NodeInfo} node @returns {Promise<Address>} as its peers reach it, and by IPv4 */
async function addressOf({ id, announced: { host, port } }) {
  try {
    return { host: (await lookup(host, { family: 4 })).address, port };
  } catch (error) {
    throw refusal('no-ipv4', { id, host }, { cause: error });
  }
}
