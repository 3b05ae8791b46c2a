/** Sources and copies: two nodes of each of several stacks, made ready for the next round, and what they use. */
import { repeatedly } from '../../src/repeat.js';
import { stopFollowing } from '../../src/stacks/redis/replication.js';
import { hashTagOf, shardOf } from '../../src/stacks/redis/shards.js';
import { sum } from '../../src/stats/statistics.js';
import { waitFor } from '../../src/wait.js';
import { combined } from '../movers/move.js';
import { fillDataSet } from './data-set.js';

/** @import { CaseParams, NodeInfo } from '../types.js' */
/** @import { Testbed } from '../../src/run/rounds.js' */
/** @import { Control } from '../../src/stacks/redis/control.js' */
/** @import { MoveTotals, Pair } from '../movers/move.js' */
/** @import { DataSet } from './data-set.js' */
/** @typedef {{testbed: Testbed, id: string, control: Control}} PairNode one node of a pair; testbed: of its stack */
/** @typedef {'source' | 'copy'} Side */
/** @typedef {Record<Side, Omit<MoveTotals, 'keys' | 'reported'>>} PairTotals since the nodes started */
/**
 * @typedef {{testbed: Testbed, shard?: number, addresses: Pair, source: PairNode, copy: PairNode}} CopyPair testbed: the source's; shard: index. Absent: no
 *   nodes of a cluster
 */

const DATA_SEED = 7;
const LOOK_MS = 50;
/** Redis notices the end of a child ten times a second; a large file takes its time. */
const CHILD_DEADLINE_MS = 10_000;
/** A child writes a full sync; its CPU time counts once it has ended. */
const CPU_FIELDS = ['used_cpu_user', 'used_cpu_sys', 'used_cpu_user_children', 'used_cpu_sys_children'];

/** The data set that each source holds, until it is written to. @type {WeakMap<Control, string>} */
const heldData = new WeakMap();

/** @param {Testbed} testbed whose nodes form a Redis Cluster @returns {Promise<CopyPair[]>} each shard of it, and the same shard of another one */
export async function shardPairsOf(testbed) {
  const [copies] = (await testbed.others?.(1)) ?? [];
  if (!copies) throw new Error('there is no cluster to copy to');
  const [from, to] = [testbed, copies].map(({ primary, replicas = [] }) => [primary, ...replicas]);
  return from.map((node, shard) => pairBetween({ testbed, node }, { testbed: copies, node: to[shard] }, shard));
}

/** @param {Testbed} testbed of a stack with a replica */
export const pairOf = (testbed) =>
  pairBetween({ testbed, node: testbed.primary }, { testbed, node: testbed.replicas?.[0] });

/** @typedef {{testbed: Testbed, node: NodeInfo | undefined}} PairEnd */
/** @param {PairEnd} from @param {PairEnd} to @param {number} [shard] */
function pairBetween(from, to, shard) {
  const side = (/** @type {PairEnd} */ { testbed, node }) => {
    const control = testbed.controls.get(node?.id ?? '');
    if (!node || !control) throw new Error('a stack lacks a source or a copy');
    return { side: { testbed, id: node.id, control }, node };
  };
  const [source, copy] = [side(from), side(to)];
  return {
    testbed: from.testbed,
    addresses: {
      source: source.node.address,
      sourceForPeers: source.node.announced,
      copy: copy.node.address,
      credentials: from.testbed.stack.access.credentials,
      ...(shard !== undefined && { keyTag: hashTagOf(shard) }),
    },
    source: source.side,
    copy: copy.side,
    ...(shard !== undefined && { shard }),
  };
}

/**
 * @param {readonly CopyPair[]} pairs
 * @param {{data: DataSet, params: CaseParams, signal: AbortSignal, now: (text: string) => void}} options params: of the case, whose settings are in force then
 * @returns {Promise<void>} the copies are empty primaries; the sources hold the data set and nothing else
 */
export async function readyPairs(pairs, { data, params, signal, now }) {
  for (const { testbed, source, copy, shard } of pairs) {
    // A node of a cluster cannot follow another one in this way. Its cases have no settings of their own.
    if (shard === undefined) {
      await testbed.tuning.become(params, { primary: source.id, replicas: [copy.id] });
      // First, so that it does not replicate what follows.
      await stopFollowing(copy.control);
    }
    await copy.control.call('FLUSHALL');
  }
  signal.throwIfAborted();
  const wanted = JSON.stringify(data);
  for (const [i, { source, addresses, shard }] of pairs.entries()) {
    if (heldData.get(source.control) === wanted) continue;
    now(`writing the data set of source ${i + 1} of ${pairs.length}`);
    heldData.delete(source.control);
    await source.control.call('FLUSHALL');
    const target = { ...addresses.source, credentials: addresses.credentials };
    const accepts = shard === undefined ? undefined : (/** @type {string} */ key) => shardOf(key) === shard;
    await fillDataSet(target, { ...data, seed: DATA_SEED, accepts, signal });
    heldData.set(source.control, wanted);
  }
}

/** @param {readonly CopyPair[]} pairs whose sources are about to be written to */
export function willChange(pairs) {
  for (const { source } of pairs) heldData.delete(source.control);
}

/** @param {readonly CopyPair[]} pairs @returns {Promise<number>} keys of all sources */
export async function keysOf(pairs) {
  const sizes = await Promise.all(pairs.map(({ source }) => source.control.call('DBSIZE')));
  return sum(sizes.map(Number));
}

/** @param {readonly CopyPair[]} pairs @returns {Promise<PairTotals>} of all pairs together */
export async function readTotals(pairs) {
  // A stack is asked once, and not for each of its nodes.
  const stacks = new Set(pairs.flatMap(({ source, copy }) => [source.testbed, copy.testbed]));
  const sampled = new Map(
    await Promise.all(
      [...stacks].map(async (testbed) => {
        const { can, host } = testbed.stack;
        return /** @type {const} */ ([testbed, can.has('stats') ? await host.stats() : []]);
      }),
    ),
  );
  const totals = async (/** @type {Side} */ side) => {
    const nodes = pairs.map(async (pair) => {
      const { testbed, id, control } = pair[side];
      const info = await control.info('cpu');
      const sample = sampled.get(testbed)?.find((one) => one.id === id);
      return {
        cpuSeconds: sum(CPU_FIELDS.map((field) => Number(info[field]))),
        networkInBytes: sample?.networkInBytes ?? null,
        networkOutBytes: sample?.networkOutBytes ?? null,
        blockOutBytes: sample?.blockOutBytes ?? null,
      };
    });
    return combined(await Promise.all(nodes), sum);
  };
  return { source: await totals('source'), copy: await totals('copy') };
}

/** @param {PairTotals} before @param {PairTotals} after @param {Side} side @param {number} seconds between them */
export function useBetween(before, after, side, seconds) {
  const { cpuSeconds, ...use } = combined([before[side], after[side]], ([from, to]) => to - from);
  return { cpu: cpuSeconds && cpuSeconds / seconds, ...use };
}

/** @param {readonly CopyPair[]} pairs @returns {Promise<void>} no source has a child that writes; rejects when one does not end */
export async function untilChildless(pairs) {
  for (const { source } of pairs) {
    const isAlone = async () => (await source.control.info('persistence')).rdb_bgsave_in_progress === '0';
    if (!(await waitFor(isAlone, { deadlineMs: CHILD_DEADLINE_MS })))
      throw new Error('the child of a source that writes its data set does not end');
  }
}

/**
 * Looks at the sources' memory often, but without slowing them.
 * @param {readonly CopyPair[]} pairs
 * @returns {Promise<() => Promise<{copyOnWriteBytes: number | null, sourceMemoryPeakBytes: number}>>} ends it; all sources together for copy-on-write, null:
 *   none forked; the highest of any for memory
 */
export async function watchMemory(pairs) {
  const sources = await Promise.all(
    pairs.map(async ({ source: { control } }) => ({ control, forks: await forksOf(control), copied: 0, resident: 0 })),
  );
  const look = () =>
    Promise.all(
      sources.map(async (source) => {
        const { current_cow_peak: peak, used_memory_rss: resident } = await source.control.info(
          'persistence',
          'memory',
        );
        source.copied = Math.max(source.copied, Number(peak ?? 0));
        source.resident = Math.max(source.resident, Number(resident));
      }),
    );
  const stop = repeatedly(look, LOOK_MS);

  return async () => {
    await stop();
    await look();
    let forked = false;
    for (const source of sources) {
      if ((await forksOf(source.control)) === source.forks) continue;
      forked = true;
      const { rdb_last_cow_size: last } = await source.control.info('persistence');
      source.copied = Math.max(source.copied, Number(last ?? 0));
    }
    return {
      copyOnWriteBytes: forked ? sum(sources.map(({ copied }) => copied)) : null,
      sourceMemoryPeakBytes: Math.max(...sources.map(({ resident }) => resident)),
    };
  };
}

/** @param {Control} control @returns {Promise<number>} forks for full syncs or saves; before Redis 6.2 the number of full syncs */
async function forksOf(control) {
  const { total_forks: forks, sync_full: syncs } = await control.info('stats');
  return Number(forks ?? syncs);
}
