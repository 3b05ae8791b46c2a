/** A local stack without its database: its processes, what lies between them, and its end. */
import { once } from '../../once.js';
import { isInMemory } from '../../private-files.js';
import { NETWORK_ABILITIES, NO_LINKS } from '../network/network.js';
import { hostOf, networkOf } from './addresses.js';
import { localHost, processTools, relayLinks } from './host.js';
import { HOSTS_PATH, openStackHosts } from './hosts.js';
import { identityOf } from './record.js';
import { removeWhole } from './start.js';

/**
 * @import { Disks } from '../disks.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { Ability, Backend, NodeInfo, NodeKind } from '../types.js'
 * @import { StackRecord } from './record.js'
 *
 * @typedef {Object} LocalParts what lies between the nodes, and under them
 * @property {Relay | null} relay null: there is none
 * @property {Disks} disks
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'configure', 'logs'];

/**
 * @param {StackRecord} record
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port at which its peers reach it, if that is the relay's
 * @returns {NodeInfo[]}
 */
export function localNodes(record, relayed) {
  return record.nodes.map(({ id, port }) => {
    const kind = /** @type {NodeKind} */ (id.split('-')[0]);
    const address = Object.freeze({ host: hostOf(record, id), port });
    const announced = Object.freeze({ ...address, port: relayed?.get(id) ?? port });
    return Object.freeze({ id, kind, address, announced });
  });
}

/**
 * @param {StackRecord} record
 * @param {Pick<Backend, 'nodes'> & {ours: boolean, why: string}} about
 * @param {LocalParts} parts
 * @param {Omit<Parameters<typeof localHost>[1], 'links' | 'disks'>} database how its nodes start, and what they say
 * @returns {Backend}
 */
export function localBackend(record, { nodes, ours, why }, { relay, disks }, database) {
  const hosts = record.hosts ? openStackHosts(record) : null;
  const links = hosts ?? (relay ? relayLinks(relay, record) : NO_LINKS);
  const groups = networkOf(record, hosts?.firewall);
  const { act, slow, revive, joined, stats, logs } = localHost(record, { links, disks, ...database });
  return {
    about: {
      backend: 'local',
      identity: identityOf(record),
      why,
      ours,
      server: { name: record.server.name, version: record.server.version },
      path: hosts ? HOSTS_PATH : 'loopback',
      inMemory: isInMemory(record.files ?? record.folder),
    },
    nodes,
    can: [...ALWAYS, ...links.can, ...(groups ? NETWORK_ABILITIES : []), ...disks.can],
    host: { act, stats, logs, ...processTools(record) },
    network: { slow, groups },
    async revive() {
      await groups?.join();
      const away = await links.clear();
      // A Sentinel that was stopped goes into TILT for 30 s. One that restarts continues from its file at once.
      // One after the other: a host starts all its nodes.
      for (const { id, kind } of nodes) await revive(id, kind === 'sentinel' ? 'kill' : 'resume');
      for (const id of groups ? nodes.map((node) => node.id) : away) await joined(id);
    },
    remove: once(() => removeWhole(record, { relay, disks })),
  };
}
