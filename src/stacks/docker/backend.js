/** A stack in containers without its database: its containers, what lies between them, and its end. */
import { setMaxListeners } from 'node:events';
import { UserError } from '../../errors.js';
import { once } from '../../once.js';
import { TOXIPROXY_ABILITIES } from '../links.js';
import { NO_LINKS } from '../network/links.js';
import { NETWORK_ABILITIES } from '../network/network.js';
import { hasFile, readContainerLog, removeFile } from './nodes.js';
import { removeProject } from './project.js';

/**
 * @import { Network } from '../network/network.js'
 * @import { Ability, Backend, NodeFiles, StackFacts, StackNetwork } from '../types.js'
 * @import { Engine } from './engine.js'
 * @import { DockerHost, Servers } from './host.js'
 * @import { NodeContainer } from './nodes.js'
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'lose', 'partition', 'isolate', 'configure', 'stats', 'logs'];

/** This many log lines show why a server ended. */
const LOG_LINES = 8;

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {DockerHost} host
 * @param {Pick<StackFacts, 'ours' | 'why' | 'server'>} about
 * @param {Servers & {groups?: Network | null, links?: Pick<StackNetwork, 'slow'> | null}} parts
 *   groups: null: it cannot be divided into groups; links: null: nothing lies between its nodes
 * @returns {Backend}
 */
export function dockerBackend(engine, project, host, about, { groups = null, links = null, ...servers }) {
  const { nodes, containerOf, path, stats, logs } = host;
  const { disks } = servers;
  const { act, revive } = host.actions(servers);
  return {
    about: { backend: 'docker', identity: project, path, ...about },
    nodes,
    can: [...ALWAYS, ...(links ? TOXIPROXY_ABILITIES : []), ...(groups ? NETWORK_ABILITIES : []), ...disks.can],
    host: { act, stats, logs, files: containerFiles(engine, containerOf) },
    network: { slow: links?.slow ?? NO_LINKS.slow, groups },
    async revive() {
      await groups?.join();
      await links?.slow(null);
      await revive();
    },
    remove: once(() => removeProject(engine, project).finally(disks.close)),
  };
}

/**
 * Waits for containers that were just started. Fails at once when one of them ends.
 * @template T
 * @param {Engine} engine
 * @param {readonly NodeContainer[]} containers
 * @param {Object} options
 * @param {AbortSignal} [options.signal]
 * @param {string} options.image what the image needs, in a sentence
 * @param {(log: readonly string[]) => UserError | null} [options.explain] its last log lines; null: they say nothing known
 * @param {(signal: AbortSignal) => Promise<T>} wait
 * @returns {Promise<T>}
 * @throws {UserError} with the node's last log lines
 */
export async function untilReady(engine, containers, { signal, image, explain }, wait) {
  const ended = new AbortController();
  const over = new AbortController();
  // Node takes many listeners for a leak, and each wait adds more than one.
  setMaxListeners(0, over.signal);
  /** @param {NodeContainer} node */
  const watch = async (node) => {
    await engine.getContainer(node.container).wait({ abortSignal: over.signal });
    const log = await readContainerLog(engine, node, LOG_LINES);
    const why = `Its last log lines below say why. ${image}`;
    return (
      explain?.(log) ?? new UserError(`${node.id} ended before the stack was ready.`, why, { detail: log.join('\n') })
    );
  };
  // After the wait this has no effect.
  for (const node of containers)
    watch(node)
      .catch((error) => error)
      .then((reason) => ended.abort(reason));
  try {
    return await wait(AbortSignal.any(signal ? [signal, ended.signal] : [ended.signal]));
  } finally {
    over.abort();
  }
}

/** @param {Engine} engine @param {DockerHost['containerOf']} containerOf @returns {NodeFiles} */
function containerFiles(engine, containerOf) {
  return {
    has: (id, name) => hasFile(engine, containerOf(id), name),
    remove: (id, name) => removeFile(engine, containerOf(id), name),
  };
}
