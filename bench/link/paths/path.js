/**
 * What lies between a replica and the node it follows, on whichever backend.
 */
import { UserError } from '../../../src/errors.js';
import { openLocalPath, whyNoLocalPath } from './local.js';

/**
 * @import { Cluster } from '../../../src/stacks/types.js'
 * @import { Path, PathOptions } from './types.js'
 */

/** Loaded on demand: other backends do not need Docker's client. */
const docker = () => import('./docker.js');

/**
 * @param {Cluster} cluster
 * @param {PathOptions} options
 * @returns {Promise<Path>} the node behind it has answered; the replica does not follow it yet
 * @throws {UserError} something is missing, or it does not come up; nothing is left of it then
 */
export async function openPath(cluster, options) {
  const why = await whyNoPath(options, cluster);
  if (why !== null) {
    const [what, remedy] = why.split(/(?<=\.) (?=[A-Z])/);
    throw new UserError(what, remedy);
  }
  options.signal?.throwIfAborted();
  return cluster.backend === 'docker'
    ? (await docker()).openDockerPath(cluster, options)
    : openLocalPath(cluster, options);
}

/**
 * @param {Pick<PathOptions, 'tunnel' | 'shaped'>} wanted
 * @param {Cluster} cluster
 * @returns {Promise<string | null>} what is missing here and the remedy, in two sentences; null: nothing is
 */
export async function whyNoPath(wanted, cluster) {
  switch (cluster.backend) {
    case 'local':
      return whyNoLocalPath(wanted.tunnel);
    case 'docker':
      return (await docker()).whyNoDockerPath(wanted);
    default:
      return 'An external deployment’s links cannot be changed. Use --backend local or docker.';
  }
}
