/** A local stack without its database: its processes, what lies between them, and its end. */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../once.js';
import { isInMemory } from '../../private-files.js';
import { plainName } from '../files-folder.js';
import { NETWORK_ABILITIES, NO_LINKS } from '../network/network.js';
import { HAS_PROC, isPaused, liftMemoryLimit, limitMemory, readProc, whyNoMemoryLimit } from '../processes.js';
import { LINK_ABILITIES } from '../relay/relay.js';
import { hostOf, networkOf } from './addresses.js';
import { HOSTS_PATH, openStackHosts } from './hosts.js';
import { portOf, readLog, signalNode } from './nodes.js';
import { dataFolder, identityOf, pidOf } from './record.js';
import { removeWhole } from './start.js';

/**
 * @import { Links } from '../network/network.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { Ability, Backend, MemoryLimit, NodeHost, NodeInfo, NodeKind, ResourceSample } from '../types.js'
 * @import { StackRecord } from './record.js'
 * @import { LocalParts } from './start.js'
 *
 * @typedef {Omit<ResourceSample, 'id'>} Used
 *
 * @typedef {Object} Programs how the nodes of a database start, and what they say
 * @property {(id: string) => Promise<void>} start starts a node that does not run
 * @property {(id: string) => Promise<Used>} used what a node says that it has used; what the system knows better replaces it
 * @property {(id: string) => Promise<unknown>} [onJoined] called when a node, which runs, reaches its peers again
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'configure', 'logs'];

/** @type {Used} */
export const NOTHING_USED = Object.freeze({
  cpuSeconds: 0,
  memoryBytes: 0,
  networkInBytes: 0,
  networkOutBytes: 0,
  blockInBytes: 0,
  blockOutBytes: 0,
  pids: 1,
});

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
 * @param {Programs} programs
 * @returns {Backend}
 */
export function localBackend(
  record,
  { nodes, ours, why },
  { relay, disks },
  { start, used, onJoined = async () => {} },
) {
  const hosts = record.hosts ? openStackHosts(record) : null;
  const links = hosts ?? (relay ? relayLinks(relay, record) : NO_LINKS);
  const groups = networkOf(record, hosts?.firewall);
  /** @type {Map<string, {pid: number, said: Used}>} */
  const samples = new Map();

  /** @param {string} id */
  const startHere = (id) =>
    disks.act(id, 'start', async () => {
      if (pidOf(record, id) === null) await start(id);
    });

  /** @param {string} id */
  async function joined(id) {
    const pid = pidOf(record, id);
    if (pid !== null && !isPaused(pid)) await onJoined(id);
  }

  /** @type {NodeHost['act']} */
  async function act(id, action) {
    portOf(record, id);
    switch (action) {
      case 'partition':
        return links.separate(id, 'peers');
      case 'isolate':
        return links.separate(id, 'everybody');
      case 'join':
        await links.join(id);
        return joined(id);
      case 'lose':
        return links.lose(id);
      case 'start':
        for (const each of new Set([...(await links.restore(id)), id])) await startHere(each);
        return;
      default:
        return disks.act(id, action, (each) => signalNode(record, id, each));
    }
  }

  /** @param {string} id @returns {Promise<ResourceSample[]>} none: it does not run */
  async function sample(id) {
    const pid = pidOf(record, id);
    if (pid === null) return [];
    const last = samples.get(id);
    // A paused node cannot be asked, and has used nothing since.
    const said = isPaused(pid) ? (last?.pid === pid ? last.said : NOTHING_USED) : await used(id);
    samples.set(id, { pid, said });
    return [{ id, ...said, ...(HAS_PROC && readProc(pid)) }];
  }

  /** @param {string} id @param {string} name */
  const fileOf = (id, name) => join(dataFolder(record, id), plainName(name));
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
    host: {
      act,
      stats: async () => (await Promise.all(nodes.map(({ id }) => sample(id)))).flat(),
      logs: async (id, lines) => readLog(record, id, lines),
      memoryLimit: memoryLimitOf(record),
      files: {
        has: async (id, name) => lstatSync(fileOf(id, name), { throwIfNoEntry: false }) !== undefined,
        remove: async (id, name) => rmSync(fileOf(id, name), { recursive: true, force: true }),
      },
    },
    network: {
      groups,
      async slow(shape, id) {
        if (id !== undefined) portOf(record, id);
        await links.slow(shape, id);
      },
    },
    async revive() {
      await groups?.join();
      const away = await links.clear();
      // One after the other: a host starts all its nodes.
      for (const { id, kind } of nodes) {
        const pid = pidOf(record, id);
        // A Sentinel that was stopped goes into TILT for 30 s. One that restarts continues from its file at once.
        if (pid !== null && isPaused(pid)) await signalNode(record, id, kind === 'sentinel' ? 'kill' : 'resume');
        await act(id, 'start');
      }
      for (const id of groups ? nodes.map((node) => node.id) : away) await joined(id);
    },
    remove: once(() => removeWhole(record, { relay, disks })),
  };
}

/** @param {StackRecord} record @returns {MemoryLimit} */
function memoryLimitOf(record) {
  return {
    by: 'address space of the process (prlimit)',
    whyNot: async () => whyNoMemoryLimit(),
    async set(id, moreBytes) {
      const pid = pidOf(record, id);
      if (pid === null) throw new Error(`${id} does not run, so its memory cannot be limited`);
      limitMemory(pid, moreBytes);
    },
    async lift(id) {
      const pid = pidOf(record, id);
      if (pid !== null) liftMemoryLimit(pid);
    },
  };
}

/** @param {Relay} relay between the nodes @param {StackRecord} record @returns {Links} */
function relayLinks(relay, record) {
  return {
    can: LINK_ABILITIES,
    // Clients reach a node through the machine's own loopback.
    separate: (id, from) => (from === 'peers' ? relay.partition(id) : NO_LINKS.separate(id, from)),
    join: relay.join,
    async lose(id) {
      const pid = pidOf(record, id);
      if (pid !== null) await relay.lose(id, pid);
      await signalNode(record, id, 'kill');
    },
    async restore(id) {
      await relay.restore(id);
      return [];
    },
    slow: relay.slow,
    clear: relay.clear,
  };
}
