/** @import { Benchmark, Case, Profile, StorageClass } from './types.js' */
import { plural } from '../format.js';
import { availableMemory, checkMemory } from '../measure/limits.js';
import { checkStorage } from '../measure/storage.js';
import { stagesOf } from './own-stacks.js';
import { paceOf } from './rounds.js';

/** The largest values of data sets that are loaded first. */
const LARGE_VALUE_BYTES = 180_000;
/** The largest share of free memory for a scaled data set: several nodes hold it, and forks copy it. */
const SHARE_OF_MEMORY = 1 / 6;
/** While a child of the server saves the data set and every key is overwritten, all of it exists twice. */
const COPIES_WHILE_FORKED = 2;
/** Replicas of our own stacks. */
const ALL_REPLICAS = 2;
/** Redis needs this much memory for a large value, compared with its size. */
const OVERHEAD = 1.2;
/** The base file, the increments, and the file being written; a snapshot replaces one of them. */
const COPIES_ON_DISK = 3;
/** The most that a load measured here writes to an append-only file. */
const WRITTEN_BYTES_A_SECOND = 1e9;
/** The file of a round is only removed once the file of the next round is complete. */
const ROUNDS_ON_DISK = 2;

/** @param {Profile} profile @param {number} [memoryBytes] that are free @returns {number} keys; those of `full` are never scaled */
export function preloadKeysFor({ name, preloadKeys }, memoryBytes = availableMemory()) {
  if (name === 'full') return preloadKeys;
  return Math.max(1, Math.min(preloadKeys, Math.floor((memoryBytes * SHARE_OF_MEMORY) / LARGE_VALUE_BYTES)));
}

/**
 * @param {readonly {benchmark: Benchmark, cases: Case[]}[]} plan @param {{storages: readonly StorageClass[], profile: Profile}} options
 * @throws {UserError} a data set does not fit into memory, or on a disk
 */
export async function checkRoom(plan, { storages, profile }) {
  for (const { benchmark, cases } of plan) {
    if (!benchmark.stacks) continue;
    const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
    for (const { keys, payloadBytes, replicas = ALL_REPLICAS, storage, replicaStorage = storage } of stagesOf(cases)) {
      const set = keys * payloadBytes;
      const nodes = 1 + replicas;
      const what = `a data set of ${plural(keys, 'key')} on ${plural(nodes, 'node')}, and what a fork copies of it`;
      await checkMemory(set * OVERHEAD * nodes * COPIES_WHILE_FORKED, what);
      const there = cases.filter(({ params }) => params.storage === storage);
      const requested = there.map(({ params: { requests = 0, payloadBytes: bytes } }) => requests * bytes);
      const written = Math.max(WRITTEN_BYTES_A_SECOND * (seconds + warmUpSeconds), ...requested) * ROUNDS_ON_DISK;
      for (const place of storages) {
        const here = Number(place.label === storage) + (place.label === replicaStorage ? replicas : 0);
        if (here > 0) await checkStorage(place, (set * COPIES_ON_DISK + written) * here);
      }
    }
  }
}
