/**
 * What each Redis node used during a round, from its own INFO.
 */

/** @typedef {import('../report/schema.js').RoundResult['nodes'][number]} NodeUse */

/**
 * @typedef {Object} NodeSample counters are totals since the node's process started
 * @property {string} id
 * @property {number} atMs when it was taken, on this process's monotonic clock
 * @property {number | null} cpuSeconds user and system time of the process; null when the server does not tell
 * @property {number | null} mainThreadCpuSeconds the same for the thread that executes commands
 * @property {number} memoryBytes resident
 */

/**
 * @param {ReadonlyMap<string, Pick<import('../cluster/control.js').Control, 'info'>>} connections node id → its control
 *   connection; Redis nodes only
 * @returns {Promise<NodeSample[]>} in the order of the map; rejects when a node does not answer
 */
export function sampleNodes(connections) {
  return Promise.all(
    [...connections].map(async ([id, connection]) => {
      const info = await connection.info('memory', 'cpu');
      return {
        id,
        atMs: performance.now(),
        cpuSeconds: sum(info.used_cpu_user, info.used_cpu_sys),
        mainThreadCpuSeconds: sum(info.used_cpu_user_main_thread, info.used_cpu_sys_main_thread),
        memoryBytes: Number(info.used_memory_rss),
      };
    }),
  );
}

/**
 * @param {readonly NodeSample[]} before
 * @param {readonly NodeSample[]} after the nodes that are reported, in this order
 * @param {Readonly<Record<string, NodeUse['role']>>} roles node id → its role during the round
 * @returns {NodeUse[]} CPU is null where the server does not tell it, where `before` lacks the node, and where the node
 *   was restarted in between
 */
export function nodeUse(before, after, roles) {
  return after.map((sample) => {
    const earlier = before.find(({ id }) => id === sample.id);
    const seconds = earlier ? (sample.atMs - earlier.atMs) / 1000 : 0;
    return {
      id: sample.id,
      role: roles[sample.id],
      cpu: share(earlier?.cpuSeconds, sample.cpuSeconds, seconds),
      mainThreadCpu: share(earlier?.mainThreadCpuSeconds, sample.mainThreadCpuSeconds, seconds),
      memoryBytes: sample.memoryBytes,
    };
  });
}

/**
 * @param {string | undefined} user
 * @param {string | undefined} system
 */
function sum(user, system) {
  return user === undefined || system === undefined ? null : Number(user) + Number(system);
}

/**
 * @param {number | null | undefined} before
 * @param {number | null} after
 * @param {number} seconds
 */
function share(before, after, seconds) {
  if (before == null || after === null || seconds <= 0 || after < before) return null;
  return (after - before) / seconds;
}
