import { setMaxListeners } from 'node:events';
import { UserError } from '../../../errors.js';
import { once } from '../../../once.js';
import { waitFor } from '../../../wait.js';
import { openGroups } from '../../docker/groups.js';
import { openDockerHost } from '../../docker/host.js';
import { hasFile, readContainerLog, removeFile } from '../../docker/nodes.js';
import { removeProject } from '../../docker/project.js';
import { sampleContainer } from '../../docker/stats.js';
import { TOXIPROXY_ABILITIES } from '../../links.js';
import { NO_LINKS } from '../../network/links.js';
import { NETWORK_ABILITIES } from '../../network/network.js';
import { probe } from '../../probe.js';
import { refusedSetting } from '../conf.js';
import { connectControl } from '../control.js';
import { databaseOf, openMembers, redial } from '../members.js';
import { openShards } from '../shards.js';
import { MASTER_NAME } from '../topology.js';
import { openLinks } from './links.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Ability, Address, NodeHost, Stack, StackFacts, StackOptions } from '../../types.js'
 * @import { Network } from '../../network/network.js'
 * @import { Members } from '../members.js'
 * @import { Engine } from '../../docker/engine.js'
 * @import { DockerHost } from '../../docker/host.js'
 * @import { Links } from './links.js'
 * @import { NodeContainer } from '../../docker/nodes.js'
 */

/**
 * Existing containers, as a Stack.
 *
 * @typedef {Object} DockerStack
 * @property {Engine} engine
 * @property {string} project
 * @property {DockerHost} host
 * @property {Members} members
 * @property {Network | null} groups null: it cannot be divided into groups
 * @property {Links | null} links null: nothing lies between its nodes
 */

/** This is long, for a busy machine: an address that can be reached answers at once. */
const REACH_DEADLINE_MS = 4000;

/** What every stack can do. @type {readonly Ability[]} */
const ALWAYS = [
  'pause',
  'stop',
  'kill',
  'lose',
  'partition',
  'isolate',
  'blocking-command',
  'failover',
  'configure',
  'stats',
  'logs',
];

/** This many log lines show why a server ended. */
const LOG_LINES = 8;

/** More memory than any machine has. Engines refuse or ignore every number that would mean no limit. */
const NO_LIMIT_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {Object} [options]
 * @param {boolean} [options.shards] its nodes form a Redis Cluster
 * @param {boolean} [options.linked] Toxiproxy lies between its nodes
 * @param {AbortSignal} [options.signal]
 * @param {(address: Address) => Promise<boolean>} [options.canReach] for tests: whether a container's own address is routed from here
 * @returns {Promise<DockerStack>} close it through its members
 * @throws {UserError} a stack whose containers cannot be reached at their own addresses, which its nodes tell to clients
 */
export async function openDockerStack(
  engine,
  project,
  { shards = false, linked = false, signal, canReach = canConnect } = {},
) {
  const host = await openDockerHost(engine, project, { canReach });
  const { containers, nodes, direct, logs } = host;
  if (shards && !direct) {
    throw new UserError(
      'A Redis Cluster in containers needs addresses that this machine can reach, and it cannot reach them here.',
      'Use --backend local, or run it on Linux.',
    );
  }
  const links = linked ? await openLinks(engine, project, containers, { direct, signal }) : null;
  return {
    engine,
    project,
    host,
    links,
    groups: shards || linked ? null : await openGroups(engine, project, containers, { direct }),
    members: shards ? openShards(nodes, { logs }) : openMembers(nodes, { masterName: MASTER_NAME, logs }),
  };
}

/**
 * Waits until a new stack is ready. Fails at once when one of its containers ends.
 *
 * @param {DockerStack} dockerStack
 * @param {{deadlineMs: number, signal?: AbortSignal, settings?: StackOptions['settings']}} options
 *   settings: with which the Redis nodes were started
 * @throws {UserError} with the node's last log lines
 */
export async function becomesReady({ engine, host, members }, { deadlineMs, signal, settings }) {
  const ended = new AbortController();
  const over = new AbortController();
  // Node takes many listeners for a leak, and each wait adds more than one.
  setMaxListeners(0, over.signal);
  for (const node of host.containers) {
    engine
      .getContainer(node.container)
      .wait({ abortSignal: over.signal })
      .then(() => prematureEnd(engine, node, settings))
      .catch((error) => error)
      // After the wait this has no effect.
      .then((reason) => ended.abort(reason));
  }
  try {
    await members.ready({ deadlineMs, signal: AbortSignal.any(signal ? [signal, ended.signal] : [ended.signal]) });
  } finally {
    over.abort();
  }
}

/**
 * @param {Engine} engine
 * @param {NodeContainer} node
 * @param {StackOptions['settings']} settings
 */
async function prematureEnd(engine, node, settings) {
  const log = await readContainerLog(engine, node, LOG_LINES);
  return (
    refusedSetting(log, settings) ??
    new UserError(
      `${node.id} ended before the stack was ready.`,
      'Its last log lines below say why. An image needs sh, sed, redis-server or valkey-server of version 6.2 or later, and a /data that the user of SENTINEL_BENCH_USER (default: 999) may write to. Build a local image again with `./s/build-image.sh`.',
      { detail: log.join('\n') },
    )
  );
}

/**
 * @param {DockerStack} dockerStack
 * @param {{ours: boolean, why: string, server: StackFacts['server'], disks: Disks, sentinelAbilities: readonly Ability[]}} facts
 *   sentinelAbilities: what only some versions of Sentinel can do
 * @returns {Stack}
 */
export function stackOf(
  { engine, project, host, members, links, groups },
  { ours, why, server, disks, sentinelAbilities },
) {
  const { path, containerOf, stats, logs } = host;
  const { act, revive } = host.actions({
    disks,
    connect: connectControl,
    onJoined: async ({ kind, address }) => kind === 'redis' && redial(address),
  });
  const down = once(() => {
    members.close();
    return removeProject(engine, project).finally(disks.close);
  });

  return {
    about: { backend: 'docker', identity: project, why, ours, server, path },
    access: { masterName: MASTER_NAME, credentials: {} },
    can: new Set([
      ...ALWAYS,
      ...(links ? TOXIPROXY_ABILITIES : []),
      ...(groups ? NETWORK_ABILITIES : []),
      ...disks.can,
      ...sentinelAbilities,
    ]),
    nodes: members.observer.nodes,
    database: databaseOf(members),
    host: { act, stats, logs, ...containerTools(engine, containerOf) },
    network: { slow: links?.slow ?? NO_LINKS.slow, groups },
    async heal() {
      await groups?.join();
      await links?.slow(null);
      await revive();
      await members.settle();
    },
    async close() {
      if (ours) await down();
      else members.close();
    },
    down,
  };
}

/**
 * @param {Engine} engine
 * @param {DockerHost['containerOf']} containerOf
 * @returns {Required<Pick<NodeHost, 'pin' | 'memoryLimit' | 'files'>>}
 */
function containerTools(engine, containerOf) {
  return {
    async pin(id, cpus) {
      await engine.getContainer(containerOf(id).container).update({ CpusetCpus: cpus });
    },
    memoryLimit: {
      by: 'memory of the container (control group)',
      async whyNot() {
        const { MemoryLimit: canLimit } = await engine.info();
        return canLimit
          ? null
          : 'This Docker engine cannot limit the memory of containers. Switch on the memory controller of its kernel, or use --backend local.';
      },
      async set(id, moreBytes) {
        const sample = await sampleContainer(engine, containerOf(id));
        if (sample === null) throw new Error(`${id} does not run, so its memory cannot be limited`);
        await limitMemory(engine, containerOf(id), sample.memoryBytes + Math.round(moreBytes));
      },
      lift: (id) => limitMemory(engine, containerOf(id), NO_LIMIT_BYTES),
    },
    files: {
      has: (id, name) => hasFile(engine, containerOf(id), name),
      remove: (id, name) => removeFile(engine, containerOf(id), name),
    },
  };
}

/**
 * The engine keeps the limit over restarts of the container.
 *
 * @param {Engine} engine
 * @param {NodeContainer} node running or not
 * @param {number} bytes beyond which the kernel kills its process
 */
async function limitMemory(engine, { container }, bytes) {
  // Both, or the node would be swapped out instead.
  await engine.getContainer(container).update({ Memory: bytes, MemorySwap: bytes });
}

/**
 * @param {Address} address
 * @returns {Promise<boolean>}
 */
async function canConnect(address) {
  /** @type {string | null} */
  let outcome = null;
  const isDecided = async () => {
    outcome = await probe(address, REACH_DEADLINE_MS);
    // A container refuses while its server is not listening yet.
    return outcome !== 'ECONNREFUSED';
  };
  await waitFor(isDecided, { deadlineMs: REACH_DEADLINE_MS });
  return outcome === null;
}
