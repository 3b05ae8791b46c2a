import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../errors.js';
import { once } from '../../../once.js';
import { isInMemory } from '../../../private-files.js';
import { plainName } from '../../files-folder.js';
import { hostOf, networkOf } from '../../local/addresses.js';
import { portOf, readLog, signalNode } from '../../local/nodes.js';
import { dataFolder, identityOf, pidOf } from '../../local/record.js';
import { removeWhole } from '../../local/start.js';
import { NETWORK_ABILITIES } from '../../network/network.js';
import {
  HAS_PROC,
  isPaused,
  liftMemoryLimit,
  limitMemory,
  pinProcess,
  readProc,
  whyNoMemoryLimit,
} from '../../processes.js';
import { CAN_RELAY, LINK_ABILITIES } from '../../relay/relay.js';
import { HOST_ABILITIES, HOSTS_PATH, openStackHosts } from '../../local/hosts.js';
import { VIRTUAL_ADDRESS_ABILITIES, virtualAddressOf } from '../hosts/virtual-address.js';
import { openMembers, redial, stackParts } from '../members.js';
import { openShards } from '../shards.js';
import { kindOf, MASTER_NAME } from '../topology.js';
import { actOnNode } from './nodes.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Ability, Stack, ResourceSample } from '../../types.js'
 * @import { Members } from '../members.js'
 * @import { Relay } from '../../relay/relay.js'
 * @import { Observer } from '../observe.js'
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
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port at which its peers reach it, if that is the relay's
 */
export function openStackMembers(record, relayed) {
  const nodes = record.nodes.map(({ id }) => {
    const kind = kindOf(id);
    const host = hostOf(record, id);
    const address = Object.freeze({ host, port: portOf(record, id) });
    const port = relayed?.get(id);
    return Object.freeze({ id, kind, address, announced: port ? Object.freeze({ host, port }) : address });
  });
  return openMembers(nodes, { masterName: MASTER_NAME, logs: async (id, lines) => readLog(record, id, lines) });
}

/**
 * The same for a stack whose nodes form a Redis Cluster. Its Sentinels do not start, so their ports are free for the cluster bus.
 *
 * @param {StackRecord} record
 */
export function openStackShards(record) {
  const nodes = record.nodes.map(({ id }) => {
    const kind = kindOf(id);
    const address = Object.freeze({ host: hostOf(record, id), port: portOf(record, id) });
    return Object.freeze({ id, kind, address, announced: address });
  });
  const busPorts = new Map(nodes.map(({ id }) => [id, busPortOf(record, id)]));
  return openShards(nodes, { busPorts, logs: async (id, lines) => readLog(record, id, lines) });
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
 * @param {string} id
 */
async function wake(record, id) {
  const pid = pidOf(record, id);
  if (pid === null || !isPaused(pid)) return;
  // A Sentinel that was stopped goes into TILT for 30 s. One that restarts continues from its file at once.
  const isSentinel = kindOf(id) === 'sentinel';
  await signalNode(record, id, isSentinel ? 'kill' : 'resume');
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
 * @param {Stack['changeServer']} [facts.changeServer]
 * @param {readonly Ability[]} facts.sentinelAbilities what only some versions of Sentinel can do
 * @returns {Stack}
 */
export function stackOf(record, members, { ours, why, relay, disks, program, changeServer, sentinelAbilities }) {
  /** @type {Map<string, {pid: number, sample: ResourceSample}>} */
  const samples = new Map();
  const hosts = record.hosts ? openStackHosts(record) : null;
  const network = networkOf(record, hosts?.firewall);
  const down = once(() => {
    members.close();
    return removeWhole(record, { relay, disks });
  });

  /** @param {string} id */
  async function redialNode(id) {
    const pid = pidOf(record, id);
    const node = members.observer.nodes.find((each) => each.id === id);
    if (node?.kind === 'redis' && pid !== null && !isPaused(pid)) await redial(node.address);
  }

  /** @type {Stack['act']} */
  async function act(id, action) {
    portOf(record, id);
    switch (action) {
      case 'partition':
        if (hosts) return hosts.separate(id, 'peers');
        if (!relay) throw noLinks(`separate ${id} from its peers`);
        return relay.partition(id);
      case 'join':
        if (hosts) await hosts.join(id);
        else if (!relay) throw noLinks(`join ${id} to its peers`);
        else await relay.join(id);
        return redialNode(id);
      case 'lose': {
        if (hosts) return hosts.lose(id);
        if (!relay) throw noLinks(`lose the machine of ${id}`);
        const pid = pidOf(record, id);
        if (pid !== null) await relay.lose(id, pid);
        return signalNode(record, id, 'kill');
      }
      case 'isolate':
        if (hosts) return hosts.separate(id, 'everybody');
        throw new UserError(
          `The local backend cannot isolate ${id}: clients reach it through the machine's own loopback.`,
          'Use --backend docker, or separate the node from its peers only.',
        );
      case 'start':
        await relay?.restore(id);
        for (const lost of (await hosts?.restore(id)) ?? []) await startHere(lost);
        break;
    }
    return disks.act(id, action, (each) => actOnNode(record, id, each, () => program(id)));
  }

  /** @param {string} id */
  const startHere = (id) => disks.act(id, 'start', (each) => actOnNode(record, id, each, () => program(id)));

  /** @param {string} id */
  async function sample(id) {
    const pid = pidOf(record, id);
    if (pid === null) return [];
    const previous = samples.get(id);
    const current = await sampleProcess(id, pid, members.observer, previous?.pid === pid ? previous.sample : undefined);
    samples.set(id, { pid, sample: current });
    return [current];
  }

  return {
    backend: 'local',
    identity: identityOf(record),
    why,
    ours,
    server: { name: record.server.name, version: record.server.version },
    path: hosts ? HOSTS_PATH : 'loopback',
    inMemory: isInMemory(record.files ?? record.folder),
    masterName: MASTER_NAME,
    credentials: {},
    can: new Set([
      ...ALWAYS,
      ...(relay ? LINK_ABILITIES : []),
      ...(network ? NETWORK_ABILITIES : []),
      ...(hosts ? HOST_ABILITIES : []),
      ...(record.virtual ? VIRTUAL_ADDRESS_ABILITIES : []),
      ...disks.can,
      ...sentinelAbilities,
    ]),
    ...stackParts(members),
    act,
    ...(changeServer && { changeServer }),
    ...(network && { network }),
    ...(record.virtual && { virtualAddress: virtualAddressOf(record) }),
    async slow(shape, id) {
      if (!relay) throw noLinks('slow links');
      if (id !== undefined) portOf(record, id);
      await relay.slow(shape, id);
    },
    async heal() {
      await network?.join();
      await hosts?.clear();
      const joined = (await relay?.clear()) ?? [];
      for (const { id } of members.observer.nodes) {
        await wake(record, id);
        await act(id, 'start');
      }
      const away = network ? members.observer.nodes.map(({ id }) => id) : joined;
      for (const id of away) await redialNode(id);
      await members.settle();
    },
    async pin(id, cpus) {
      const pid = pidOf(record, id);
      if (pid === null) throw new Error(`${id} does not run, so it cannot be pinned`);
      pinProcess(pid, cpus);
    },
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
    async stats() {
      return (await Promise.all(record.nodes.map(({ id }) => sample(id)))).flat();
    },
    logs: async (id, lines) => readLog(record, id, lines),
    files: {
      has: async (id, name) =>
        lstatSync(join(dataFolder(record, id), plainName(name)), { throwIfNoEntry: false }) !== undefined,
      remove: async (id, name) =>
        rmSync(join(dataFolder(record, id), plainName(name)), { recursive: true, force: true }),
    },
    async close() {
      if (ours) await down();
      else members.close();
    },
    down,
  };
}

/** @param {string} what */
function noLinks(what) {
  return new UserError(
    `This local stack cannot ${what}: it was started without a relay between its nodes.`,
    CAN_RELAY
      ? 'Take it down with `sentinel-bench down`, so that a run that needs one starts a stack of its own.'
      : 'Use --backend docker, or run it on Linux.',
  );
}

/**
 * Samples what one node has used, from /proc and its INFO, or from INFO alone on systems without /proc.
 *
 * @param {string} id
 * @param {number} pid
 * @param {Observer} observer
 * @param {ResourceSample | undefined} previous of the same process: a paused node cannot be asked, and its network counters
 *   have not changed
 * @returns {Promise<ResourceSample>}
 */
async function sampleProcess(id, pid, observer, previous) {
  const info = isPaused(pid) ? null : await observer.ask(id, (control) => control.info(...SAMPLE_SECTIONS));
  const network = info
    ? { networkInBytes: Number(info.total_net_input_bytes), networkOutBytes: Number(info.total_net_output_bytes) }
    : { networkInBytes: previous?.networkInBytes ?? 0, networkOutBytes: previous?.networkOutBytes ?? 0 };
  if (HAS_PROC) return { id, ...network, ...readProc(pid) };
  return {
    id,
    ...network,
    cpuSeconds: info ? Number(info.used_cpu_sys) + Number(info.used_cpu_user) : (previous?.cpuSeconds ?? 0),
    memoryBytes: info ? Number(info.used_memory_rss) : (previous?.memoryBytes ?? 0),
    blockInBytes: 0,
    blockOutBytes: 0,
    pids: 1,
  };
}
