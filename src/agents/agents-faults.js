/** Faults of nodes beside which agents run: those of nodes are asked of the host there, and the network is that between all these hosts. */
import { nodeOf } from '../stacks/ask.js';
import { allEnded } from '../wait.js';
import { openCuts } from './agents-cuts.js';
import { findServed } from './agents-found.js';
import { openLanes } from './agents-links.js';
import { openHost } from './host-client.js';

/**
 * @import { OpenFaults } from '../stacks/types.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { Controller } from './controller.js'
 * @import { HostClient } from './host-client.js'
 *
 * @typedef {Object} ServedHost
 * @property {string} name of its agent
 * @property {NodeWithAgent[]} nodes on it
 * @property {ReadonlySet<string>} addresses of these nodes
 * @property {HostClient} client
 */

/**
 * @param {Controller} controller its agents allow faults
 * @returns {{open: OpenFaults, nodesBeside: (agent: string) => string[]}} nodesBeside: ids, of the deployment that was opened first
 */
export function openAgentsFaults(controller) {
  /** @type {ServedHost[]} */
  let first = [];

  /** @type {OpenFaults} */
  async function open(nodes, tell) {
    const { served, abilities, told } = await findServed(controller, nodes);
    const hosts = hostsOf(controller, served);
    if (first.length === 0) first = hosts;
    tell(
      `Faults by agents: ${hosts.map((host) => `${host.name} (${host.nodes.map(({ id }) => id).join(', ')})`).join(', ')}`,
    );
    for (const line of told) tell(line);
    const cuts = openCuts(hosts, { ofSentinels: abilities.includes('sentinel-partition') });
    const lanes = openLanes(hosts);

    return {
      abilities,
      async act(id, action) {
        const { agent, at } = nodeOf({ nodes: served }, id);
        if (action === 'partition') return cuts.separate(id, 'peers');
        if (action === 'isolate') return cuts.separate(id, 'everybody');
        if (action === 'join') return cuts.join(id);
        const host = /** @type {ServedHost} */ (hosts.find(({ name }) => name === agent));
        const startable = host.nodes.filter((node) => node.id !== id && node.whyNoStart === null);
        await host.client.act(at, action, action === 'lose' ? startable.map((node) => node.at) : []);
      },
      slow: lanes.slow,
      lost: () => controller.lost(hosts.map(({ name }) => name)),
      ...(abilities.includes('group-partition') && { network: cuts.network }),
      async undo() {
        cuts.forget();
        lanes.forget();
        await allEnded(hosts.map(({ client }) => client.undo()));
      },
    };
  }

  return {
    open,
    nodesBeside: (agent) => first.flatMap(({ name, nodes }) => (name === agent ? nodes.map(({ id }) => id) : [])),
  };
}

/** @param {Controller} controller @param {readonly NodeWithAgent[]} served @returns {ServedHost[]} */
function hostsOf(controller, served) {
  return [...new Set(served.map(({ agent }) => agent))].map((name) => {
    const nodes = served.filter(({ agent }) => agent === name);
    return { name, nodes, addresses: new Set(nodes.map(({ at }) => at.host)), client: openHost(controller, name) };
  });
}
