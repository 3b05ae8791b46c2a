import { askNode, nodeOf } from '../ask.js';
import { untilOver } from './background-work.js';
import { isReplyError } from './control.js';
import { KNOWN } from './known.js';
import { toRecord } from './observe.js';

/** Reading, changing and restoring settings of Redis nodes and Sentinels, in the node's spelling. */
/** @import { FileEvidence } from '../../faults/types.js' */
/** @import { Control, Stack, NodeInfo, SettingsOf } from '../types.js' */

const TIMEOUT_MS = 10_000;
/** Turning the append-only file off waits until the file is on disk. */
const SYNC_TIMEOUT_MS = 60_000;

/** What `SENTINEL SET` takes and `SENTINEL MASTER` shows. */
export const SENTINEL_SETTINGS = ['down-after-milliseconds', 'failover-timeout', 'parallel-syncs', 'quorum'];

/** @type {SettingsOf['timeoutMs']} */
function timeoutFor(settings) {
  return Object.keys(settings).some((name) => name.toLowerCase() === 'appendonly') ? SYNC_TIMEOUT_MS : TIMEOUT_MS;
}

/** @param {Pick<Stack, 'access'>} stack @param {Pick<NodeInfo, 'kind'>} node @param {Control} control @param {string[]} names */
async function read({ access }, { kind }, control, names) {
  if (kind !== 'sentinel') return readConfig(control, names);
  const master = toRecord(await control.call('SENTINEL', 'MASTER', access.masterName));
  const known = names.filter((name) => SENTINEL_SETTINGS.includes(name));
  return Object.fromEntries(known.map((name) => [name, master[name]]));
}

/** @param {Control} control of a Redis node @param {string[]} names */
async function readConfig(control, names) {
  const settings = /** @type {Partial<Record<string, string>>} */ ({});
  for (const name of names) {
    // One at a time: several names need Redis 7. A pattern would match other settings.
    if (/[*?[\]\\]/.test(name)) continue;
    const [value] = Object.values(toRecord(await control.call('CONFIG', 'GET', name)));
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

/**
 * A Sentinel writes each change to its file at once.
 * @param {Pick<Stack, 'access'>} stack @param {Pick<NodeInfo, 'kind'>} node @param {Control} control @param {string} name @param {string} value
 */
async function write({ access }, { kind }, control, name, value) {
  if (kind === 'sentinel') await control.call('SENTINEL', 'SET', access.masterName, name, value);
  else await writeConfig(control, name, value);
}

/** @param {Control} control of a Redis node @param {string} name @param {string} value */
export async function writeConfig(control, name, value) {
  const turnsOn = name.toLowerCase() === 'appendonly' && value.toLowerCase() === 'yes';
  const sound = turnsOn && (await control.info('persistence')).aof_last_bgrewrite_status === 'ok';
  await control.call('CONFIG', 'SET', name, value);
  if (turnsOn) await appendOnlyComplete(control, sound);
}

/** `WAITAOF` means something after the first rewrite only. @param {Control} control @param {boolean} sound so was the last rewrite */
async function appendOnlyComplete(control, sound) {
  let began = false;
  await untilOver(control, (info) => {
    const rewriting = info.aof_rewrite_in_progress === '1';
    began ||= rewriting;
    const isComplete = info.aof_last_bgrewrite_status === 'ok';
    // The server repeats a failed rewrite after 0.1 s, so the next one may already be under way.
    if ((sound || (began && !rewriting)) && !isComplete)
      throw new Error('its append-only file could not be written; most often the disk is full');
    return info.aof_enabled === '1' && !rewriting && info.aof_rewrite_scheduled !== '1' && isComplete;
  });
}

/**
 * Sentinels make a node write its file (CONFIG REWRITE) when they change its role, with all settings in force at that time. So the file
 * may hold a changed value, which the node would load at its next start. On our own stacks it is written again after each restoring.
 * On somebody else's deployment it is written only if it may hold a changed value: if the same process counts more rewrites than
 * before (Redis 7); if an older server, which does not count them, has changed its role, primary or replication id; or if the node
 * was restarted and has a changed value, which can only come from its file.
 */

/** @param {Control} control of a Redis node @returns {Promise<FileEvidence>} */
async function fileEvidence(control) {
  const info = await control.info('server', 'replication', 'commandstats');
  const counts = Number.parseInt(info.redis_version, 10) >= 7;
  const calls = /calls=(\d+)/.exec(info['cmdstat_config|rewrite'] ?? '')?.[1] ?? 0;
  return {
    runId: info.run_id,
    rewrites: counts ? Number(calls) : null,
    history: [info.role, info.master_host, info.master_port, info.master_replid].join(' '),
  };
}

/** @param {FileEvidence} before @param {FileEvidence} now @param {boolean} changed a changed value is in force */
function mayBeInFile(before, now, changed) {
  if (before.runId !== now.runId) return changed;
  if (before.rewrites === null || now.rewrites === null) return before.history !== now.history;
  // Fewer than before: the statistics were reset.
  return now.rewrites < before.rewrites ? before.history !== now.history : now.rewrites > before.rewrites;
}

/** @type {SettingsOf['restore']} */
async function restore(stack, step) {
  const { id, settings } = step;
  const node = nodeOf(stack, id);
  async function restoreAll(/** @type {Control} */ control) {
    const differing = async () => {
      const now = await read(stack, node, control, Object.keys(settings));
      return Object.keys(settings).filter((name) => now[name] !== settings[name]);
    };
    const changed = await differing();
    const rewrite =
      step.kind === 'config' &&
      (stack.about.backend !== 'external' || mayBeInFile(step.before, await fileEvidence(control), changed.length > 0));
    for (const name of changed) await write(stack, node, control, name, settings[name]);
    const wrong = await differing();
    if (wrong.length > 0) throw new Error(`it accepted the former ${wrong.join(', ')} but does not have it`);
    if (rewrite) await rewriteFile(control);
  }
  await askNode(stack, id, restoreAll, { timeoutMs: timeoutFor(settings) });
  // Only after the file of settings was written: a node that is restarted in between must not need the append-only file.
  if (step.kind === 'config' && step.leaves !== undefined) await stack.host.files?.remove(id, step.leaves);
}

async function rewriteFile(/** @type {Control} */ control) {
  try {
    await control.call('CONFIG', 'REWRITE');
  } catch (error) {
    // A node that was started without a file loses these settings at a restart, too.
    if (isReplyError(error) && /without a config file/i.test(error.message)) return;
    throw error;
  }
}

export const BARRED = KNOWN.barred;

/** @param {Readonly<Record<string, string>>} former values of the changed settings */
function turnsAppendOnlyOn(former) {
  return Object.entries(former).some(([name, value]) => name.toLowerCase() === 'appendonly' && value === 'no');
}

/**
 * A server that switches its append-only file off leaves it behind. The next start with `appendonly yes` would load it instead of the snapshot.
 * @param {Stack} stack @param {string} id @param {Control} control @returns {Promise<{leaves?: string}>} leaves: the name of what somebody has to remove later
 */
async function whatStays({ about: { ours }, host: { files } }, id, control) {
  // Our own stacks are removed as a whole; files of somebody else are not ours to remove.
  if (ours || files === undefined) return {};
  // A folder since Redis 7, a single file before.
  const { appenddirname, appendfilename } = await readConfig(control, ['appenddirname', 'appendfilename']);
  const name = appenddirname ?? appendfilename;
  return name === undefined || (await files.has(id, name)) ? {} : { leaves: name };
}

/** Switching the append-only file on replaces what is left of one, which may be somebody's last copy. @type {SettingsOf['mayChange']} */
async function mayChange({ about: { backend, endsWithRun }, can }, controls) {
  // A user who may not read settings may not change them either.
  if (backend !== 'external' || endsWithRun || !can.has('configure')) return () => true;
  const answers = await Promise.all([...controls].map((control) => control.call('CONFIG', 'GET', 'appendonly')));
  if (answers.every((answer) => /** @type {string[]} */ (answer)[1] === 'yes')) return () => true;
  return (settings) =>
    !Object.entries(settings).some(([name, value]) => /^appendonly$/i.test(name) && /^yes$/i.test(value));
}

/** @type {NonNullable<SettingsOf['ownOf']>} */
function ownOf(values) {
  const names = Object.entries(KNOWN.plain).flatMap(([name, { value, details = name }]) =>
    (values[name] ?? value) === value ? [] : [name, details],
  );
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

/** @type {SettingsOf} */
export const redisSettings = {
  barred: BARRED,
  timeoutMs: timeoutFor,
  read,
  write,
  async undoStep(stack, { id, kind }, control, former) {
    if (kind === 'sentinel') return { kind: 'sentinel', id, settings: former };
    const leaves = turnsAppendOnlyOn(former) ? await whatStays(stack, id, control) : {};
    return { kind: 'config', id, settings: former, before: await fileEvidence(control), ...leaves };
  },
  restore,
  ownOf,
  persist: (control) => control.call('CONFIG', 'REWRITE'),
  mayChange,
};
