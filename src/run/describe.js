/**
 * What a result says about the stack it was measured on.
 */
import { publicConfig } from '../measure/config.js';

/** @typedef {import('../report/schema.js').Result['cluster']} ClusterDocument */

/**
 * @param {import('../cluster/types.js').Cluster} cluster
 * @param {ReadonlyMap<string, import('../cluster/control.js').Control>} controls
 * @returns {Promise<ClusterDocument>} without secrets, paths and addresses
 */
export async function describeCluster(cluster, controls) {
  const primary = await cluster.primary();
  /** @type {ClusterDocument['config']} */
  const config = {};
  if (cluster.can.has('configure')) {
    for (const [id, control] of controls) {
      const flat = /** @type {string[]} */ (await control.call('CONFIG', 'GET', '*'));
      const pairs = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
      config[id] = publicConfig(Object.fromEntries(pairs));
    }
  }
  return {
    backend: cluster.backend,
    why: cluster.why,
    server: cluster.server,
    path: cluster.path,
    masterName: cluster.masterName,
    nodes: cluster.nodes.map(({ id, kind }) => ({
      id,
      kind,
      role: kind === 'sentinel' ? 'sentinel' : id === primary.id ? 'primary' : 'replica',
    })),
    config,
  };
}
