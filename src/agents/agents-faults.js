/** Faults of nodes beside which agents run: those of nodes are asked of the host there, and the network is that between all these hosts. */
import { lookup } from 'node:dns/promises';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { formatAddress, sameAddress } from '../stacks/address.js';
import { nodeOf } from '../stacks/ask.js';
import { NETWORK_ABILITIES } from '../stacks/network/network.js';
import { ownAddresses } from '../stacks/redis/machine/servers.js';
import { allEnded } from '../wait.js';
import { openAgentsNetwork } from './agents-network.js';
import { openHost } from './host-client.js';
import { refusal } from './refusals.js';

/**
 * @import { Ability, Address, NodeInfo, OpenFaults } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @import { ServedHost } from './host-client.js'
 * @import { FoundNodes } from './host-protocol.js'
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
/** What an agent may be unable to do, and the abilities that need it. @type {[keyof FoundNodes['whyNot'], string, Ability[]][]} */
const NEEDED = [
  ['drop', 'drop packets', ['lose', 'partition', 'isolate', ...NETWORK_ABILITIES, 'sentinel-partition']],
  ['narrow', 'narrow links', ['narrow-link', 'slow-link']],
  ['delay', 'delay packets', ['slow-link']],
];

/**
 * @param {Controller} controller its agents allow faults
 * @returns {{open: OpenFaults, nodesBeside: (agent: string) => string[]}} nodesBeside: ids, of the deployment that was opened first
 */
export function openAgentsFaults(controller) {
  let first = /** @type {readonly ServedHost[]} */ ([]);
  const idsOn = (/** @type {ServedHost} */ { nodes }) => nodes.map(({ id }) => id);

  /** @type {OpenFaults} */
  async function open(nodes, tell) {
    const { hosts, abilities, told } = await findHosts(controller, nodes);
    if (first.length === 0) first = hosts;
    tell(`Faults by agents: ${hosts.map((host) => `${host.name} (${idsOn(host).join(', ')})`).join(', ')}`);
    for (const line of told) tell(line);
    const between = openAgentsNetwork(hosts, { ofSentinels: abilities.includes('sentinel-partition') });

    return {
      abilities,
      async act(id, action) {
        if (action === 'partition') return between.separate(id, 'peers');
        if (action === 'isolate') return between.separate(id, 'everybody');
        if (action === 'join') return between.join(id);
        await hosts.find((host) => idsOn(host).includes(nodeOf({ nodes }, id).id))?.act(id, action);
      },
      slow: between.slow,
      lost: () => controller.lost(hosts.map(({ name }) => name)),
      ...(abilities.includes('group-partition') && { network: between.network }),
      async undo() {
        between.forget();
        await allEnded(hosts.map((host) => host.undo()));
      },
    };
  }

  return { open, nodesBeside: (agent) => first.filter(({ name }) => name === agent).flatMap(idsOn) };
}

/**
 * Which agent runs beside which node, and what these agents can do there.
 * @param {Controller} controller @param {readonly NodeInfo[]} nodes
 * @returns {Promise<{hosts: ServedHost[], abilities: Ability[], told: string[]}>} told: what the agents cannot do, and why
 * @throws {UserError} a node has no agent beside it, or several
 */
async function findHosts(controller, nodes) {
  const located = await Promise.all(nodes.map(async (node) => ({ ...node, at: await addressOf(node) })));
  const request = { nodes: located.map(({ at }) => at) };
  const replies = await Promise.all(
    controller.agents.map(async ({ name }) => ({ name, ...(await controller.ask(name, 'faults-find', request)) })),
  );
  const served = located.map((node) => ({ ...node, ...besideOf(node, replies) }));
  const beside = replies.filter(({ name }) => served.some(({ agent }) => agent === name));
  const unstartable = served.filter(({ whyNoStart }) => whyNoStart !== null);
  const machines = new Set(served.map(({ at }) => at.host));
  const own = ownAddresses().find((address) => machines.has(address));
  const noNetwork = own !== undefined || machines.size === 1;
  const lacking = beside.flatMap(({ name, whyNot }) =>
    NEEDED.flatMap(([what, does, need]) => (whyNot[what] === null ? [] : { name, why: whyNot[what], does, need })),
  );
  const cannot = new Set([
    ...(unstartable.some(({ kind }) => kind !== 'sentinel') ? NEED_START : []),
    ...(noNetwork ? NEEDED.flatMap(([, , need]) => need) : lacking.flatMap(({ need }) => need)),
    ...(served.some(({ kind, alone }) => kind === 'sentinel' && !alone) ? ['sentinel-partition'] : []),
  ]);
  return {
    hosts: [...new Set(served.map(({ agent }) => agent))].map((name) => {
      const onIt = served.filter(({ agent }) => agent === name);
      return openHost(controller, name, onIt);
    }),
    abilities: POSSIBLE.filter((ability) => !cannot.has(ability)),
    told: [
      ...unstartable.map(
        ({ id, agent, whyNoStart, at }) =>
          `The agent ${agent} cannot kill ${id}, because ${whyNoStart}; give it --start '${at.port}=COMMAND'.`,
      ),
      ...lacking.map(({ name, does, why }) => `The agent ${name} cannot ${does}: ${why}.`),
      ...(own === undefined ? [] : [`This process runs beside a node (${own}), so no network can be partitioned.`]),
    ],
  };
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
