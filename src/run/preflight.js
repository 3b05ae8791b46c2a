/**
 * What would stop a run in the middle is looked for before it begins: room for data sets, settings that nobody knows, files of
 * somebody else's that a setting would replace.
 */
import { checkMemory, checkStorage } from '../measure/storage.js';
import { plural } from '../report/format.js';
import { paceOf } from './benchmark.js';
import { stagesOf } from './stages.js';

/**
 * @import { UserError } from '../errors.js'
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Cluster } from '../stacks/types.js'
 * @import { Benchmark, Case, Profile, StorageClass } from './types.js'
 */

/** Of the memory that is free, a data set that may be scaled takes this share at most: two nodes may hold it, and forks copy. */
const SHARE_OF_MEMORY = 1 / 6;
/** What of a data set is copied while a child of the server writes it to disk and everything is written again: all of it. */
const COPIES_WHILE_FORKED = 2;
/** Of a stack of ours. */
const ALL_REPLICAS = 2;
/** What Redis keeps beside a value, as a share of large ones. */
const OVERHEAD = 1.2;
/** Base, increments and the file that is being written; the snapshot comes instead of one of them. */
const COPIES_ON_DISK = 3;
/** What a load may write to an append-only file in a second, at most, with the values that are measured here. */
const WRITTEN_BYTES_A_SECOND = 1e9;
/** The file of the round before is removed only when the next one's is there. */
const ROUNDS_ON_DISK = 2;

/**
 * @param {Profile} profile
 * @param {Object} options
 * @param {number} options.payloadBytes of each value of a data set
 * @param {number} options.memoryBytes that are free
 * @param {number} [options.asked] keys that the user asked for: never scaled
 * @returns {number} keys; `full` is never scaled either
 */
export function preloadKeysFor({ name, preloadKeys }, { payloadBytes, memoryBytes, asked }) {
  if (asked !== undefined) return asked;
  if (name === 'full') return preloadKeys;
  return Math.max(1, Math.min(preloadKeys, Math.floor((memoryBytes * SHARE_OF_MEMORY) / payloadBytes)));
}

/**
 * @param {readonly {benchmark: Benchmark, cases: Case[]}[]} plan
 * @param {Object} options
 * @param {readonly StorageClass[]} options.storages
 * @param {Profile} options.profile
 * @throws {UserError} a data set does not fit into memory, or on a disk
 */
export async function checkRoom(plan, { storages, profile }) {
  for (const { benchmark, cases } of plan) {
    if (!benchmark.stacks) continue;
    const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
    for (const { keys, payloadBytes, replicas = ALL_REPLICAS, storage } of stagesOf(cases)) {
      const set = keys * payloadBytes;
      const nodes = 1 + replicas;
      const what = `a data set of ${plural(keys, 'key')} on ${plural(nodes, 'node')}, and what a fork copies of it`;
      await checkMemory(set * OVERHEAD * nodes * COPIES_WHILE_FORKED, what);
      const place = storages.find(({ label }) => label === storage);
      if (!place) continue;
      const written = WRITTEN_BYTES_A_SECOND * (seconds + warmUpSeconds) * ROUNDS_ON_DISK;
      await checkStorage(place, (set * COPIES_ON_DISK + written) * nodes);
    }
  }
}

/**
 * Switching the append-only file on replaces what is left of one in the node's directory. Of a deployment that is not ours that
 * may be somebody's last copy.
 *
 * @param {Cluster} cluster
 * @param {Iterable<Pick<Control, 'call'>>} controls of its Redis nodes
 * @returns {Promise<(theCase: {params: Pick<Case['params'], 'settings' | 'replicaSettings'>}) => boolean>} whether a case may be
 *   measured there
 */
export async function mayMeasure({ backend, can }, controls) {
  // Whoever may not ask for settings may not make them either.
  if (backend !== 'external' || !can.has('configure')) return () => true;
  const answers = await Promise.all([...controls].map((control) => control.call('CONFIG', 'GET', 'appendonly')));
  if (answers.every((answer) => /** @type {string[]} */ (answer)[1] === 'yes')) return () => true;
  return ({ params: { settings, replicaSettings } }) => ![settings, replicaSettings].some(turnsOn);
}

/** @param {Readonly<Record<string, string>>} [settings] */
function turnsOn(settings = {}) {
  return Object.entries(settings).some(([name, value]) => /^appendonly$/i.test(name) && /^yes$/i.test(value));
}
