/**
 * Which Sentinel shares a host with which node: what a page says about it, and what it recommends.
 */

/**
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 */

import { isVaried } from '../../src/result/variation.js';

/** The placement of a case in which one Sentinel is beside each node. */
export const COLOCATED = /** @type {const} */ ('colocated');

/** What a page recommends. */
const ADVICE = 'Put one Sentinel beside each node, and none elsewhere.';

/**
 * @param {Pick<Result, 'stack' | 'benchmarks'>} result
 * @returns {string} for which placement the answer holds, and which one is better, in sentences
 */
export function placementText(result) {
  const { hosts } = result.stack;
  const asked = askedOf(result);
  const isWell = hosts && asked === undefined ? dangerousSide(hosts) === null : asked === 'colocated';
  return `${testedPlacement(result)}${isWell ? '' : ` ${ADVICE}`}`;
}

/** @param {Pick<Result, 'benchmarks'>} result */
function askedOf({ benchmarks }) {
  return benchmarks.filter(isAsUsual).flatMap(({ cases }) => askedIn(cases) ?? [])[0];
}

/**
 * @param {Pick<Result, 'stack' | 'benchmarks'>} result
 * @returns {string} for which placement the answer holds, in sentences
 */
export function testedPlacement(result) {
  const { stack, benchmarks } = result;
  const { hosts, backend } = stack;
  const asked = askedOf(result);
  if (hosts && asked === undefined)
    return `Placement, read from the addresses: ${hosts.map(hostText).join('; ')}. ${judgement(hosts)}`;
  const whose =
    backend !== 'external'
      ? ''
      : hosts
        ? '`--placement` chose the hosts. '
        : 'All nodes have one address, so trials chose the hosts. ';
  if (asked === 'colocated') return `${whose}One Sentinel is beside each node.`;
  const beside = asked === undefined ? besideIn(benchmarks) : [];
  const except = beside.length === 0 ? '' : `; one is beside each node in: ${beside.join('; ')}`;
  return `${whose}Sentinels are apart from the nodes, so a partition can leave most of them with one replica${except}.`;
}

/** The benchmark of five nodes has placements of its own in each case, and tells them. */
const FIVE_NODES = 'topology';

/** @param {BenchmarkResult} benchmark */
function isAsUsual({ name }) {
  return name !== FIVE_NODES;
}

/**
 * @param {BenchmarkResult['cases']} cases
 * @returns {Placement | undefined} that the user asked for: all cases have it
 */
export function askedIn(cases) {
  const [placement] = cases.map(({ params }) => params.placement);
  return cases.every(({ params }) => params.placement === placement) ? placement : undefined;
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {string[]} titles of the faults with one Sentinel beside each node if the user asks for nothing
 */
function besideIn(benchmarks) {
  const has = (/** @type {string} */ end, /** @type {CaseVariation} */ variation = {}) =>
    benchmarks.some(({ name, cases }) => name.endsWith(end) && cases.some(({ params }) => isVaried(params, variation)));
  return [
    ...(has('host-partitioned-briefly') ? ['host partitioned briefly'] : []),
    ...(has('partition-with-replica', { placement: COLOCATED })
      ? ['partition with a replica, Sentinels colocated']
      : []),
  ];
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
  return `A partition can leave a majority of the Sentinels with ${danger.join(' and ')} alone, which they promote without the writes of the others.`;
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
