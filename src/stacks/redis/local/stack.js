import { once } from '../../../once.js';
import { isInMemory } from '../../../private-files.js';
import { hostOf, networkOf } from '../../local/addresses.js';
import { localHost, NOTHING_USED, processTools, relayLinks } from '../../local/host.js';
import { HOSTS_PATH, openStackHosts } from '../../local/hosts.js';
import { portOf, readLog } from '../../local/nodes.js';
import { identityOf } from '../../local/record.js';
import { removeWhole } from '../../local/start.js';
import { NO_LINKS } from '../../network/links.js';
import { NETWORK_ABILITIES } from '../../network/network.js';
import { HAS_PROC } from '../../processes.js';
import { VIRTUAL_ADDRESS_ABILITIES, virtualAddressOf } from '../hosts/virtual-address.js';
import { databaseOf, openMembers, redial } from '../members.js';
import { openShards } from '../shards.js';
import { kindOf, MASTER_NAME } from '../topology.js';
import { startAgain } from './nodes.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Ability, NodeHost, Stack } from '../../types.js'
 * @import { Members } from '../members.js'
 * @import { Relay } from '../../relay/relay.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/**
 * Existing processes, as a Stack.
 */

/** Sections of INFO for a sample. A short question, because its reply counts in what the node sent. */
const SAMPLE_SECTIONS = HAS_PROC ? ['stats'] : ['stats', 'cpu', 'memory'];

/** Abilities with and without a relay. @type {Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'blocking-command', 'failover', 'configure', 'stats', 'logs'];

/**
 * @param {StackRecord} record
 * @param {Object} [how]
 * @param {ReadonlyMap<string, number>} [how.relayed] id of a node → the port at which its peers reach it, if that is the relay's
 * @param {boolean} [how.shards] its nodes form a Redis Cluster. Its Sentinels do not start, so their ports are free for the cluster bus
 */
export function openStackMembers(record, { relayed, shards = false } = {}) {
  const nodes = record.nodes.map(({ id, port }) => {
    const host = hostOf(record, id);
    const address = Object.freeze({ host, port });
    const announced = relayed?.has(id) ? Object.freeze({ host, port: Number(relayed.get(id)) }) : address;
    return Object.freeze({ id, kind: kindOf(id), address, announced });
  });
  const logs = async (/** @type {string} */ id, /** @type {number} */ lines) => readLog(record, id, lines);
  if (!shards) return openMembers(nodes, { masterName: MASTER_NAME, logs });
  return openShards(nodes, { busPorts: new Map(nodes.map(({ id }) => [id, busPortOf(record, id)])), logs });
}

/**
 * @param {StackRecord} record
 * @param {string} id of a node of a Redis Cluster
 * @returns {number} the port at which its peers reach it
 */
export function busPortOf(record, id) {
  return portOf(record, id.replace('redis', 'sentinel'));
}

/**
 * @param {StackRecord} record
 * @param {Members} members
 * @param {Object} facts
 * @param {boolean} facts.ours
 * @param {string} facts.why
 * @param {Relay | null} facts.relay between the nodes; null: there is no relay
 * @param {Disks} facts.disks
 * @param {(id: string) => Promise<string>} facts.program finds the server program for a node that starts again
 * @param {NodeHost['changeServer']} [facts.changeServer]
 * @param {readonly Ability[]} facts.sentinelAbilities what only some versions of Sentinel can do
 * @returns {Stack}
 */
export function stackOf(record, members, { ours, why, relay, disks, program, changeServer, sentinelAbilities }) {
  const { nodes, ask } = members.observer;
  const hosts = record.hosts ? openStackHosts(record) : null;
  const links = hosts ?? (relay ? relayLinks(relay, record) : NO_LINKS);
  const groups = networkOf(record, hosts?.firewall);
  const { act, slow, revive, joined, stats, logs } = localHost(record, {
    links,
    disks,
    start: async (id) => startAgain(record, id, await program(id)),
    async onJoined(id) {
      const node = nodes.find((each) => each.id === id);
      if (node?.kind === 'redis') await redial(node.address);
    },
    async used(id) {
      const info = await ask(id, (control) => control.info(...SAMPLE_SECTIONS));
      return {
        ...NOTHING_USED,
        networkInBytes: Number(info.total_net_input_bytes),
        networkOutBytes: Number(info.total_net_output_bytes),
        cpuSeconds: Number(info.used_cpu_sys) + Number(info.used_cpu_user),
        memoryBytes: Number(info.used_memory_rss),
      };
    },
  });
  const down = once(() => {
    members.close();
    return removeWhole(record, { relay, disks });
  });

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
    access: {
      masterName: MASTER_NAME,
      credentials: {},
      ...(record.virtual && { virtualAddress: virtualAddressOf(record) }),
    },
    can: new Set([
      ...ALWAYS,
      ...links.can,
      ...(groups ? NETWORK_ABILITIES : []),
      ...(record.virtual ? VIRTUAL_ADDRESS_ABILITIES : []),
      ...disks.can,
      ...sentinelAbilities,
    ]),
    nodes,
    database: databaseOf(members),
    host: { act, stats, logs, ...processTools(record), changeServer },
    network: { slow, groups },
    async heal() {
      await groups?.join();
      const away = await links.clear();
      // A Sentinel that was stopped goes into TILT for 30 s. One that restarts continues from its file at once.
      for (const { id, kind } of nodes) await revive(id, kind === 'sentinel' ? 'kill' : 'resume');
      for (const id of groups ? nodes.map((node) => node.id) : away) await joined(id);
      await members.settle();
    },
    async close() {
      if (ours) await down();
      else members.close();
    },
    down,
  };
}
