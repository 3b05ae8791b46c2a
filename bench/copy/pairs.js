/**
 * Sources and copies: two nodes of each of several stacks, made ready for the next round.
 */

import { followNobody } from '../../src/stacks/redis/replication.js';
import { fillDataSet } from './movers/data-set.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Bench } from '../../src/run/rounds.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Cluster } from '../../src/stacks/types.js'
 * @import { Pair } from './movers/move.js'
 */

/**
 * @typedef {Object} Side one node of a pair
 * @property {string} id of the node, in its stack
 * @property {Control} control
 *
 * @typedef {Object} CopyPair
 * @property {Bench} bench its stack
 * @property {Pair} addresses
 * @property {Side} source
 * @property {Side} copy
 *
 * @typedef {Object} DataSet
 * @property {string} keyPrefix
 * @property {number} keys
 */

/** The same for every pair and every round. */
const DATA_SEED = 7;

/**
 * The data set that each source holds, until somebody writes to it.
 *
 * @type {WeakMap<Cluster, string>}
 */
const held = new WeakMap();

/**
 * @param {Bench} bench of a stack with a replica
 * @param {number} count how many pairs; each further pair has a stack of its own
 * @returns {Promise<CopyPair[]>}
 */
export async function pairsOf(bench, count) {
  const others = count > 1 && bench.others ? await bench.others(count - 1) : [];
  const benches = [bench, ...others];
  if (benches.length < count) throw new Error(`there are ${benches.length} stacks for ${count} pairs`);
  return benches.map(pairOf);
}

/**
 * @param {Bench} bench
 * @returns {CopyPair}
 */
function pairOf(bench) {
  const { primary, replicas: [replica] = [], controls, cluster } = bench;
  const [source, copy] = [primary?.id, replica?.id].map((id) => controls.get(id ?? ''));
  if (!primary || !replica || !source || !copy) throw new Error('a stack lacks a source or a copy');
  return {
    bench,
    addresses: {
      source: primary.address,
      sourceForPeers: primary.announced,
      copy: replica.address,
      credentials: cluster.credentials,
    },
    source: { id: primary.id, control: source },
    copy: { id: replica.id, control: copy },
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
  for (const { bench, source, copy } of pairs) {
    await bench.tuning.become(params, { primary: source.id, replicas: [copy.id] });
    // First, so that it does not replicate what follows.
    await followNobody(copy.control);
    await copy.control.call('FLUSHALL');
  }
  signal.throwIfAborted();
  const wanted = JSON.stringify(data);
  for (const [i, { bench, source, addresses }] of pairs.entries()) {
    if (held.get(bench.cluster) === wanted) continue;
    now(`writing the data set of source ${i + 1} of ${pairs.length}`);
    held.delete(bench.cluster);
    await source.control.call('FLUSHALL');
    const target = { ...addresses.source, credentials: addresses.credentials };
    await fillDataSet(target, { ...data, seed: DATA_SEED, signal });
    held.set(bench.cluster, wanted);
  }
}

/** @param {readonly CopyPair[]} pairs whose sources are about to be written to */
export function willChange(pairs) {
  for (const { bench } of pairs) held.delete(bench.cluster);
}

/**
 * @param {readonly CopyPair[]} pairs
 * @returns {Promise<number>} keys of all sources
 */
export async function keysOf(pairs) {
  const sizes = await Promise.all(pairs.map(({ source }) => source.control.call('DBSIZE')));
  return sizes.reduce((/** @type {number} */ sum, size) => sum + Number(size), 0);
}
