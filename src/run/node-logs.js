/**
 * What the nodes wrote, for whoever wants to know why something failed.
 */

/** @import { Cluster } from '../stacks/types.js' */

const LOG_LINES = 200;

/**
 * @param {Cluster} cluster
 * @param {string} name of what failed
 * @param {Map<string, string[]>} logs gets `<name>.<node>` → the node's last log lines
 */
export async function keepLogs(cluster, name, logs) {
  if (!cluster.can.has('logs')) return;
  for (const { id } of cluster.nodes) {
    logs.set(`${name}.${id}`, await cluster.logs(id, LOG_LINES).catch((why) => [String(why)]));
  }
}
