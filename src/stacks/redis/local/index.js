import { NO_DISKS } from '../../disks.js';
import { chooseFilesFolder } from '../../files-folder.js';
import { freeHostNet, freeNet } from '../../local/addresses.js';
import { localBackend, localNodes, NOTHING_USED } from '../../local/backend.js';
import { makeStackHosts } from '../../local/hosts.js';
import { portOf, readLog, startProgram } from '../../local/nodes.js';
import { createStack, listStacks, pidOf, runningNodes, saveStack } from '../../local/record.js';
import { recoverLocal } from '../../local/recover.js';
import { assignPorts, oneAtATime, startParts, takenPorts } from '../../local/start.js';
import { whyNoFirewall } from '../../network/firewall.js';
import { whyNoNamespaces } from '../../network/namespaces.js';
import { isPortFree, takenBy } from '../../ports.js';
import { HAS_PROC } from '../../processes.js';
import { problem, text } from '../../texts.js';
import { refusedSetting } from '../conf.js';
import { placeVirtualAddress, VIRTUAL_ADDRESS_ABILITIES, virtualAddressOf } from '../hosts/virtual-address.js';
import { openMembers, redial } from '../members.js';
import { openShards, SHARD_SETTINGS, SHARDS } from '../shards.js';
import { OWN_ABILITIES, redisStack } from '../stack.js';
import { FIRST_PRIMARY, isUsual, kindOf, MASTER_NAME, nodesOf, noSuchCluster, whatStarts } from '../topology.js';
import { startAgain, startOf, writeConf } from './nodes.js';
import { findServer, INSTALL_SERVER, isOpenToOthers, programOf } from './server.js';

/**
 * @import { NodeHost, Stack, StackOptions } from '../../types.js'
 * @import { LocalParts } from '../../local/start.js'
 * @import { StackRecord } from '../../local/record.js'
 * @import { Members } from '../members.js'
 */

/** The `local` backend: child processes on loopback, six of them in a stack of the usual size. */

/** On a busy machine a Sentinel may be stopped for 2 s, and is then in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;

/** Another process may take a port after we found it free. */
const PORT_ATTEMPTS = 5;

class PortLostError extends Error {}

/**
 * Starts a stack and waits until it is ready. First removes what dead processes left.
 * @param {Partial<StackOptions> & {why?: string}} options
 * @returns {Promise<Stack>}
 * @throws {UserError} no server program, `links` with `detached`, or the stack never becomes ready; everything that was started is
 *   removed
 */
export async function startLocal(options) {
  const { tell = () => {}, signal } = options;
  if (options.links && options.detached) throw problem('links-detached');
  if (options.network || options.hosts) await checkNetwork(options);
  if (options.shards && !isUsual(options)) throw noSuchCluster();
  const server = await findServer(options.server);
  if (!server) throw problem('no-server', { install: INSTALL_SERVER });
  await recoverLocal(tell);
  if (isOpenToOthers(server)) tell(text('open-to-others', { version: server.version }));
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const record = await placeStack(server, options, tell);
    try {
      return await startParts(record, { ...options, tell }, async (parts) => {
        if (record.hosts) await makeStackHosts(record, options.neighbour);
        if (record.virtual) await placeVirtualAddress(record);
        return bringUp(record, parts, options);
      });
    } catch (error) {
      if (!(error instanceof PortLostError) || attempt === PORT_ATTEMPTS) throw error;
      tell(`${error.message}; trying others.`);
    }
  }
}

/**
 * Finds the stack that `up` started, if at least one of its nodes runs. It may be unhealthy.
 * @param {Partial<StackOptions>} [options]
 * @returns {Promise<Stack | null>} null: there is none
 */
export async function attachLocal(options) {
  const record = listStacks().findLast((each) => each.detached && runningNodes(each).length > 0);
  if (!record) return null;
  const members = openStackMembers(record);
  return stackOf(record, members, {
    ours: false,
    why: 'A local stack is already up.',
    parts: { relay: null, disks: NO_DISKS },
    program: () => programOf(record, options?.server),
  });
}

/**
 * @param {StackRecord['server']} server
 * @param {Partial<StackOptions>} options
 * @param {(line: string) => void} tell
 * @returns {Promise<StackRecord>}
 */
function placeStack(server, options, tell) {
  const { dataDir, replicaDataDir, detached = false, hosts = false, network = false } = options;
  const virtual = hosts && options.virtualAddress;
  return oneAtATime(async () => {
    const files = {
      ...(dataDir !== undefined && { files: chooseFilesFolder(dataDir) }),
      ...(replicaDataDir !== undefined && { replicaFiles: chooseFilesFolder(replicaDataDir) }),
    };
    const useUsual = detached && !network && !hosts;
    const chosen = await choosePorts(nodesOf(options), { useUsual, tell });
    // A virtual address has one port, so all Redis nodes have that one. Each is on a host of its own.
    const nodes = virtual
      ? chosen.map((node) => (kindOf(node.id) === 'redis' ? { ...node, port: chosen[0].port } : node))
      : chosen;
    const taken = new Set(listStacks().flatMap((stack) => stack.net ?? []));
    const net = network || hosts ? { net: hosts ? freeHostNet(taken) : freeNet(taken) } : {};
    const kinds = { ...(hosts && { hosts }), ...(virtual && { virtual }) };
    return createStack({ detached: false, server, nodes, ...net, ...kinds, ...files });
  });
}

/**
 * @param {readonly {id: string, port: number}[]} wanted the nodes and their usual ports
 * @param {Object} options
 * @param {boolean} options.useUsual the usual ports if they are free; false: leave them to others. A run stops nodes for a while,
 *   and another user's stack would take such a port meanwhile
 * @param {(line: string) => void} options.tell
 */
async function choosePorts(wanted, { useUsual, tell }) {
  const given = takenPorts();
  const free = await Promise.all(wanted.map(async ({ port }) => !given.has(port) && (await isPortFree(port))));
  // All usual ports or none: a free one among taken ones may belong to a stopped node of another user's stack.
  if (useUsual && free.every(Boolean)) return wanted.map(({ id, port }) => ({ id, port }));
  const nodes = await assignPorts(wanted);
  if (useUsual) {
    const taken = wanted[free.indexOf(false)];
    const places = nodes.map(({ id, port }) => `${id} on ${port}`).join(', ');
    tell(`Port ${taken.port} is taken${takenBy(taken.port)}, so the stack uses others: ${places}.`);
  }
  return nodes;
}

/** @param {Partial<StackOptions>} options */
async function checkNetwork({ links, shards, hosts }) {
  if (links || shards) throw problem('network-or-links');
  const whyNoHosts = hosts ? await whyNoNamespaces() : null;
  if (whyNoHosts !== null) throw problem('no-hosts', { why: whyNoHosts.charAt(0).toUpperCase() + whyNoHosts.slice(1) });
  const why = hosts ? null : await whyNoFirewall();
  if (why !== null) throw problem('no-groups', { why });
}

/** @param {StackRecord} record @param {LocalParts} parts @param {Partial<StackOptions> & {why?: string}} options @returns {Promise<Stack>} */
async function bringUp(record, parts, options) {
  const { tell = () => {}, signal, detached = false, settings, shards = false, servers = [] } = options;
  const relayed = parts.relay?.ports;
  const members = openStackMembers(record, { shards, relayed });
  const program = record.server.path;
  /** Nodes that have changed their server. @type {Map<string, string>} */
  const changed = new Map();
  /** @param {string} id */
  async function launch(id) {
    const shardSettings = shards ? { ...SHARD_SETTINGS, 'cluster-port': String(busPortOf(record, id)) } : {};
    writeConf(record, id, relayed, { ...settings, ...shardSettings });
    try {
      await startProgram(record, id, { ...startOf(record, id, program), signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw pidOf(record, id) === null ? prematureEnd(record, id, settings) : error;
    }
  }
  try {
    tell(`Starting ${record.server.name} ${record.server.version}: ${whatStarts(options)}.`);
    const ids = record.nodes.map(({ id }) => id).filter((id) => !shards || SHARDS.includes(id));
    // The primary first: a replica that does not find it tries again only a second later. Sentinels last: if another server took a
    // node's port, they would make it a replica of ours.
    const replicas = ids.filter((id) => kindOf(id) === 'redis' && id !== FIRST_PRIMARY);
    const sentinels = ids.filter((id) => kindOf(id) === 'sentinel');
    for (const group of [[FIRST_PRIMARY], replicas, sentinels]) await Promise.all(group.map(launch));
    await members.ready({ deadlineMs: READY_DEADLINE_MS, signal });
    const { name, version } = await members.server();
    record.server = { ...record.server, name, version: version ?? record.server.version };
    record.detached = detached;
    saveStack(record);
    return await stackOf(record, members, {
      ours: !detached,
      why: options.why ?? (options.hosts ? text('local-hosts') : text('local-nodes')),
      parts,
      program: async (id) => changed.get(id) ?? program,
      ...(!detached && {
        changeServer(id, name) {
          const server = servers.find((each) => each.id === name);
          if (!server) throw new RangeError(`no server of this run is called ${name}`);
          changed.set(id, server.path);
        },
      }),
    });
  } catch (error) {
    members.close();
    throw error;
  }
}

/** @param {StackRecord} record @param {string} id @param {StackOptions['settings']} settings */
function prematureEnd(record, id, settings) {
  const log = readLog(record, id, 8);
  if (log.some((line) => line.includes('Address already in use'))) {
    return new PortLostError(`Port ${portOf(record, id)} was taken by another process just before ${id} started`);
  }
  const isSilent = log.every((line) => line === '');
  const why = isSilent ? text('no-log', { folder: record.folder }) : text('see-log-lines');
  return refusedSetting(log, settings) ?? problem('ended-too-soon', { id, why }, { detail: log.join('\n') });
}

/** Sections of INFO for a sample. A short question, because its reply counts in what the node sent. */
const SAMPLE_SECTIONS = HAS_PROC ? ['stats'] : ['stats', 'cpu', 'memory'];

/**
 * @param {StackRecord} record
 * @param {Object} [how]
 * @param {ReadonlyMap<string, number>} [how.relayed] id of a node → the port at which its peers reach it, if that is the relay's
 * @param {boolean} [how.shards] its nodes form a Redis Cluster. Its Sentinels do not start, so their ports are free for the cluster bus
 */
function openStackMembers(record, { relayed, shards = false } = {}) {
  const nodes = localNodes(record, relayed);
  const logs = async (/** @type {string} */ id, /** @type {number} */ lines) => readLog(record, id, lines);
  if (!shards) return openMembers(nodes, { masterName: MASTER_NAME, logs });
  return openShards(nodes, { busPorts: new Map(nodes.map(({ id }) => [id, busPortOf(record, id)])), logs });
}

/**
 * @param {StackRecord} record
 * @param {string} id of a node of a Redis Cluster
 * @returns {number} the port at which its peers reach it
 */
function busPortOf(record, id) {
  return portOf(record, id.replace('redis', 'sentinel'));
}

/**
 * @param {StackRecord} record
 * @param {Members} members
 * @param {Object} facts
 * @param {boolean} facts.ours
 * @param {string} facts.why
 * @param {LocalParts} facts.parts
 * @param {(id: string) => Promise<string>} facts.program finds the server program for a node that starts again
 * @param {NodeHost['changeServer']} [facts.changeServer]
 * @returns {Promise<Stack>}
 */
function stackOf(record, members, { ours, why, parts, program, changeServer }) {
  const { nodes, ask } = members.observer;
  const backend = localBackend(record, { nodes, ours, why }, parts, {
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
  const can = [...backend.can, ...OWN_ABILITIES, ...(record.virtual ? VIRTUAL_ADDRESS_ABILITIES : [])];
  const access = record.virtual ? { virtualAddress: virtualAddressOf(record) } : {};
  return redisStack({ ...backend, can, host: { ...backend.host, changeServer } }, members, { access });
}
