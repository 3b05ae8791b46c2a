/** A stack in containers without its database: its containers, what lies between them, and its end. */
import { setMaxListeners } from 'node:events';
import { messageOf } from '../../errors.js';
import { once } from '../../once.js';
import { nodeOf } from '../ask.js';
import { flushDisks, startDisks } from '../disks.js';
import { TOXIPROXY_ABILITIES } from '../links.js';
import { NETWORK_ABILITIES, NO_LINKS } from '../network/network.js';
import { problem, text } from '../texts.js';
import * as containers from './nodes.js';
import { startPlaced } from './placement.js';
import { removeProject } from './project.js';
import { sampleContainer } from './stats.js';

/**
 * @import { UserError } from '../../errors.js'
 * @import { Disks } from '../disks.js'
 * @import { Network } from '../network/network.js'
 * @import { Ability, Address, Backend, NodeHost, NodeInfo, StackFacts, StackNetwork, StackOptions } from '../types.js'
 * @import { Engine } from './engine.js'
 * @import { NodeContainer } from './nodes.js'
 *
 * @typedef {Awaited<ReturnType<typeof openSite>>} DockerSite the containers of one stack, which exist
 *
 * @typedef {Object} DockerParts
 * @property {Disks} disks
 * @property {(address: Address) => Promise<{close: () => void}>} connect rejects while the server does not answer
 * @property {(node: NodeInfo) => Promise<unknown>} [onJoined] called when the server, which runs, reaches its peers again
 * @property {Network | null} [groups] null: it cannot be divided into groups
 * @property {Pick<StackNetwork, 'slow'> | null} [links] null: nothing lies between its nodes
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'lose', 'partition', 'isolate', 'configure', 'stats', 'logs'];

const LOG_LINES = 8;

/**
 * @param {Engine} engine @param {string} project whose containers exist
 * @param {{canReach?: (address: Address) => Promise<boolean>, topology?: Parameters<typeof containers.findNodes>[2]}} options canReach:
 *   for tests: whether a container's own address is routed from here
 * @returns direct: containers' own addresses can be reached from here
 */
export async function openSite(engine, project, { canReach, topology }) {
  const found = await containers.findNodes(engine, project, topology);
  const direct = await containers.areReachable({ engine, project }, found, canReach);
  const containerOf = (/** @type {string} */ id) => nodeOf({ nodes: found }, id);
  /** @type {readonly NodeInfo[]} */
  const nodes = found.map(({ id, kind, announced, onClients, published }) =>
    Object.freeze({ id, kind, announced, address: direct ? onClients : published }),
  );
  /** @type {NodeHost['logs']} */
  const logs = (id, lines) => containers.readContainerLog(containerOf(id), lines);
  return { engine, project, containers: found, nodes, direct, containerOf, logs };
}

/** @param {DockerSite} site @param {Pick<StackFacts, 'ours' | 'why' | 'server'>} about @param {DockerParts} parts @returns {Backend} */
export function dockerBackend(site, about, { disks, connect, onJoined, groups = null, links = null }) {
  const { engine, project, nodes, direct, containerOf, logs } = site;
  /** @type {NodeHost['act']} */
  const act = (id, action) =>
    disks.act(id, action, (each) =>
      containers.actOnContainer(site, containerOf(id), each, {
        connect: () => connect(nodeOf(site, id).address),
        onJoined: async () => onJoined?.(nodeOf(site, id)),
      }),
    );
  return {
    about: { backend: 'docker', identity: project, path: direct ? 'container address' : 'published port', ...about },
    nodes,
    can: [...ALWAYS, ...(links ? TOXIPROXY_ABILITIES : []), ...(groups ? NETWORK_ABILITIES : []), ...disks.can],
    host: {
      act,
      logs,
      async stats() {
        const samples = await Promise.all(site.containers.map((container) => sampleContainer(engine, container)));
        return samples.filter((sample) => sample !== null);
      },
      files: {
        has: (id, name) => containers.hasFile(containerOf(id), name),
        remove: (id, name) => containers.removeFile(containerOf(id), name),
      },
    },
    network: { slow: links?.slow ?? NO_LINKS.slow, groups },
    async revive() {
      await groups?.join();
      await links?.slow(null);
      // Joined first, because a node that starts during a partition cannot reach its primary.
      const steps = /** @type {const} */ (['resume', 'join', 'start']);
      await Promise.all(
        nodes.map(async ({ id }) => {
          for (const action of steps) await act(id, action);
        }),
      );
    },
    remove: once(() => removeProject(engine, project).finally(disks.close)),
  };
}

/**
 * @template T @param {Engine} engine @param {string} project @param {Pick<StackOptions, 'volatileDisks' | 'tell' | 'signal'>} options
 * @param {(disks: Disks) => Omit<Parameters<typeof startPlaced>[2], 'signal'>} compose what Compose starts
 * @param {(disks: Disks) => Promise<T>} open waits until the nodes are ready
 * @returns {Promise<T>} after a rejection everything that was started is removed
 */
export async function startContainers(engine, project, { volatileDisks = [], tell = () => {}, signal }, compose, open) {
  const disks = await startDisks(volatileDisks, { kind: 'contained', signal, tell });
  try {
    await startPlaced(engine, project, { ...compose(disks), signal });
    const stack = await open(disks);
    await flushDisks(disks);
    signal?.throwIfAborted();
    return stack;
  } catch (error) {
    // The caller gets the first error. An error of the clean-up is only told.
    await removeProject(engine, project).catch((failure) => tell(messageOf(failure)));
    await disks.close().catch((failure) => tell(messageOf(failure)));
    throw signal?.aborted ? signal.reason : error;
  }
}

/**
 * Waits for containers that were just started. Fails at once when one of them ends.
 * @template T @param {DockerSite} site
 * @param {{signal?: AbortSignal, image: string, explain?: (log: readonly string[]) => UserError | null}} options image: what the image
 *   needs, in a sentence; explain: gets the last log lines; null: they say nothing known
 * @param {(signal: AbortSignal) => Promise<T>} wait
 * @throws {UserError} with the node's last log lines
 */
export async function untilReady({ engine, containers: started }, { signal, image, explain }, wait) {
  const ended = new AbortController();
  const over = new AbortController();
  // Node takes many listeners for a leak, and each wait adds more than one.
  setMaxListeners(0, over.signal);
  /** @param {NodeContainer} node */
  const watch = async (node) => {
    await engine.getContainer(node.container).wait({ abortSignal: over.signal });
    const log = await containers.readContainerLog(node, LOG_LINES);
    const why = `${text('see-log-lines')} ${image}`;
    return explain?.(log) ?? problem('ended-too-soon', { id: node.id, why }, { detail: log.join('\n') });
  };
  // After the wait this has no effect.
  for (const node of started)
    watch(node)
      .catch((error) => error)
      .then((reason) => ended.abort(reason));
  try {
    return await wait(AbortSignal.any(signal ? [signal, ended.signal] : [ended.signal]));
  } finally {
    over.abort();
  }
}
