/** Sources and copies: two nodes of each of several stacks, made ready for the next round, and what they use. */
import { setTimeout as delay } from 'node:timers/promises';
import { once } from '../../src/once.js';
import { stopFollowing } from '../../src/stacks/redis/replication.js';
import { hashTagOf, shardOf } from '../../src/stacks/redis/shards.js';
import { sum } from '../../src/stats/statistics.js';
import { waitFor } from '../../src/wait.js';
import { fillDataSet } from './data-set.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { CopyFigures } from './document.js'
 * @import { Testbed } from '../../src/run/rounds.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { NodeInfo } from '../../src/stacks/types.js'
 * @import { Pair } from '../movers/move.js'
 */

/**
 * @typedef {Object} PairNode one node of a pair
 * @property {Testbed} testbed its stack
 * @property {string} id of the node, in its stack
 * @property {Control} control
 *
 * @typedef {Object} CopyPair
 * @property {Testbed} testbed the source's stack
 * @property {number} [shard] index; absent: source and copy are no nodes of a cluster
 * @property {Pair} addresses
 * @property {PairNode} source
 * @property {PairNode} copy
 *
 * @typedef {Object} DataSet
 * @property {string} keyPrefix
 * @property {number} keys
 * @property {number} [stringBytes] see `fillDataSet`
 *
 * @typedef {CopyFigures['use']['source']} CopyUse
 *
 * @typedef {Object} Totals of one node, since it started; null: not counted
 * @property {number} cpuSeconds
 * @property {number | null} networkInBytes
 * @property {number | null} networkOutBytes
 * @property {number | null} blockOutBytes
 *
 * @typedef {{source: Totals, copy: Totals}} PairTotals
 */

/** The same for every pair and every round. */
const DATA_SEED = 7;

/** The data set that each source holds, until it is written to. @type {WeakMap<Control, string>} */
const heldData = new WeakMap();

/**
 * @param {Testbed} testbed whose nodes form a Redis Cluster
 * @returns {Promise<CopyPair[]>} each shard of it, and the shard with the same slots of another such cluster
 */
export async function shardPairsOf(testbed) {
  const [copies] = (await testbed.others?.(1)) ?? [];
  if (!copies) throw new Error('there is no cluster to copy to');
  const [from, to] = [testbed, copies].map(({ primary, replicas = [] }) => [primary, ...replicas]);
  return from.map((node, shard) => pairBetween({ testbed, node }, { testbed: copies, node: to[shard] }, shard));
}

/** @param {Testbed} testbed of a stack with a replica */
export function pairOf(testbed) {
  return pairBetween({ testbed, node: testbed.primary }, { testbed, node: testbed.replicas?.[0] });
}

/**
 * @param {{testbed: Testbed, node: NodeInfo | undefined}} from
 * @param {{testbed: Testbed, node: NodeInfo | undefined}} to
 * @param {number} [shard]
 * @returns {CopyPair}
 */
function pairBetween(from, to, shard) {
  const side = (/** @type {typeof from} */ { testbed, node }) => {
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
 * @param {Object} options
 * @param {DataSet} options.data
 * @param {CaseParams} options.params of the case: its settings are in force on every stack when this resolves
 * @param {AbortSignal} options.signal
 * @param {(text: string) => void} options.now
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

const LOOK_MS = 50;
/** Redis notices the end of a child ten times a second; a large file takes its time. */
const CHILD_DEADLINE_MS = 10_000;

/** @param {readonly CopyPair[]} pairs @returns {Promise<PairTotals[]>} */
export async function readTotals(pairs) {
  const stacks = new Set(pairs.flatMap(({ source, copy }) => [source.testbed, copy.testbed]));
  // A stack is asked once, and not for each of its nodes.
  const sampled = new Map(
    [...stacks].map((testbed) => [testbed, testbed.stack.can.has('stats') ? testbed.stack.host.stats() : []]),
  );
  return Promise.all(
    pairs.map(async ({ source, copy }) => {
      const totals = async (/** @type {PairNode} */ { testbed, id, control }) => {
        const samples = (await sampled.get(testbed)) ?? [];
        const info = await control.info('cpu');
        const sample = samples.find((one) => one.id === id);
        return {
          // A child writes a full sync; its CPU time counts once it has ended.
          cpuSeconds: sum(CPU_FIELDS.map((field) => Number(info[field]))),
          networkInBytes: sample?.networkInBytes ?? null,
          networkOutBytes: sample?.networkOutBytes ?? null,
          blockOutBytes: sample?.blockOutBytes ?? null,
        };
      };
      return { source: await totals(source), copy: await totals(copy) };
    }),
  );
}

const CPU_FIELDS = ['used_cpu_user', 'used_cpu_sys', 'used_cpu_user_children', 'used_cpu_sys_children'];

/**
 * @param {readonly PairTotals[]} before
 * @param {readonly PairTotals[]} after
 * @param {'source' | 'copy'} side
 * @param {number} seconds between them
 * @returns {CopyUse} of all pairs together
 */
export function useBetween(before, after, side, seconds) {
  /** @param {keyof Totals} field */
  const moved = (field) =>
    after.reduce((/** @type {number | null} */ sum, pair, i) => {
      const [from, to] = [before[i][side][field], pair[side][field]];
      return sum === null || from === null || to === null || to < from ? null : sum + to - from;
    }, 0);
  const cpu = moved('cpuSeconds');
  return {
    cpu: cpu === null || Number.isNaN(cpu) ? null : cpu / seconds,
    networkInBytes: moved('networkInBytes'),
    networkOutBytes: moved('networkOutBytes'),
    blockOutBytes: moved('blockOutBytes'),
  };
}

/**
 * @param {readonly CopyPair[]} pairs
 * @returns {Promise<void>} no source has a child that writes; rejects when one does not end
 */
export async function untilChildless(pairs) {
  for (const { source } of pairs) {
    const isAlone = async () => (await source.control.info('persistence')).rdb_bgsave_in_progress === '0';
    if (!(await waitFor(isAlone, { deadlineMs: CHILD_DEADLINE_MS })))
      throw new Error('the child of a source that writes its data set does not end');
  }
}

/**
 * @typedef {Object} PairWatch of the sources' memory
 * @property {() => Promise<{copyOnWriteBytes: number | null, sourceMemoryPeakBytes: number}>} stop all sources together for
 *   copy-on-write, null: none forked; the highest of any for memory. Idempotent
 *
 * @param {readonly CopyPair[]} pairs
 * @returns {Promise<PairWatch>} samples often, but without slowing the sources
 */
export async function watchMemory(pairs) {
  const sources = await Promise.all(
    pairs.map(async ({ source: { control } }) => ({ control, forks: await forksOf(control), copied: 0, resident: 0 })),
  );
  const stopping = new AbortController();

  async function look() {
    await Promise.all(
      sources.map(async (source) => {
        const { current_cow_peak: peak, used_memory_rss: resident } = await source.control.info(
          'persistence',
          'memory',
        );
        source.copied = Math.max(source.copied, Number(peak ?? 0));
        source.resident = Math.max(source.resident, Number(resident));
      }),
    );
  }

  async function lookOften() {
    while (!stopping.signal.aborted) {
      await look();
      await delay(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function end() {
    stopping.abort();
    await looking;
    await look();
    let forked = false;
    for (const source of sources) {
      if ((await forksOf(source.control)) === source.forks) continue;
      forked = true;
      // The last child reported it when it ended.
      const { rdb_last_cow_size: last } = await source.control.info('persistence');
      source.copied = Math.max(source.copied, Number(last ?? 0));
    }
    return {
      copyOnWriteBytes: forked ? sum(sources.map(({ copied }) => copied)) : null,
      sourceMemoryPeakBytes: Math.max(...sources.map(({ resident }) => resident)),
    };
  }

  const looking = lookOften();
  // `stop` reports the error.
  looking.catch(() => {});
  return { stop: once(end) };
}

/**
 * @param {Control} control
 * @returns {Promise<number>} forks for full syncs or saves; before Redis 6.2 the number of full syncs
 */
async function forksOf(control) {
  const { total_forks: forks, sync_full: syncs } = await control.info('stats');
  return Number(forks ?? syncs);
}
