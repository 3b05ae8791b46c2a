/** The nodes of a stack as containers, whatever their system: the actions on them, and what they use. */
import { messageOf } from '../../errors.js';
import { nodeOf } from '../ask.js';
import { startDisks } from '../disks.js';
import { actOnContainer, areReachable, findNodes, readContainerLog } from './nodes.js';
import { removeProject } from './project.js';
import { sampleContainer } from './stats.js';

/**
 * @import { Disks } from '../disks.js'
 * @import { Address, NodeHost, NodeInfo } from '../types.js'
 * @import { Engine } from './engine.js'
 * @import { NodeContainer } from './nodes.js'
 *
 * @typedef {Object} DockerHost
 * @property {NodeContainer[]} containers
 * @property {readonly NodeInfo[]} nodes
 * @property {boolean} direct containers' own addresses can be reached from here
 * @property {string} path how clients reach the nodes
 * @property {(id: string) => NodeContainer} containerOf
 * @property {NodeHost['stats']} stats
 * @property {NodeHost['logs']} logs
 * @property {(servers: Servers) => {act: NodeHost['act'], revive: () => Promise<void>}} actions revive: every node runs, and none is paused or separated
 *
 * @typedef {Object} Servers in the containers
 * @property {Disks} disks
 * @property {(address: Address) => Promise<{close: () => void}>} connect rejects while the server does not answer
 * @property {(node: NodeInfo) => Promise<unknown>} [onJoined] called when the server, which runs, reaches its peers again
 */

/**
 * @param {Engine} engine
 * @param {string} project whose containers exist
 * @param {Object} options
 * @param {(address: Address) => Promise<boolean>} options.canReach whether a container's own address is routed from here
 * @param {Parameters<typeof findNodes>[2]} [options.topology]
 * @returns {Promise<DockerHost>}
 */
export async function openDockerHost(engine, project, { canReach, topology }) {
  const containers = await findNodes(engine, project, topology);
  const direct = await areReachable(engine, project, containers, canReach);
  const nodes = containers.map(({ id, kind, announced, onClients, published }) =>
    Object.freeze({ id, kind, announced, address: direct ? onClients : published }),
  );
  const containerOf = (/** @type {string} */ id) => nodeOf({ nodes: containers }, id);

  /** @type {DockerHost['actions']} */
  function actions({ disks, connect, onJoined }) {
    /** @type {NodeHost['act']} */
    const act = (id, action) =>
      disks.act(id, action, (each) =>
        actOnContainer(engine, project, containerOf(id), each, {
          connect: () => connect(nodeOf({ nodes }, id).address),
          onJoined: async () => onJoined?.(nodeOf({ nodes }, id)),
        }),
      );
    return {
      act,
      async revive() {
        await Promise.all(
          nodes.map(async ({ id }) => {
            await act(id, 'resume');
            // Joined first, because a node that starts during a partition cannot reach its primary.
            await act(id, 'join');
            await act(id, 'start');
          }),
        );
      },
    };
  }

  return {
    containers,
    nodes,
    direct,
    path: direct ? 'container address' : 'published port',
    containerOf,
    async stats() {
      const samples = await Promise.all(containers.map((container) => sampleContainer(engine, container)));
      return samples.filter((sample) => sample !== null);
    },
    logs: (id, lines) => readContainerLog(engine, containerOf(id), lines),
    actions,
  };
}

/**
 * @template T
 * @param {Engine} engine
 * @param {string} project
 * @param {{volatileDisks?: readonly string[], tell: (line: string) => void, signal?: AbortSignal}} options volatileDisks: ids of the nodes that get one
 * @param {(disks: Disks) => Promise<T>} start starts the containers
 * @returns {Promise<T>} after a rejection everything that was started is removed
 */
export async function startContainers(engine, project, { volatileDisks = [], tell, signal }, start) {
  const disks = await startDisks(volatileDisks, { kind: 'contained', signal, tell });
  try {
    return await start(disks);
  } catch (error) {
    // The caller gets the first error. An error of the clean-up is only told.
    await removeProject(engine, project).catch((failure) => tell(messageOf(failure)));
    await disks.close().catch((failure) => tell(messageOf(failure)));
    throw signal?.aborted ? signal.reason : error;
  }
}
