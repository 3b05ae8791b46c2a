/**
 * What a result says about the stack it was measured on.
 */
import { toRecord } from '../cluster/observe-node.js';
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
      config[id] = publicConfig(toRecord(await control.call('CONFIG', 'GET', '*')));
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
