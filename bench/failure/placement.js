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
  const sentinelsOf = (/** @type {readonly string[]} */ ids) => ids.filter(isSentinel).length;
  const dataOf = (/** @type {readonly string[]} */ ids) => ids.filter((id) => !isSentinel(id));
  const all = hosts.flat();
  const sides = subsets(hosts)
    .map((side) => side.flat())
    .filter((side) => sentinelsOf(side) > sentinelsOf(all) / 2 && dataOf(side).length > 0)
    .map(dataOf)
    .sort((a, b) => a.length - b.length);
  const [least] = sides;
  return least === undefined || least.length > dataOf(all).length / 2 ? null : least;
}

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
