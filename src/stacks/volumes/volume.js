/**
 * A volume that a run makes for the files of its nodes. All of it is in one folder, in which its daemons work: `served/` has a file that a
 * daemon serves, where there is one, and `mounted/` is where the volume is mounted. A record says where the folder is, so that a later process
 * removes the volume of one that was killed.
 * @typedef {{directory?: string, signal?: AbortSignal, tell?: (line: string) => void}} VolumeOptions directory: where to make the folder;
 *   default: the folder for temporary files; signal: abandon starting
 * @import { VolumeKind } from './volume-kinds.js'
 */
import { randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pTimeout from 'p-timeout';
import { readMounts } from '../../measure/storage.js';
import { once } from '../../once.js';
import { isOwnFolder, removeOwnFolder, temporaryFolder } from '../../private-files.js';
import { programPath, runProgram, SYSTEM_FOLDERS, TOOL_ENVIRONMENT } from '../../programs.js';
import { waitFor } from '../../wait.js';
import { runApart, signalProcess } from '../hosts/daemons.js';
import { daemonsIn, fieldsOf, processIds, textOf, worksIn } from '../hosts/processes.js';
import { ownerLives } from '../records/owners.js';
import { listRecords, removeRecord, writeRecord } from '../records/records.js';
import { problem, text } from '../texts.js';
import { FOLDER_NAME, KINDS } from './volume-kinds.js';

export const SERVED = 'served';
export const MOUNTED = 'mounted';

/** This bit of `CapEff` in /proc/PID/status allows mounting. */
const CAP_SYS_ADMIN = 1n << 21n;

const READY_DEADLINE_MS = 60_000;
const FLUSH_DEADLINE_MS = 6000;
const END_DEADLINE_MS = 3000;
const UMOUNT_POLL_MS = 50;
const END_POLL_MS = 5;

/** @param {VolumeKind} kind @returns why there can be no such volume here, and the remedy, in one sentence; null: there can be one */
export async function whyNoVolume(kind) {
  const missing = whyNotMount(kind) ?? (await whyNoFilter(kind));
  return missing === null ? null : `${kind.absent}: ${missing}.`;
}

/** @param {VolumeKind} kind @returns why this process cannot mount it, and the remedy; null: it can */
function whyNotMount({ otherwise, programs, devices, install }) {
  if (process.platform !== 'linux') return text('volume-needs-linux', { otherwise });
  const { CapEff: effective = '0' } = fieldsOf('/proc/self/status');
  if (process.getuid?.() !== 0 || (BigInt(`0x${effective}`) & CAP_SYS_ADMIN) === 0n)
    return text('volume-needs-root', { otherwise });
  const absent = programs.filter((program) => programPath(program, SYSTEM_FOLDERS) === null);
  if (absent.length > 0)
    return `${absent.join(' and ')} ${absent.length > 1 ? 'are' : 'is'} not on PATH, so ${install}`;
  const closed = devices.find((device) => !mayUse(device));
  return closed === undefined ? null : text('volume-needs-device', { closed, otherwise });
}

/** @param {VolumeKind} kind @returns why nbdkit cannot emulate it, and the remedy; null: it can, or it is not asked to */
async function whyNoFilter({ filter, install }) {
  if (filter === undefined) return null;
  const dumped = await run('nbdkit', ['--dump-plugin', `--filter=${filter}`, 'file']);
  return dumped.status === 0 ? null : `nbdkit has no ${filter} filter or file plugin, so ${install}`;
}

function mayUse(/** @type {string} */ device) {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Records the folder first, so that whatever `build` starts is found again.
 * @param {VolumeKind} kind @param {VolumeOptions & {build: (folder: string) => Promise<void>}} options build: mounts it at `mounted/`
 * @returns path: where it is mounted; close: idempotent, takes up to 15 s @throws {UserError} there can be none here; nothing is left then
 */
export async function makeVolume(kind, { build, directory = temporaryFolder(), signal, tell = () => {} }) {
  const name = `${kind.prefix}${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = join(realpathSync(directory), name);
  const close = once(() => remove(name, folder, tell));
  writeRecord('volumes', name, folder);
  try {
    for (const each of ['', SERVED, MOUNTED]) mkdirSync(join(folder, each), { mode: 0o700 });
    signal?.throwIfAborted();
    await build(folder);
    return { folder, path: join(folder, MOUNTED), close };
  } catch (error) {
    // The caller gets the first error. An error of the clean-up is only told.
    await close().catch((/** @type {Error} */ failure) => tell(failure.message));
    throw signal?.aborted ? signal.reason : error;
  }
}

/** Nodes may not be root, so all may write here. The folder above it restricts who gets here. @param {string} folder of the volume */
export function openToNodes(folder) {
  chmodSync(join(folder, MOUNTED), 0o777);
}

const OF_RUNS = Object.values(KINDS).filter((kind) => kind !== KINDS.agent);

/** When two recoveries run in one process, the second finds what the first has left. */
const oneAtATime = pLimit(1);

/**
 * Removes the volumes of dead processes, after their stacks, which may keep files there.
 * @param {(line: string) => void} [tell] @param {readonly VolumeKind[]} [kinds] default: all but those of agents
 */
export function recoverVolumes(tell = () => {}, kinds = OF_RUNS) {
  return oneAtATime(async () => {
    for (const record of listRecords('volumes')) {
      if (ownerLives(record.owner) || !kinds.some(({ prefix }) => record.name.startsWith(prefix))) continue;
      await remove(record.name, record.folder, tell);
      tell(`Removed the ${kindOf(record.folder).noun} that process ${record.owner.pid} left.`);
    }
  });
}

/** @param {string} folder of a volume */
function kindOf(folder) {
  const kind = Object.values(KINDS).find(({ prefix }) => basename(folder).startsWith(prefix));
  if (kind === undefined) throw new Error(`${basename(folder)} is no folder of a volume`);
  return kind;
}

/** The record goes last: only it says where the rest is. @param {string} name @param {string} folder @param {(line: string) => void} tell */
async function remove(name, folder, tell) {
  const { busy } = await takeApart(folder);
  if (busy)
    tell(`The ${kindOf(folder).noun} was still in use; the processes that used it can no longer read or write there.`);
  removeRecord('volumes', name);
}

/**
 * Starts a daemon, which works in the folder. @param {string} folder of the volume @param {string} name of its log
 * @param {{args: readonly string[], isReady: () => boolean, signal?: AbortSignal}} options args: its program first
 * @returns its process, which is ready @throws {UserError} it ends, or is not ready in time
 */
export async function startDaemon(folder, name, { args, isReady, signal }) {
  const log = join(folder, `${name}.log`);
  const child = runApart(args, { cwd: folder, log, env: TOOL_ENVIRONMENT });
  /** @type {unknown} */
  let failure;
  child.once('error', (error) => {
    failure = error;
  });
  const isDecided = () => isReady() || failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  await waitFor(isDecided, { deadlineMs: READY_DEADLINE_MS, signal });
  if (isReady()) return child.pid;
  throw impossible(folder, args[0], textOf(log).trim() || String(failure ?? 'no output'));
}

/** @param {string} folder of a volume @param {string} program that failed @param {string} output */
export function impossible(folder, program, output) {
  const { noun, remedy } = kindOf(folder);
  return problem('volume-failed', { noun, program, remedy }, { detail: output });
}

/** @param {string} program @param {string[]} args @returns status null: it was killed, or could not be run */
export async function run(program, args) {
  const { status, stdout, stderr, failure } = await runProgram([program, ...args], { env: TOOL_ENVIRONMENT });
  return { status, output: (stderr + stdout).trim() || String(failure ?? '') };
}

/**
 * Idempotent, also of a part. Takes up to about 15 s. @param {string} folder @throws {UserError} it is no volume of ours, or a part is left
 * @returns busy: a process still used it; its reads and writes now fail
 */
export async function takeApart(folder) {
  // Checked before anything is unmounted, because the path comes from a record.
  isOwnFolder(folder, FOLDER_NAME);
  const busy = await detach(folder);
  removeOwnFolder(folder, FOLDER_NAME);
  return { busy };
}

/**
 * Unmounts a volume and ends its daemons; its content stays. Idempotent. Takes up to about 15 s. @param {string} folder
 * @returns true: a process still used it; its reads and writes now fail @throws {UserError} a part is left
 */
export async function detach(folder) {
  const busy = !(await unmount(join(folder, MOUNTED), FLUSH_DEADLINE_MS, () => endDaemons(folder)));
  for (const device of loopDevices(folder)) await run('losetup', ['--detach', device]);
  await unmount(join(folder, SERVED), busy ? 0 : END_DEADLINE_MS, () => endDaemons(folder));
  await endDaemons(folder);
  const left = () => [...mountsIn(folder), ...loopDevices(folder)];
  // Removing the folder would empty what is still mounted in it. udev, which opens every new disk, may hold one for a moment.
  if (!(await waitFor(() => left().length === 0, { deadlineMs: END_DEADLINE_MS, pollMs: END_POLL_MS })))
    throw problem('volume-stays', { noun: kindOf(folder).noun, left: left() });
  return busy;
}

/** Kills the daemons of a volume and whatever they hold in memory. Returns at once. @param {string} folder */
export function killDaemons(folder) {
  for (const pid of daemonsIn([folder])) signalProcess(pid, 'SIGKILL');
}

/**
 * @param {string} point @param {number} deadlineMs for writes that are not on disk yet, and for processes that are just ending
 * @param {() => Promise<void>} giveUp makes whatever unmounting waits for fail
 * @returns false: a process still uses it; it was unmounted lazily
 */
async function unmount(point, deadlineMs, giveUp) {
  const deadline = performance.now() + deadlineMs;
  const isGone = () => mountsIn(point).length === 0;
  while (!isGone() && performance.now() < deadline) {
    const left = Math.max(1, deadline - performance.now());
    const ended = await pTimeout(run('umount', [point]), { milliseconds: left, message: false });
    if (ended && ended.status !== 0) await delay(UMOUNT_POLL_MS);
  }
  if (isGone()) return true;
  await giveUp();
  await pTimeout(run('umount', [point]), { milliseconds: END_DEADLINE_MS, message: false });
  if (isGone()) return true;
  await run('umount', ['--lazy', point]);
  return false;
}

/** Nothing of them is worth keeping: what they have not written yet never will be. @param {string} folder */
async function endDaemons(folder) {
  killDaemons(folder);
  const areGone = () => !processIds().some((pid) => worksIn(pid, folder));
  await waitFor(areGone, { deadlineMs: END_DEADLINE_MS, pollMs: END_POLL_MS });
}

/** @param {string} folder @returns mount points at it or in it */
export function mountsIn(folder) {
  const points = readMounts().map(({ point }) => point);
  return points.filter((point) => point === folder || point.startsWith(`${folder}/`));
}

/** @param {string} folder @returns loop devices over a file in it */
export function loopDevices(folder) {
  try {
    return readdirSync('/sys/block')
      .filter((name) => textOf(`/sys/block/${name}/loop/backing_file`).startsWith(`${folder}/`))
      .map((name) => `/dev/${name}`);
  } catch {
    return [];
  }
}
