/**
 * What a Redis node counts itself: from its INFO, and its latency monitor.
 */

/**
 * @typedef {import('../report/schema.js').NodeCounters} NodeCounters
 * @typedef {Pick<import('../cluster/control.js').Control, 'call'>} Caller
 *
 * @typedef {{[name in keyof typeof FIELDS]: number | null} & {latestForkUs: number}} CounterTotals since the process
 *   started; null: the server does not count it, or not now
 */

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
  const totals = Object.entries(FIELDS).map(([name, field]) => [name, field in info ? Number(info[field]) : null]);
  return { ...Object.fromEntries(totals), latestForkUs: Number(info.latest_fork_usec) };
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
  return {
    replicationOutBytes: moved('replicationOutBytes'),
    evictedKeys: moved('evictedKeys') ?? 0,
    rejectedConnections: moved('rejectedConnections') ?? 0,
    errorReplies: moved('errorReplies'),
    fullResyncs: moved('fullResyncs') ?? 0,
    delayedFsyncs: moved('delayedFsyncs'),
    aofBytes: moved('aofBytes'),
    rewrites: moved('rewrites'),
    snapshots: moved('snapshots'),
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
    const events = rows.map(([name, , latestMs, maxMs]) => [name, { latestMs, maxMs }]);
    return /** @type {const} */ ([id, Object.fromEntries(events)]);
  });
  return new Map(await Promise.all(told));
}
