/** Which nodes share a host. A partition of hosts takes a node together with the Sentinels beside it. */
/** @import { NodeInfo } from '../types.js' */
/** @typedef {'colocated' | 'apart'} Placement colocated: each node has one Sentinel beside it; apart: the third one has two, a majority */
/** @typedef {{primary: string, replicas: readonly string[], sentinels: readonly string[]}} RoleIds ids of the nodes */

/** @type {readonly Placement[]} */
export const PLACEMENTS = ['colocated', 'apart'];

/**
 * @param {Placement} placement @param {RoleIds} roles when the trial begins
 * @returns ids by host: first that of the primary. Further Sentinels than nodes are on the last host
 */
export function hostsOf(placement, { primary, replicas, sentinels }) {
  const hosts = [primary, ...replicas].map((id) => [id]);
  const last = hosts.length - 1;
  sentinels.forEach((sentinel, index) => {
    const beside = placement === 'colocated' || index === 0 ? Math.min(index, last) : last;
    hosts[beside].push(sentinel);
  });
  return hosts;
}

/**
 * @param {readonly NodeInfo[]} nodes of an existing deployment @param {string} primary id
 * @returns {string[][] | null} ids by address: the primary's first, those of Sentinels alone last; null: all nodes have one address
 */
export function hostsByAddress(nodes, primary) {
  const hosts = new Map();
  const data = nodes
    .filter(({ kind }) => kind !== 'sentinel')
    .sort((a, b) => Number(b.id === primary) - Number(a.id === primary));
  for (const { id, address } of [...data, ...nodes.filter(({ kind }) => kind === 'sentinel')])
    hosts.set(address.host, [...(hosts.get(address.host) ?? []), id]);
  return hosts.size === 1 ? null : [...hosts.values()];
}
