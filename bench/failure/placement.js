/**
 * Which Sentinel shares a host with which node: what a page says about it, and what it recommends.
 */

/** @import { Result } from '../../src/result/schema.js' */

/** What a page recommends. */
const ADVICE = 'Put one Sentinel beside each node, and none elsewhere.';

/**
 * @param {Pick<Result, 'stack' | 'benchmarks'>} result
 * @returns {string} for which placement the answer holds, in sentences
 */
export function placementText({ stack, benchmarks }) {
  const { hosts, backend } = stack;
  if (hosts) return `Placement, read from the addresses: ${hosts.map(hostText).join('; ')}. ${judgement(hosts)}`;
  const chosen = benchmarks.flatMap(({ cases }) => cases.flatMap(({ params }) => params.placement ?? []));
  const whose = backend === 'external' ? 'All nodes have one address, so trials chose the hosts. ' : '';
  const where =
    chosen.length > 0 && chosen.every((each) => each === 'colocated')
      ? 'One Sentinel is beside each node.'
      : 'Sentinels are apart from the nodes, so a partition can leave most of them with one replica.';
  return `${whose}${where}${chosen.includes('colocated') ? '' : ` ${ADVICE}`}`;
}

/** @param {readonly string[]} ids */
function hostText(ids) {
  return ids.join(' + ');
}

/**
 * @param {readonly (readonly string[])[]} hosts
 * @returns {string}
 */
function judgement(hosts) {
  const danger = dangerousSide(hosts);
  if (danger === null)
    return 'A partition that leaves a majority of the Sentinels leaves a majority of the nodes with it.';
  return `A partition can leave a majority of the Sentinels with ${danger.join(' and ')} alone, which they promote without the writes of the others. ${ADVICE}`;
}

/**
 * @param {readonly (readonly string[])[]} hosts ids of the nodes on each
 * @returns {string[] | null} the fewest data nodes that hosts with a majority of the Sentinels may have, one at least; null: always a majority of
 *   the data nodes
 */
export function dangerousSide(hosts) {
  const sides = subsets(hosts).filter((side) => canPromote(side, hosts));
  const [least] = sides.map((side) => dataOf(side.flat())).sort((a, b) => a.length - b.length);
  return least === undefined || least.length > dataOf(hosts.flat()).length / 2 ? null : least;
}

/**
 * The partition that takes replicas along with the primary: as many as possible, while the other side can still promote one.
 *
 * @param {readonly (readonly string[])[]} hosts ids of the nodes on each, the primary’s first; at least two replicas, not all on its host
 * @returns {{near: (readonly string[])[], far: (readonly string[])[]}} near: the hosts on the primary’s side, its own first. If no other side can
 *   promote a replica, the last replica’s host is alone
 */
export function partitionWithPrimary(hosts) {
  const [own, ...others] = hosts;
  const dataIn = (/** @type {readonly (readonly string[])[]} */ side) => dataOf(side.flat()).length;
  const replicas = dataIn(hosts) - 1;
  const sides = subsets(others).filter((side) => canPromote(side, hosts) && dataIn(side) < replicas);
  // Of equal ones the last, with every host that has Sentinels only.
  const [least] = sides.reverse().sort((a, b) => dataIn(a) - dataIn(b) || b.length - a.length);
  const far = least ?? others.filter((ids) => dataOf(ids).length > 0).slice(-1);
  return { near: [own, ...others.filter((ids) => !far.includes(ids))], far };
}

/**
 * @param {readonly (readonly string[])[]} side some of the hosts
 * @param {readonly (readonly string[])[]} hosts all of them
 * @returns {boolean} a data node is there, and a majority of the Sentinels
 */
export function canPromote(side, hosts) {
  const sentinelsOf = (/** @type {readonly (readonly string[])[]} */ some) => some.flat().filter(isSentinel).length;
  return sentinelsOf(side) > sentinelsOf(hosts) / 2 && dataOf(side.flat()).length > 0;
}

/** @param {readonly string[]} ids */
const dataOf = (ids) => ids.filter((id) => !isSentinel(id));
/** @param {string} id */
const isSentinel = (id) => id.startsWith('sentinel');

/**
 * @template T
 * @param {readonly T[]} items few
 * @returns {T[][]}
 */
function subsets(items) {
  return Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_item, index) => (bits >> index) & 1));
}
