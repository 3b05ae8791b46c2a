import { lstatSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UserError } from '../../../errors.js';
import { plainName } from '../../files-folder.js';
import { isPaused } from '../../processes.js';
import { openMembers } from '../members.js';
import { redial } from '../redial.js';
import { CAN_RELAY, LINK_ABILITIES } from '../relay/relay.js';
import { redis } from '../system.js';
import { MASTER_NAME, NODES } from '../topology.js';
import { actOnNode, LOOPBACK, portOf, readLog } from './nodes.js';
import { dataFolder, pidOf, removeStack } from './stack.js';
import { sampleProcess } from './stats.js';

/**
 * @import { Ability, Cluster, ResourceSample } from '../../types.js'
 * @import { Members } from '../members.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { StackRecord } from './stack.js'
 */

/**
 * A local stack whose processes exist, as a Cluster.
 */

/** @type {Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'failover', 'configure', 'stats', 'logs'];

/**
 * @param {StackRecord} stack
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port its peers reach it at, where that is another
 */
export function openStackMembers(stack, relayed) {
  const nodes = NODES.map(({ id, kind }) => {
    const address = Object.freeze({ host: LOOPBACK, port: portOf(stack, id) });
    const port = relayed?.get(id);
    return Object.freeze({ id, kind, address, announced: port ? Object.freeze({ host: LOOPBACK, port }) : address });
  });
  return openMembers(nodes, { masterName: MASTER_NAME, logs: async (id, lines) => readLog(stack, id, lines) });
}

/** @param {StackRecord} stack */
export function identityOf(stack) {
  return basename(stack.folder);
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
async function wake(stack, id) {
  const pid = pidOf(stack, id);
  if (pid === null || !isPaused(pid)) return;
  // A Sentinel that notices that it stood still goes into TILT for 30 s; one that restarts goes on from its file at once.
  const isSentinel = NODES.some((node) => node.id === id && node.kind === 'sentinel');
  await actOnNode(stack, id, isSentinel ? 'kill' : 'resume');
}

/**
 * @param {StackRecord} stack
 * @param {Members} members
 * @param {Object} told
 * @param {boolean} told.ours
 * @param {string} told.why
 * @param {Relay | null} told.relay between the nodes, if there is one
 * @returns {Cluster}
 */
export function clusterOf(stack, members, { ours, why, relay }) {
  /** @type {Map<string, {pid: number, sample: ResourceSample}>} */
  const samples = new Map();
  /** @type {Promise<void> | null} */
  let goingDown = null;

  function down() {
    members.close();
    goingDown ??= removeStack(stack).finally(() => relay?.close());
    return goingDown;
  }

  /** @param {string} id */
  async function redialNode(id) {
    const pid = pidOf(stack, id);
    const node = members.observer.nodes.find((each) => each.id === id);
    if (node?.kind === 'redis' && pid !== null && !isPaused(pid)) await redial(node.address);
  }

  /** @type {Cluster['act']} */
  async function act(id, action) {
    portOf(stack, id);
    switch (action) {
      case 'cut':
        if (!relay) throw noLinks(`cut ${id} from its peers`);
        return relay.cut(id);
      case 'join':
        if (!relay) throw noLinks(`join ${id} to its peers`);
        await relay.join(id);
        return redialNode(id);
      case 'isolate':
        throw new UserError(
          `The local backend cannot isolate ${id}: clients reach it through the machine's own loopback.`,
          'Use --backend docker, or cut the node from its peers only.',
        );
      default:
        return actOnNode(stack, id, action);
    }
  }

  /** @param {string} id */
  async function sample(id) {
    const pid = pidOf(stack, id);
    if (pid === null) return [];
    const previous = samples.get(id);
    const current = await sampleProcess(id, pid, members.observer, previous?.pid === pid ? previous.sample : undefined);
    samples.set(id, { pid, sample: current });
    return [current];
  }

  return {
    backend: 'local',
    identity: identityOf(stack),
    why,
    ours,
    server: { name: stack.server.name, version: stack.server.version },
    path: 'loopback',
    masterName: MASTER_NAME,
    credentials: {},
    nodes: members.observer.nodes,
    can: new Set(relay ? [...ALWAYS, ...LINK_ABILITIES] : ALWAYS),
    primary: members.primary,
    replicas: members.replicas,
    observe: members.observer.snapshot,
    system: redis,
    reach: members.reach,
    act,
    async slow(shape, id) {
      if (!relay) throw noLinks('slow links');
      if (id !== undefined) portOf(stack, id);
      await relay.slow(shape, id);
    },
    async heal() {
      const joined = (await relay?.clear()) ?? [];
      for (const { id } of stack.nodes) {
        await wake(stack, id);
        await actOnNode(stack, id, 'start');
      }
      for (const id of joined) await redialNode(id);
      await members.settle();
    },
    async stats() {
      return (await Promise.all(stack.nodes.map(({ id }) => sample(id)))).flat();
    },
    logs: async (id, lines) => readLog(stack, id, lines),
    files: {
      has: async (id, name) =>
        lstatSync(join(dataFolder(stack, id), plainName(name)), { throwIfNoEntry: false }) !== undefined,
      remove: async (id, name) =>
        rmSync(join(dataFolder(stack, id), plainName(name)), { recursive: true, force: true }),
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
