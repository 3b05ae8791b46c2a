import { isReplyError } from '../stacks/redis/control.js';
import { askNode } from './ask.js';
import { redisDialect, sentinelDialect, timeoutFor } from './node-settings.js';

/**
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Cluster } from '../stacks/types.js'
 * @import { Dialect } from './node-settings.js'
 * @import { FileEvidence, UndoStep } from './types.js'
 */

/**
 * Putting former settings back.
 *
 * Sentinels have a node write its file (CONFIG REWRITE) whenever they change its role, and with the role goes whatever setting
 * is in force then. So a file may hold a changed value, and give it to the node at its next start.
 *
 * - On our own stacks, `docker` and `local`, the file is ours: it is written again after each restoring.
 * - On somebody else's deployment it is written only if the node wrote it, or may have, while the changed values were in force:
 *   when the same process counts more rewrites than before (Redis 7), or counts none and has changed its role, its primary or
 *   its replication history (older servers: a rewrite by Sentinel comes with one of these); and when the node was restarted
 *   and came back with a changed value, which it can only have from its file. Else the file never held one.
 */

/**
 * @param {Control} control of a Redis node
 * @returns {Promise<FileEvidence>}
 */
export async function fileEvidence(control) {
  const info = await control.info('server', 'replication', 'commandstats');
  const counts = Number.parseInt(info.redis_version, 10) >= 7;
  const calls = /calls=(\d+)/.exec(info['cmdstat_config|rewrite'] ?? '')?.[1] ?? 0;
  return {
    runId: info.run_id,
    rewrites: counts ? Number(calls) : null,
    history: [info.role, info.master_host, info.master_port, info.master_replid].join(' '),
  };
}

/**
 * @param {FileEvidence} before
 * @param {FileEvidence} now
 * @param {boolean} changed the node has a changed value in force
 * @returns {boolean} the node's file may hold changed values
 */
export function mayBeInFile(before, now, changed) {
  if (before.runId !== now.runId) return changed;
  if (before.rewrites === null || now.rewrites === null) return before.history !== now.history;
  // Fewer: somebody reset the statistics, and the rest went with them.
  return now.rewrites < before.rewrites ? before.history !== now.history : now.rewrites > before.rewrites;
}

/**
 * @param {Cluster} cluster
 * @param {UndoStep & {kind: 'config'}} step
 */
export async function restoreConfig(cluster, { id, settings, before, leaves }) {
  await askNode(
    cluster,
    id,
    async (control) => {
      const changed = await differing(redisDialect, control, settings);
      const rewrite =
        cluster.backend !== 'external' || mayBeInFile(before, await fileEvidence(control), changed.length > 0);
      await restore(redisDialect, control, settings, changed);
      if (rewrite) await rewriteFile(control);
    },
    { timeoutMs: timeoutFor(settings) },
  );
  // After its file is written again: a node that ended in between starts without it.
  if (leaves !== undefined) await cluster.files?.remove(id, leaves);
}

/**
 * @param {Cluster} cluster
 * @param {UndoStep & {kind: 'sentinel'}} step
 */
export async function restoreSentinel(cluster, { id, settings }) {
  const dialect = sentinelDialect(cluster.masterName);
  await askNode(cluster, id, async (control) => {
    await restore(dialect, control, settings, await differing(dialect, control, settings));
  });
}

/**
 * @param {Dialect} dialect
 * @param {Control} control
 * @param {Record<string, string>} settings in the node's own spelling
 * @returns {Promise<string[]>} names of those that have another value now
 */
async function differing(dialect, control, settings) {
  const now = await dialect.read(control, Object.keys(settings));
  return Object.keys(settings).filter((name) => now[name] !== settings[name]);
}

/**
 * @param {Dialect} dialect
 * @param {Control} control
 * @param {Record<string, string>} settings
 * @param {string[]} changed
 */
async function restore(dialect, control, settings, changed) {
  for (const name of changed) await dialect.write(control, name, settings[name]);
  const wrong = await differing(dialect, control, settings);
  if (wrong.length > 0) throw new Error(`it accepted the former ${wrong.join(', ')} but does not have it`);
}

/** @param {Control} control */
async function rewriteFile(control) {
  try {
    await control.call('CONFIG', 'REWRITE');
  } catch (error) {
    // What was started without a file starts without these settings, too.
    if (isReplyError(error) && /without a config file/i.test(error.message)) return;
    throw error;
  }
}
