/**
 * The nodes of a local stack as processes of this machine, whatever their system: the actions on them, and what they use.
 */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { plainName } from '../files-folder.js';
import { NO_LINKS } from '../network/network.js';
import { HAS_PROC, isPaused, liftMemoryLimit, limitMemory, readProc, whyNoMemoryLimit } from '../processes.js';
import { LINK_ABILITIES } from '../relay/relay.js';
import { portOf, readLog, signalNode } from './nodes.js';
import { dataFolder, pidOf } from './record.js';

/**
 * @import { Disks } from '../disks.js'
 * @import { Links } from '../network/network.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { NodeHost, ResourceSample, StackNetwork } from '../types.js'
 * @import { StackRecord } from './record.js'
 *
 * @typedef {Omit<ResourceSample, 'id'>} Used
 */

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
 * @param {Object} parts
 * @param {Links} parts.links
 * @param {Disks} parts.disks
 * @param {(id: string) => Promise<void>} parts.start starts a node that does not run
 * @param {(id: string) => Promise<Used>} parts.used what a node says that it has used; what the system knows better replaces it
 * @param {(id: string) => Promise<unknown>} [parts.onJoined] called when a node, which runs, reaches its peers again
 */
export function localHost(record, { links, disks, start, used, onJoined = async () => {} }) {
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

  return {
    act,
    joined,
    /** @type {StackNetwork['slow']} */
    async slow(shape, id) {
      if (id !== undefined) portOf(record, id);
      await links.slow(shape, id);
    },
    /**
     * Starts a node that does not run, and wakes one that is paused.
     * @param {string} id
     * @param {'resume' | 'kill'} [how] kill: it starts again
     */
    async revive(id, how = 'resume') {
      const pid = pidOf(record, id);
      if (pid !== null && isPaused(pid)) await signalNode(record, id, how);
      await act(id, 'start');
    },
    stats: async () => (await Promise.all(record.nodes.map(({ id }) => sample(id)))).flat(),
    /** @type {NodeHost['logs']} */
    logs: async (id, lines) => readLog(record, id, lines),
  };
}

/**
 * What only Redis stacks offer.
 * @param {StackRecord} record
 * @returns {Required<Pick<NodeHost, 'memoryLimit' | 'files'>>}
 */
export function processTools(record) {
  /** @param {string} id @param {string} name */
  const fileOf = (id, name) => join(dataFolder(record, id), plainName(name));
  return {
    memoryLimit: {
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
    },
    files: {
      has: async (id, name) => lstatSync(fileOf(id, name), { throwIfNoEntry: false }) !== undefined,
      remove: async (id, name) => rmSync(fileOf(id, name), { recursive: true, force: true }),
    },
  };
}

/**
 * @param {Relay} relay between the nodes
 * @param {StackRecord} record
 * @returns {Links}
 */
export function relayLinks(relay, record) {
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
