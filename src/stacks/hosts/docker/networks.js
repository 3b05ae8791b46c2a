/**
 * What lies between the containers of a stack: the network `data`, on which nodes reach their peers, and `clients`, on which clients reach
 * them. A node is separated by taking it off a network, and joined again under the address that its peers know.
 */
import { TOXIPROXY_ABILITIES } from '../../network/links.js';
import { NO_LINKS } from '../../network/network.js';

/** @import { Host } from '../host.js' */
/** @import { Links } from '../../network/network.js' */
/** @import { Address, StackNetwork } from '../../types.js' */
/** @import { DockerSite } from './nodes.js' */

/**
 * @param {DockerSite} site @param {Host} host of the same containers
 * @param {Pick<StackNetwork, 'slow'> | null} [toxiproxy] null: no link can be slowed @returns {Links}
 */
export function openNetworks(site, host, toxiproxy = null) {
  /** @param {string} id @returns {Promise<void>} */
  async function join(id) {
    for (const each of await networksOf(site, id)) if (!each.joined) await each.mend();
  }
  return {
    can: ['lose', 'partition', 'isolate', ...(toxiproxy ? TOXIPROXY_ABILITIES : [])],
    async separate(id, from) {
      const [clients, data] = await networksOf(site, id);
      for (const each of from === 'everybody' ? [clients, data] : [data]) if (each.joined) await each.cut();
    },
    join,
    async lose(id) {
      if ((await host.process(id)) === null) return;
      // Frozen first: between the disconnection and the kill it must not take writes.
      await host.act(id, 'pause');
      const joined = (await networksOf(site, id)).filter((each) => each.joined);
      for (const each of joined) await each.cut();
      await host.act(id, 'kill');
      // The networks of a container that does not run are those that it starts with.
      for (const each of joined) await each.mend();
    },
    restore: NO_LINKS.restore,
    slow: toxiproxy?.slow ?? NO_LINKS.slow,
    async clear() {
      await toxiproxy?.slow(null);
      await Promise.all(site.containers.map(({ id }) => join(id)));
      return site.containers.map(({ id }) => id);
    },
  };
}

/**
 * @param {DockerSite} site @param {string} id of a node
 * @returns `clients` first: a node that has lost only that one still replicates, rather than take writes that no replica gets
 */
async function networksOf({ engine, project, find, open }, id) {
  const { container: Container, onClients, onData } = find(id);
  const { NetworkSettings } = await open(id).inspect();
  return [linkOf('clients', onClients), linkOf('data', onData)];

  /** @param {string} name @param {Address} address its own on that network */
  function linkOf(name, { host: IPv4Address }) {
    const network = engine.getNetwork(`${project}_${name}`);
    const EndpointConfig = { IPAMConfig: { IPv4Address }, Aliases: [id] };
    return {
      joined: `${project}_${name}` in NetworkSettings.Networks,
      cut: () => network.disconnect({ Container }),
      mend: () => network.connect({ Container, EndpointConfig }),
    };
  }
}
