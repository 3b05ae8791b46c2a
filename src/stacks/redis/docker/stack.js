import { waitFor } from '../../../wait.js';
import { dockerBackend, untilReady } from '../../docker/backend.js';
import { openGroups } from '../../docker/groups.js';
import { openDockerHost } from '../../docker/host.js';
import { probe } from '../../probe.js';
import { problem } from '../../texts.js';
import { refusedSetting } from '../conf.js';
import { connectControl } from '../control.js';
import { openMembers, redial } from '../members.js';
import { openShards } from '../shards.js';
import { OWN_ABILITIES, redisStack } from '../stack.js';
import { MASTER_NAME } from '../topology.js';
import { openLinks } from './links.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Address, Stack, StackFacts, StackNetwork, StackOptions } from '../../types.js'
 * @import { Network } from '../../network/network.js'
 * @import { Members } from '../members.js'
 * @import { Engine } from '../../docker/engine.js'
 * @import { DockerHost } from '../../docker/host.js'
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
 * @property {Pick<StackNetwork, 'slow'> | null} links null: nothing lies between its nodes
 */

/** This is long, for a busy machine: an address that can be reached answers at once. */
const REACH_DEADLINE_MS = 4000;

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
  if (shards && !direct) throw problem('cluster-unreachable');
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

const IMAGE =
  'An image needs sh, sed, redis-server or valkey-server of version 6.2 or later, and a /data that the user of SENTINEL_BENCH_USER (default: 999) may write to. Build a local image again with `./s/build-image.sh`.';

/**
 * @param {DockerStack} dockerStack new
 * @param {{deadlineMs: number, signal?: AbortSignal, settings?: StackOptions['settings']}} options
 *   settings: with which the Redis nodes were started
 * @throws {UserError} one of its nodes ended
 */
export async function becomesReady({ engine, host, members }, { deadlineMs, signal, settings }) {
  const explain = (/** @type {readonly string[]} */ log) => refusedSetting(log, settings);
  await untilReady(engine, host.containers, { signal, image: IMAGE, explain }, (either) =>
    members.ready({ deadlineMs, signal: either }),
  );
}

/**
 * @param {DockerStack} dockerStack
 * @param {Pick<StackFacts, 'ours' | 'why' | 'server'>} about
 * @param {Disks} disks
 * @returns {Promise<Stack>}
 */
export function stackOf({ engine, project, host, members, links, groups }, about, disks) {
  const backend = dockerBackend(engine, project, host, about, {
    disks,
    connect: connectControl,
    onJoined: async ({ kind, address }) => kind === 'redis' && redial(address),
    groups,
    links,
  });
  return redisStack({ ...backend, can: [...backend.can, ...OWN_ABILITIES] }, members);
}

/** @param {Address} address @returns {Promise<boolean>} */
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
