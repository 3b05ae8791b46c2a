import { UserError } from '../../../errors.js';
import { NO_DISKS } from '../../disks.js';
import { chooseFilesFolder } from '../../files-folder.js';
import { freeHostNet, freeNet } from '../../local/addresses.js';
import { makeStackHosts } from '../../local/hosts.js';
import { portOf, readLog, startProgram } from '../../local/nodes.js';
import { createStack, explainFileError, listStacks, pidOf, runningNodes, saveStack } from '../../local/record.js';
import { recoverLocal } from '../../local/recover.js';
import { assignPorts, oneAtATime, removeWhole, startStackDisks, takenPorts, WHY } from '../../local/start.js';
import { whyNoFirewall } from '../../network/firewall.js';
import { whyNoNamespaces } from '../../network/namespaces.js';
import { isPortFree, takenBy } from '../../ports.js';
import { CAN_RELAY, startRelay } from '../../relay/relay.js';
import { problem } from '../../texts.js';
import { refusedSetting } from '../conf.js';
import { placeVirtualAddress } from '../hosts/virtual-address.js';
import { SHARD_SETTINGS, SHARDS } from '../shards.js';
import { FIRST_PRIMARY, isUsual, kindOf, nodesOf, noSuchCluster, whatStarts } from '../topology.js';
import { startOf, writeConf } from './nodes.js';
import { findServer, isOpenToOthers, programOf } from './server.js';
import { busPortOf, openStackMembers, stackOf } from './stack.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Stack, StackOptions } from '../../types.js'
 * @import { Relay } from '../../relay/relay.js'
 * @import { LocalParts } from '../../local/backend.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/** The `local` backend: child processes on loopback, six of them in a stack of the usual size. */

/** On a busy machine a Sentinel may be stopped for 2 s, and is then in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;

/** Another process may take a port after we found it free. */
const PORT_ATTEMPTS = 5;

const WHY_HOSTS = 'Child processes in network namespaces of this machine, as on hosts with a switch between them.';

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
  if (!server) throw problem('no-server');
  await recoverLocal(tell);
  if (isOpenToOthers(server)) {
    tell(
      `Redis ${server.version} lets every user of this machine write files as you; use Redis 7 or Valkey, or --backend docker, unless you are its only user.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const record = await placeStack(server, options, tell);
    /** @type {Relay | null} */
    let relay = null;
    /** @type {Disks | null} */
    let disks = null;
    try {
      if (record.hosts) await makeStackHosts(record, options.neighbour);
      if (record.virtual) await placeVirtualAddress(record);
      relay = options.links && CAN_RELAY ? await startRelay(record.nodes) : null;
      disks = await startStackDisks(record, options.volatileDisks ?? [], { signal, tell });
      return await bringUp(record, { relay, disks }, options);
    } catch (error) {
      await removeWhole(record, { relay, disks });
      if (!(error instanceof PortLostError) || attempt === PORT_ATTEMPTS) throw explainFileError(record, error);
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
  const {
    dataDir,
    replicaDataDir,
    detached = false,
    hosts = false,
    network = false,
    replicas,
    sentinelCount,
  } = options;
  const virtual = hosts && options.virtualAddress;
  return oneAtATime(async () => {
    const files = {
      ...(dataDir !== undefined && { files: chooseFilesFolder(dataDir) }),
      ...(replicaDataDir !== undefined && { replicaFiles: chooseFilesFolder(replicaDataDir) }),
    };
    const useUsual = detached && !network && !hosts;
    const chosen = await choosePorts(nodesOf({ replicas, sentinelCount }), { useUsual, tell });
    // A virtual address has one port, so all Redis nodes have that one. Each is on a host of its own.
    const nodes = virtual
      ? chosen.map((node) => (kindOf(node.id) === 'redis' ? { ...node, port: chosen[0].port } : node))
      : chosen;
    const taken = new Set(listStacks().flatMap((stack) => stack.net ?? []));
    const net = network || hosts ? { net: hosts ? freeHostNet(taken) : freeNet(taken) } : {};
    return createStack({
      detached: false,
      server,
      nodes,
      ...net,
      ...(hosts && { hosts }),
      ...(virtual && { virtual }),
      ...files,
    });
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

/** @param {Partial<StackOptions>} options @throws {UserError} nodes cannot have a network of their own here */
async function checkNetwork({ links, shards, hosts }) {
  if (links || shards) throw problem('network-or-links');
  const whyNoHosts = hosts ? await whyNoNamespaces() : null;
  if (whyNoHosts !== null) throw problem('no-hosts', { why: whyNoHosts.charAt(0).toUpperCase() + whyNoHosts.slice(1) });
  const why = hosts ? null : await whyNoFirewall();
  if (why !== null) throw problem('no-groups', { why });
}

/**
 * @param {StackRecord} record
 * @param {LocalParts} parts
 * @param {Partial<StackOptions> & {why?: string}} options
 * @returns {Promise<Stack>}
 */
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
      why: options.why ?? (options.hosts ? WHY_HOSTS : WHY),
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
  return (
    refusedSetting(log, settings) ??
    new UserError(
      `${id} ended before the stack was ready.`,
      log.some((line) => line !== '')
        ? 'Its last log lines below say why.'
        : `It wrote no log: check whether there is room in ${record.folder}.`,
      { detail: log.join('\n') },
    )
  );
}
