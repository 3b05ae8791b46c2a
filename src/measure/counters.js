/**
 * What a Redis node counts itself: from its INFO, and its latency monitor.
 */

/**
 * @import { NodeCounters } from '../result/schema.js'
 * @import { Control } from '../stacks/redis/control.js'
 */

/**
 * @typedef {Pick<Control, 'call'>} Caller
 *
 * @typedef {{[name in keyof typeof FIELDS]: number | null} & {latestForkUs: number | null}} CounterTotals since the process
 *   started; null: the server does not count it, or not now
 */

/**
 * @param {Readonly<Record<string, string>>} info
 * @param {string} field
 * @returns {number | null} a count, ≥ 0; null: the server does not tell it, or tells something else
 */
export function countIn(info, field) {
  // A managed service may leave fields out, and a server may say anything.
  const count = /^\d+$/.test(info[field] ?? '') ? Number(info[field]) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}

/**
 * Where INFO has what can be counted. Redis 6.2 counts neither what it sends to replicas nor its rewrites and snapshots, and
 * no server tells of an append-only file that is off.
 */
const FIELDS = Object.freeze({
  replicationOutBytes: 'total_net_repl_output_bytes',
  evictedKeys: 'evicted_keys',
  rejectedConnections: 'rejected_connections',
  errorReplies: 'total_error_replies',
  fullResyncs: 'sync_full',
  delayedFsyncs: 'aof_delayed_fsync',
  aofBytes: 'aof_current_size',
  rewrites: 'aof_rewrites',
  snapshots: 'rdb_saves',
});

/**
 * @param {Readonly<Record<string, string>>} info all of INFO
 * @returns {CounterTotals}
 */
export function readCounters(info) {
  const totals = Object.entries(FIELDS).map(([name, field]) => [name, countIn(info, field)]);
  return { ...Object.fromEntries(totals), latestForkUs: countIn(info, 'latest_fork_usec') };
}

/**
 * @param {CounterTotals} before
 * @param {CounterTotals} after of the same process
 * @returns {NodeCounters}
 */
export function countersMoved(before, after) {
  /** @param {keyof typeof FIELDS} name */
  const moved = (name) => {
    const [from, to] = [before[name], after[name]];
    return from === null || to === null ? null : to - from;
  };
  /** @param {keyof typeof FIELDS} name of what only grows, unless somebody sends CONFIG RESETSTAT */
  const grown = (name) => {
    const by = moved(name);
    return by === null || by < 0 ? null : by;
  };
  return {
    replicationOutBytes: grown('replicationOutBytes'),
    evictedKeys: grown('evictedKeys'),
    rejectedConnections: grown('rejectedConnections'),
    errorReplies: grown('errorReplies'),
    fullResyncs: grown('fullResyncs'),
    delayedFsyncs: grown('delayedFsyncs'),
    aofBytes: moved('aofBytes'),
    rewrites: grown('rewrites'),
    snapshots: grown('snapshots'),
    latestForkUs: after.latestForkUs,
  };
}

/**
 * @param {ReadonlyMap<string, Caller>} connections node id → its control connection
 */
export async function forgetEvents(connections) {
  await Promise.all([...connections.values()].map((connection) => connection.call('LATENCY', 'RESET')));
}

/**
 * @param {ReadonlyMap<string, Caller>} connections node id → its control connection
 * @returns {Promise<Map<string, NonNullable<NodeCounters['events']>>>} node id → what took longer than the monitor's
 *   threshold since the events were forgotten; nothing where the threshold is 0
 */
export async function latestEvents(connections) {
  const told = [...connections].map(async ([id, connection]) => {
    // Name, when it was last, how long that one took, how long the longest did; later servers tell more.
    const rows = /** @type {[string, number, number, number][]} */ (await connection.call('LATENCY', 'LATEST'));
    const events = rows
      .filter(([, , latestMs, maxMs]) => [latestMs, maxMs].every((ms) => Number.isSafeInteger(ms) && ms >= 0))
      .map(([name, , latestMs, maxMs]) => [name, { latestMs, maxMs }]);
    return /** @type {const} */ ([id, Object.fromEntries(events)]);
  });
  return new Map(await Promise.all(told));
}
