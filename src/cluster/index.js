import { UserError } from '../errors.js';
import { attachExternal } from './external.js';
import { attachLocal, recoverLocal, startLocal } from './local.js';
import { findServer, INSTALL_SERVER } from './local-server.js';
import { recoverSlowVolumes } from './slow-volume.js';

/**
 * The one way to a stack: which backend, and whether a stack that is already up is used.
 *
 * @typedef {import('./types.js').Cluster} Cluster
 * @typedef {import('./types.js').ClusterOptions} ClusterOptions
 */

/** Loaded when asked for: nobody who needs no engine waits for its client. */
const docker = () => import('./docker.js');

/**
 * A stack that is ready: the one that is up, if there is one, else a new one.
 *
 * @param {ClusterOptions} options
 * @returns {Promise<Cluster>}
 * @throws {UserError} no backend is possible, or the stack does not become ready; nothing is left behind then
 */
export async function openCluster(options) {
  if (options.backend === 'external') return attachExternal(options);
  const up = await attachCluster(options);
  if (up) {
    options.tell?.(`Using the ${up.backend} stack that is already up.`);
    try {
      // Whoever used it before may have been killed in the middle of a fault.
      await up.heal();
    } catch (error) {
      await up.close();
      throw error;
    }
    return up;
  }
  const { backend, why } = await chooseBackend(options);
  return start(backend, { ...options, why });
}

/**
 * A new stack beside whatever is up, ready: several can be started at the same time.
 *
 * @param {ClusterOptions & {backend: 'local' | 'docker'}} options
 * @returns {Promise<Cluster>}
 * @throws {UserError} it does not become ready; nothing is left behind then
 */
export async function startCluster(options) {
  const { why } = await chooseBackend(options);
  return start(options.backend, { ...options, why });
}

/**
 * @param {'local' | 'docker'} backend
 * @param {ClusterOptions & {why: string}} options
 * @returns {Promise<Cluster>}
 */
async function start(backend, options) {
  return backend === 'local' ? startLocal(options) : (await docker()).startDocker(options);
}

/**
 * The stack that is up already, as it is, healthy or not.
 *
 * @param {ClusterOptions} options
 * @returns {Promise<Cluster | null>} null: there is none
 */
export async function attachCluster(options) {
  switch (options.backend) {
    case 'external':
      return attachExternal(options);
    case 'local':
      return attachLocal(options);
    case 'docker':
      return (await docker()).attachDocker(options);
    default:
      return (await attachLocal(options)) ?? (await docker()).attachDocker(options);
  }
}

/**
 * Takes down what dead processes left, on every backend. Touches nothing that is in use or was started by `up`.
 *
 * @param {(line: string) => void} [tell]
 */
export async function recover(tell) {
  await recoverLocal(tell);
  await (await docker()).recoverDocker(tell);
  // Their nodes may have kept their files there.
  await recoverSlowVolumes(tell);
}

/**
 * @param {ClusterOptions} options
 * @returns {Promise<{backend: 'docker' | 'local', why: string}>}
 */
async function chooseBackend(options) {
  if (options.backend === 'local') return { backend: 'local', why: 'The local backend was asked for.' };
  if (options.backend === 'docker') return { backend: 'docker', why: 'The docker backend was asked for.' };
  const engine = await (await docker()).dockerAvailable(options);
  if (engine.ok) return { backend: 'docker', why: engine.reason };
  if (await findServer(options.server)) {
    return { backend: 'local', why: `Docker cannot be used: ${engine.reason}` };
  }
  throw new UserError(
    `There is nothing to start Redis with: neither redis-server nor valkey-server is on PATH, and Docker cannot be used (${engine.reason.replace(/\.$/, '')}).`,
    `${INSTALL_SERVER}, or Docker with Compose (Debian: \`apt install docker.io docker-compose\`; Fedora: \`dnf install moby-engine docker-compose\`; Alpine: \`apk add docker docker-cli-compose\`; macOS: Docker Desktop).`,
  );
}
