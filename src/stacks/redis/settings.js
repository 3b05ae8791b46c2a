/**
 * Reading and writing the settings of one node, in the node's own spelling.
 *
 * @typedef {Record<string, string>} Settings
 *
 * @typedef {Object} Dialect how one kind of node is asked
 * @property {(control: Control, names: string[]) => Promise<Partial<Settings>>} read without those it does not know
 * @property {(control: Control, name: string, value: string) => Promise<void>} write resolves when it is in force
 */
import { setTimeout as delay } from 'node:timers/promises';
import { askNode } from '../ask.js';
import { isReplyError } from './control.js';
import { toRecord } from './observe.js';

/**
 * @import { FileEvidence, UndoStep } from '../../faults/types.js'
 * @import { Cluster, NodeInfo, SettingsOf, SettingsStep } from '../types.js'
 * @import { Control } from './control.js'
 */

/** The first rewrite of a large data set takes long; one that has not got on for so long never ends. */
const AOF_STANDSTILL_MS = 60_000;
const POLL_MS = 20;

const TIMEOUT_MS = 10_000;
/** Whoever turns the append-only file off waits until all that the system still holds of it is on disk. */
const SYNC_TIMEOUT_MS = 60_000;

/** What `SENTINEL SET` takes and `SENTINEL MASTER` shows. */
const SENTINEL_SETTINGS = ['down-after-milliseconds', 'failover-timeout', 'parallel-syncs', 'quorum'];

/**
 * @param {Readonly<Settings>} settings that are going to be changed
 * @returns {number} how long connecting, and each command, may take
 */
export function timeoutFor(settings) {
  return Object.keys(settings).some((name) => name.toLowerCase() === 'appendonly') ? SYNC_TIMEOUT_MS : TIMEOUT_MS;
}

/** @type {Dialect} */
export const redisDialect = {
  async read(control, names) {
    /** @type {Partial<Settings>} */
    const settings = {};
    for (const name of names) {
      // One at a time: several need Redis 7. A pattern would be answered with whatever it fits.
      if (/[*?[\]\\]/.test(name)) continue;
      const [value] = Object.values(toRecord(await control.call('CONFIG', 'GET', name)));
      if (value !== undefined) settings[name] = value;
    }
    return settings;
  },
  async write(control, name, value) {
    const turnsOn = name.toLowerCase() === 'appendonly' && value.toLowerCase() === 'yes';
    const sound = turnsOn && (await control.info('persistence')).aof_last_bgrewrite_status === 'ok';
    await control.call('CONFIG', 'SET', name, value);
    if (turnsOn) await appendOnlyComplete(control, sound);
  },
};

/**
 * @param {string} masterName
 * @returns {Dialect} a Sentinel writes each change to its own file at once
 */
export function sentinelDialect(masterName) {
  return {
    async read(control, names) {
      const master = toRecord(await control.call('SENTINEL', 'MASTER', masterName));
      return Object.fromEntries(
        names.filter((name) => SENTINEL_SETTINGS.includes(name)).map((name) => [name, master[name]]),
      );
    },
    async write(control, name, value) {
      await control.call('SENTINEL', 'SET', masterName, name, value);
    },
  };
}

/**
 * The file is only whole, and `WAITAOF` only means something, after the first rewrite.
 *
 * @param {Control} control
 * @param {boolean} sound the last rewrite before this had not failed
 * @throws {Error} a rewrite ended without it, which the server would try again for ever
 */
async function appendOnlyComplete(control, sound) {
  let progress;
  let deadline = 0;
  let began = false;
  for (;;) {
    const info = await control.info('persistence');
    if (info.current_save_keys_processed !== progress || deadline === 0)
      deadline = performance.now() + AOF_STANDSTILL_MS;
    progress = info.current_save_keys_processed;
    const rewriting = info.aof_rewrite_in_progress === '1';
    began ||= rewriting;
    // The server tries again a tenth of a second later: that may be under way when it is asked next.
    if ((sound || (began && !rewriting)) && info.aof_last_bgrewrite_status !== 'ok') {
      throw new Error('its append-only file could not be written; most often the disk is full');
    }
    const busy = rewriting || info.aof_rewrite_scheduled === '1';
    if (info.aof_enabled === '1' && !busy && info.aof_last_bgrewrite_status === 'ok') return;
    if (performance.now() >= deadline) {
      throw new Error(`its append-only file is not complete and has not got on for ${AOF_STANDSTILL_MS / 1000} s`);
    }
    await delay(POLL_MS);
  }
}

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
 * @param {Pick<SettingsStep, 'id' | 'settings'>} step of a Sentinel
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

/** Whoever changes these may not be let in to change them back; and what has been a password is not to be written down. */
export const BARRED = [
  'port',
  'tls-port',
  'bind',
  'unixsocket',
  'protected-mode',
  'requirepass',
  'aclfile',
  'user',
  'masteruser',
  'masterauth',
  // What Valkey calls them.
  'primaryuser',
  'primaryauth',
  'tls-key-file-pass',
  'tls-client-key-file-pass',
];

/**
 * @param {Pick<Cluster, 'masterName'>} cluster
 * @param {Pick<NodeInfo, 'kind'>} node
 */
function dialectOf({ masterName }, { kind }) {
  return kind === 'sentinel' ? sentinelDialect(masterName) : redisDialect;
}

/** @param {Settings} former of those that are changed */
function turnsAppendOnlyOn(former) {
  return Object.entries(former).some(([name, value]) => name.toLowerCase() === 'appendonly' && value === 'no');
}

/**
 * A server that is told to append no more leaves what it has written: the next start with `appendonly yes` would load that,
 * and not the snapshot.
 *
 * @param {Cluster} cluster
 * @param {string} id
 * @param {Control} control
 * @returns {Promise<{leaves?: string}>} a name in the node's directory that is not there yet; nothing: it stays as it is
 */
async function whatStays({ ours, files }, id, control) {
  // What is ours goes away as a whole; what is somebody else's is not ours to remove.
  if (ours || files === undefined) return {};
  // A folder since Redis 7, a single file before.
  const { appenddirname, appendfilename } = await redisDialect.read(control, ['appenddirname', 'appendfilename']);
  const name = appenddirname ?? appendfilename;
  return name === undefined || (await files.has(id, name)) ? {} : { leaves: name };
}

/**
 * Switching the append-only file on replaces what is left of one in the node's directory. On a deployment that is not ours that may be
 * somebody's last copy.
 *
 * @type {SettingsOf['mayChange']}
 */
async function mayChange({ backend, can }, controls) {
  // A user who may not read settings may not change them either.
  if (backend !== 'external' || !can.has('configure')) return () => true;
  const answers = await Promise.all([...controls].map((control) => control.call('CONFIG', 'GET', 'appendonly')));
  if (answers.every((answer) => /** @type {string[]} */ (answer)[1] === 'yes')) return () => true;
  return (settings) =>
    !Object.entries(settings).some(([name, value]) => /^appendonly$/i.test(name) && /^yes$/i.test(value));
}

/** @type {SettingsOf} */
export const redisSettings = {
  barred: BARRED,
  timeoutMs: timeoutFor,
  read: (cluster, node, control, names) => dialectOf(cluster, node).read(control, names),
  write: (cluster, node, control, name, value) => dialectOf(cluster, node).write(control, name, value),
  async undoStep(cluster, { id, kind }, control, former) {
    if (kind === 'sentinel') return { kind: 'sentinel', id, settings: former };
    const leaves = turnsAppendOnlyOn(former) ? await whatStays(cluster, id, control) : {};
    return { kind: 'config', id, settings: former, before: await fileEvidence(control), ...leaves };
  },
  async restore(cluster, step) {
    if (step.kind === 'config') await restoreConfig(cluster, step);
    else await restoreSentinel(cluster, step);
  },
  persist: (control) => control.call('CONFIG', 'REWRITE'),
  mayChange,
};
