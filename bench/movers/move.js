/** @typedef {{scanCount: number, signal?: AbortSignal}} MoverOptions scanCount: COUNT of SCAN, and how many keys travel in one pipeline; ≥ 1 */
/**
 * What every mover shares: a way to copy a data set from one Redis node to another.
 *
 * @typedef {Object} Pair
 * @property {Address} source where this process reaches it
 * @property {Address} sourceForPeers where the copy's own process reaches it
 * @property {Address} copy where this process reaches it; empty, and no replica
 * @property {Credentials} credentials of both
 * @property {string} [keyTag] of shards of a Redis Cluster: a hash tag; keys that begin with it belong to these nodes
 *
 * @typedef {Object} Mover
 * @property {string} name as in `params.mover`
 * @property {(pairs: readonly Pair[], options: MoverOptions) => Promise<Move>} start of one pair, or of all shards by one process: source and copy of a
 *   shard have the same hash slots. Resolves when a mover that notices changes is ready to notice them
 * @property {true} [takesShards] one process can move all shards of a Redis Cluster
 *
 * @typedef {Object} Move
 * @property {Promise<void>} full everything present at the start has been copied once
 * @property {() => Promise<void>} settle after the last write: every change that it knows has been copied; rejects after {@link SETTLE_MS}
 * @property {() => MoveTotals} totals until now
 * @property {() => Promise<void>} close ends it, and puts the settings of the source back. A copy that is a replica becomes a primary. Idempotent
 *
 * @typedef {Object} MoveTotals
 * @property {number} keys copied (RESTORE, DEL or what a full sync loaded); a key copied twice counts twice
 * @property {number | null} cpuSeconds of the mover's own threads and processes; null: the nodes themselves move
 * @property {number | null} networkInBytes read from the source; null: not counted
 * @property {number | null} networkOutBytes written to the copy
 * @property {number | null} blockOutBytes written to files by the mover's processes; null: not counted, or no process of its own
 * @property {{written: number, rates: number[][]} | null} reported by the mover itself: entries written, and for each mover its
 *   rates a second, in order; null: it reports nothing
 */
import pTimeout from 'p-timeout';
import { infoOf } from '../../src/clients/connection.js';

/** @import { Address, Connection, Credentials } from '../types.js' */

/** @type {Omit<MoveTotals, 'keys'>} */
export const NOT_COUNTED = Object.freeze({
  cpuSeconds: null,
  networkInBytes: null,
  networkOutBytes: null,
  blockOutBytes: null,
  reported: null,
});

/** @typedef {Omit<MoveTotals, 'keys' | 'reported'>} UseTotals */
const COUNTED = /** @type {const} */ (['cpuSeconds', 'networkInBytes', 'networkOutBytes', 'blockOutBytes']);

/** @param {readonly UseTotals[]} totals @param {(values: number[]) => number} combine @returns {UseTotals} null where one of them is not counted */
export function combined(totals, combine) {
  const of = (/** @type {typeof COUNTED[number]} */ field) => {
    const values = totals.map((one) => one[field]).filter((value) => value !== null);
    return values.length < totals.length ? null : combine(values);
  };
  return /** @type {UseTotals} */ (Object.fromEntries(COUNTED.map((field) => [field, of(field)])));
}

export const SETTLE_MS = 30_000;

/** @template T @param {number} ms @param {string} what the error when it takes longer @param {Promise<T>} promise */
export function within(ms, what, promise) {
  return pTimeout(promise, { milliseconds: ms, message: new Error(`${what} within ${ms / 1000} s`) });
}

/** @param {Connection} copy @returns {Promise<() => Promise<number>>} write commands that it has executed since, from any client */
export async function countWrites(copy) {
  const names = /** @type {Buffer[]} */ (await copy.call('ACL', 'CAT', 'write'));
  const writeCommands = new Set(names.map(String));
  const total = async () =>
    Object.entries(await infoOf(copy, 'commandstats')).reduce((sum, [field, text]) => {
      const calls = writeCommands.has(field.slice('cmdstat_'.length)) ? /calls=(\d+)/.exec(text)?.[1] : 0;
      return sum + Number(calls ?? 0);
    }, 0);
  const before = await total();
  return async () => (await total()) - before;
}
