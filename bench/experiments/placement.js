/**
 * Which Sentinel shares a host with which node, and the partition that this makes the worst.
 * @typedef {readonly (readonly string[])[]} Hosts ids of the nodes on each
 */

/** The placement of a case in which one Sentinel is beside each node. */
export const COLOCATED = /** @type {const} */ ('colocated');
export const SO_PLACED = 'the same, a Sentinel beside each node';

/**
 * The partition that takes replicas along with the primary: as many as possible, while the other side can still promote one.
 * @param {Hosts} hosts ids of the nodes on each, the primary’s first; at least two replicas, not all on its host
 * @returns {{near: (readonly string[])[], far: (readonly string[])[]}} near: the hosts on the primary’s side, its own first. If no other side can
 *   promote a replica, the last replica’s host is alone
 */
export function partitionWithPrimary(hosts) {
  const [own, ...others] = hosts;
  const dataIn = (/** @type {Hosts} */ side) => dataOf(side.flat()).length;
  const replicas = dataIn(hosts) - 1;
  const sides = subsets(others).filter((side) => canPromote(side, hosts) && dataIn(side) < replicas);
  // Of equal ones the last, with every host that has Sentinels only.
  const [least] = sides.reverse().sort((a, b) => dataIn(a) - dataIn(b) || b.length - a.length);
  const far = least ?? others.filter((ids) => dataOf(ids).length > 0).slice(-1);
  return { near: [own, ...others.filter((ids) => !far.includes(ids))], far };
}

/** A data node is there, and a majority of the Sentinels. @param {Hosts} side some of the hosts @param {Hosts} hosts all of them */
export function canPromote(side, hosts) {
  const sentinelsOf = (/** @type {Hosts} */ some) => some.flat().filter(isSentinel).length;
  return sentinelsOf(side) > sentinelsOf(hosts) / 2 && dataOf(side.flat()).length > 0;
}

/** @param {readonly string[]} ids */
const dataOf = (ids) => ids.filter((id) => !isSentinel(id));
/** @param {string} id */
const isSentinel = (id) => id.startsWith('sentinel');

/** @template T @param {readonly T[]} items few @returns {T[][]} */
function subsets(items) {
  return Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_item, index) => (bits >> index) & 1));
}
