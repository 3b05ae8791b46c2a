/** The nodes of every stack: names, default ports, identities. The same for all backends. */
/** @import { NodeKind } from '../types.js' */
/** @typedef {{replicas?: number, sentinelCount?: number}} Size nodes beside the first primary: of `REPLICA_COUNTS` and `SENTINEL_COUNTS` */
/** @typedef {{id: string, kind: NodeKind, port: number, number: number, myid?: string}} TopologyNode number: for addresses, its own */
import { nodeOf } from '../ask.js';
import { problem } from '../texts.js';

export const MASTER_NAME = 'mymaster';

export const FIRST_PRIMARY = 'redis-1';

export const REPLICA_COUNTS = Object.freeze([1, 2, 4]);
export const SENTINEL_COUNTS = Object.freeze([3, 5]);
const USUAL = Object.freeze({ replicas: 2, sentinelCount: 3 });

/** @param {'redis' | 'sentinel'} kind @param {number} firstPort @param {readonly number[]} numbers @returns {TopologyNode[]} */
const nodesOfKind = (kind, firstPort, numbers) =>
  numbers.map((number, index) => ({
    id: `${kind}-${index + 1}`,
    kind,
    port: firstPort + index,
    number,
    // A Sentinel's identity, fixed, so that each can be configured with the others.
    ...(kind === 'sentinel' && { myid: `5e17b1e${index + 1}`.repeat(5) }),
  }));

/** The usual six have the numbers up to 6. */
export const REDIS_NODES = Object.freeze(nodesOfKind('redis', 6379, [1, 2, 3, 7, 8]));
export const ALL_NODES = Object.freeze([...REDIS_NODES, ...nodesOfKind('sentinel', 26_379, [4, 5, 6, 9, 10])]);

/** @param {Size} [size] @returns {readonly TopologyNode[]} first the Redis nodes, then the Sentinels @throws {UserError} none has so many */
export function nodesOf({ replicas = USUAL.replicas, sentinelCount = USUAL.sentinelCount } = {}) {
  checkCount('replicas', replicas, REPLICA_COUNTS);
  checkCount('Sentinels', sentinelCount, SENTINEL_COUNTS);
  const first = (/** @type {NodeKind} */ kind, /** @type {number} */ count) =>
    ALL_NODES.filter((node) => node.kind === kind).slice(0, count);
  return Object.freeze([...first('redis', 1 + replicas), ...first('sentinel', sentinelCount)]);
}

export const NODES = nodesOf();

/** @param {Size} size */
export function isUsual({ replicas = USUAL.replicas, sentinelCount = USUAL.sentinelCount }) {
  return replicas === USUAL.replicas && sentinelCount === USUAL.sentinelCount;
}

/** @param {Size & {shards?: boolean}} options @returns such as `three nodes and three Sentinels` */
export function whatStarts({ shards, replicas = USUAL.replicas, sentinelCount = USUAL.sentinelCount }) {
  if (shards) return 'a Redis Cluster of three primaries';
  return `${WORDS[1 + replicas]} nodes and ${WORDS[sentinelCount]} Sentinels`;
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five'];

/** @param {readonly string[]} ids of the nodes of a stack @returns {Required<Size>} */
export function sizeOf(ids) {
  const count = (/** @type {string} */ prefix) => ids.filter((id) => id.startsWith(prefix)).length;
  return { replicas: count('redis-') - 1, sentinelCount: count('sentinel-') };
}

/** @param {readonly string[]} ids @returns they are all the nodes of a stack that can be started */
export function isWhole(ids) {
  const { replicas, sentinelCount } = sizeOf(ids);
  if (!REPLICA_COUNTS.includes(replicas) || !SENTINEL_COUNTS.includes(sentinelCount)) return false;
  return nodesOf({ replicas, sentinelCount }).every(({ id }) => ids.includes(id));
}

/** @param {number} sentinels @returns a majority */
export function quorumOf(sentinels) {
  return Math.floor(sentinels / 2) + 1;
}

/** @param {string} id @returns for its address; 0: it is not a node of a Redis stack */
export function numberOf(id) {
  return ALL_NODES.find((node) => node.id === id)?.number ?? 0;
}

/** @param {string} id @returns {NodeKind} */
export function kindOf(id) {
  return nodeOf({ nodes: ALL_NODES }, id).kind;
}

/** @param {string} what @param {number} count @param {readonly number[]} allowed */
function checkCount(what, count, allowed) {
  if (allowed.includes(count)) return;
  const counts = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`;
  throw problem('stack-size', { count, what, counts });
}
