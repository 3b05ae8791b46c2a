/**
 * What a result says about the stack it was measured on.
 */

import { publicConfig } from '../measure/config.js';
import { toRecord } from '../stacks/redis/observe.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Cluster } from '../stacks/types.js'
 */

/** @typedef {Result['cluster']} ClusterDocument */

/**
 * @param {Cluster} cluster
 * @param {ReadonlyMap<string, Control>} controls
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
