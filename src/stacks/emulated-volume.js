/**
 * An emulated volume: nbdkit serves a sparse file through one of its filters, nbdfuse shows what it serves as a file, and a loop device
 * makes a disk of that. All of a volume is in one folder:
 *
 *   disk     the volume's content, a sparse file
 *   served/  where nbdfuse shows it as a file: what is written there passes the filter
 *   mounted/ that file, mounted through a loop device
 *
 * A record says where the folder is, so that a later process removes the volume of one that was killed.
 *
 * @typedef {Object} VolumeKind
 * @property {string} noun for messages
 * @property {string} prefix of its folder's name
 * @property {string} filter of nbdkit
 * @property {string} otherwise what a user can do without it: the end of a sentence, or empty
 *
 * @typedef {Object} Volume
 * @property {string} folder of the volume
 * @property {string} path where it is mounted
 * @property {() => Promise<void>} close idempotent; takes up to about 15 s if many writes are not on disk yet
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pTimeout from 'p-timeout';
import { UserError } from '../errors.js';
import { readMounts } from '../measure/storage.js';
import { isOwnFolder, removeOwnFolder, temporaryFolder } from '../private-files.js';
import { environmentForPrograms } from '../programs.js';
import { waitFor } from '../wait.js';
import { statFields } from './processes.js';
import { listRecords, ownerLives, removeRecord, writeRecord } from './records.js';
import { signalProcess } from './redis/local/record.js';

/** @import { ChildProcess } from 'node:child_process' */

export const DISK = 'disk';
const SERVED = 'served';
const MOUNTED = 'mounted';

const DAEMONS = /** @type {const} */ (['nbdkit', 'nbdfuse']);

/** @type {Readonly<Record<'slow' | 'volatile', VolumeKind>>} */
export const KINDS = Object.freeze({
  slow: {
    noun: 'slow volume',
    prefix: 'sentinel-bench-volume-',
    filter: 'delay',
    otherwise: ', or name a real one with --data-dir',
  },
  volatile: {
    noun: 'disk with a volatile cache',
    prefix: 'sentinel-bench-disk-',
    filter: 'cache',
    otherwise: '',
  },
});

/** Names of volumes' folders: the process that made it, and random characters. */
const FOLDER_NAME = /^sentinel-bench-(volume|disk)-\d+-[0-9a-f]{12}$/;

/** The administrator's programs are not on every user's PATH. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;

/** Writes that are not on disk after this time never will be. */
const FLUSH_DEADLINE_MS = 6000;
const END_DEADLINE_MS = 3000;
const UMOUNT_POLL_MS = 50;
const END_POLL_MS = 5;

/** The process records itself before it becomes the daemon. If the folder was removed, nothing starts. */
const RECORD_AND_RUN = 'cat "/proc/$$/stat" > "$0.stat" && exec "$@"';

const INSTALL =
  'install nbdkit and nbdfuse (Debian: `apt install nbdkit libnbd-bin`; Fedora: `dnf install nbdkit nbdfuse`; Alpine: `apk add nbdkit libnbd`)';

const PROGRAMS = ['nbdkit', 'nbdfuse', 'mkfs.ext4', 'mount', 'umount', 'losetup'];

/** In the `CapEff` of /proc/PID/status. */
const CAP_SYS_ADMIN = 1n << 21n;

const READY_DEADLINE_MS = 30_000;

/** The smallest useful ext4, journal included. */
const LEAST_BYTES = 64 * 2 ** 20;
const JOURNAL_MIB = 16;

/**
 * Starts nothing.
 *
 * @param {VolumeKind} kind
 * @returns {Promise<string | null>} why there can be none here, and the remedy, without a full stop; null: there can be one
 */
export async function whyNoVolume({ filter, otherwise }) {
  if (process.platform !== 'linux') return `it needs Linux, so run this there${otherwise}`;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readText('/proc/self/status'))?.[1] ?? '0';
  if (process.getuid?.() !== 0 || (BigInt(`0x${effective}`) & CAP_SYS_ADMIN) === 0n) {
    return `mounting it needs root with CAP_SYS_ADMIN, so run this with sudo or in a privileged container${otherwise}`;
  }
  const found = await Promise.all(PROGRAMS.map((program) => run('/bin/sh', ['-c', `command -v ${program}`])));
  const absent = PROGRAMS.filter((_, index) => found[index].status !== 0);
  if (absent.length > 0)
    return `${absent.join(' and ')} ${absent.length > 1 ? 'are' : 'is'} not on PATH, so ${INSTALL}`;
  for (const device of ['/dev/fuse', '/dev/loop-control']) {
    try {
      accessSync(device, constants.R_OK | constants.W_OK);
    } catch {
      return `${device} cannot be used, so load its kernel module with modprobe, or give it to the container${otherwise}`;
    }
  }
  const dumped = await run('nbdkit', ['--dump-plugin', `--filter=${filter}`, 'file']);
  return dumped.status === 0 ? null : `nbdkit has no ${filter} filter or file plugin, so ${INSTALL}`;
}

/**
 * @param {VolumeKind} kind
 * @param {Object} options
 * @param {readonly string[]} options.parameters of nbdkit's filter
 * @param {number} options.bytes its size; a sparse file, which takes room only as it is written
 * @param {string} [options.directory] where to keep its content; default: the folder for temporary files
 * @param {AbortSignal} [options.signal] abandon starting
 * @param {(line: string) => void} [options.tell]
 * @returns {Promise<Volume>}
 * @throws {UserError} there can be none here; nothing is left behind then
 */
export async function startVolume(kind, { parameters, bytes, directory = temporaryFolder(), signal, tell = () => {} }) {
  if (bytes < LEAST_BYTES) {
    throw new UserError(
      `An emulated ${kind.noun} needs ${LEAST_BYTES / 2 ** 20} MiB at least, and the directory for temporary files has no such room.`,
      'Free some, or set TMPDIR to another directory.',
    );
  }
  const name = `${kind.prefix}${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = join(realpathSync(directory), name);
  /** @type {Promise<void> | null} */
  let closing = null;
  const close = () => {
    closing ??= remove(name, folder, tell);
    return closing;
  };
  writeRecord('volumes', name, folder);
  try {
    await format(folder, Math.floor(bytes), signal);
    await attach(folder, kind, { parameters, signal });
    return { folder, path: join(folder, MOUNTED), close };
  } catch (error) {
    // The caller gets the first failure; a failure to clean up is reported beside it.
    await close().catch((/** @type {Error} */ failure) => tell(failure.message));
    throw signal?.aborted ? signal.reason : error;
  }
}

/** Of two recoveries in one process the second finds what the first has left. */
const oneAtATime = pLimit(1);

/**
 * Removes the volumes of dead processes, and touches none of a living one. To be called after the stacks of dead processes were removed:
 * their nodes may keep files there.
 *
 * @param {(line: string) => void} [tell]
 * @param {readonly VolumeKind[]} [kinds] default: all
 * @returns {Promise<void>}
 */
export function recoverVolumes(tell = () => {}, kinds = Object.values(KINDS)) {
  return oneAtATime(async () => {
    for (const record of listRecords('volumes')) {
      if (ownerLives(record) || !kinds.some(({ prefix }) => record.name.startsWith(prefix))) continue;
      await remove(record.name, record.folder, tell);
      tell(`Removed the ${nounOf(record.folder)} that process ${record.owner.pid} left.`);
    }
  });
}

/** @param {string} folder of a volume */
function nounOf(folder) {
  const kind = Object.values(KINDS).find(({ prefix }) => basename(folder).startsWith(prefix));
  return kind?.noun ?? 'volume';
}

/**
 * Removes the record last, because only it says where the rest is.
 *
 * @param {string} name
 * @param {string} folder
 * @param {(line: string) => void} tell
 */
async function remove(name, folder, tell) {
  const { busy } = await takeApart(folder);
  if (busy)
    tell(`The ${nounOf(folder)} was still in use; the processes that used it can no longer read or write there.`);
  removeRecord('volumes', name);
}

/**
 * @param {string} folder
 * @param {number} bytes
 * @param {AbortSignal} [signal]
 */
async function format(folder, bytes, signal) {
  for (const each of ['', SERVED, MOUNTED]) mkdirSync(join(folder, each), { mode: 0o700 });
  const disk = join(folder, DISK);
  writeFileSync(disk, '', { mode: 0o600 });
  truncateSync(disk, bytes);
  signal?.throwIfAborted();
  // Made before its writes pass the filter, and with few inodes: Redis needs no thousands of inode tables.
  const features = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
  const made = await run('mkfs.ext4', [
    ...['-q', '-F', '-m', '0', '-i', '262144'],
    ...['-J', `size=${JOURNAL_MIB}`, '-E', features, disk],
  ]);
  if (made.status !== 0) throw impossible(folder, 'mkfs.ext4', made.output);
}

/**
 * Starts the daemons and mounts the volume.
 *
 * @param {string} folder of a volume that is not attached
 * @param {VolumeKind} kind
 * @param {{parameters: readonly string[], signal?: AbortSignal}} options parameters: of nbdkit's filter
 */
export async function attach(folder, { filter }, { parameters, signal }) {
  const socket = 'socket';
  // Daemons that were killed leave them.
  for (const name of [socket, ...DAEMONS.map(pidFileOf)]) rmSync(join(folder, name), { force: true });
  await becomesReady(folder, 'nbdkit', signal, (pidFile) => [
    ...['--foreground', '--unix', socket, '--pidfile', pidFile, `--filter=${filter}`, 'file', DISK],
    ...parameters,
  ]);
  await becomesReady(folder, 'nbdfuse', signal, (pidFile) => ['-P', pidFile, join(SERVED, DISK), '--unix', socket]);
  signal?.throwIfAborted();

  // noinit_itable: ext4 would otherwise write inode tables in the background, in the middle of a round.
  const options = 'loop,noatime,noinit_itable,errors=remount-ro';
  const mounted = await run('mount', ['-t', 'ext4', '-o', options, join(folder, SERVED, DISK), join(folder, MOUNTED)]);
  if (mounted.status !== 0) throw impossible(folder, 'mount', mounted.output);
  // Nodes in containers may not be root. The folder above it restricts who gets here.
  chmodSync(join(folder, MOUNTED), 0o777);
  signal?.throwIfAborted();
}

/** @param {typeof DAEMONS[number]} name */
function pidFileOf(name) {
  return `${name}.pid`;
}

/**
 * Starts a daemon and waits for its pid file, which it writes once it is ready.
 *
 * @param {string} folder
 * @param {'nbdkit' | 'nbdfuse'} name
 * @param {AbortSignal | undefined} signal
 * @param {(pidFile: string) => string[]} args
 */
async function becomesReady(folder, name, signal, args) {
  const pidFile = pidFileOf(name);
  const child = startDaemon(folder, name, args(pidFile));
  /** @type {unknown} */
  let failure;
  child.once('error', (error) => {
    failure = error;
  });
  const hasPidFile = () => readText(join(folder, pidFile)) !== '';
  const isDecided = () => hasPidFile() || failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  await waitFor(isDecided, { deadlineMs: READY_DEADLINE_MS, signal });
  if (!hasPidFile())
    throw impossible(folder, name, readText(join(folder, `${name}.log`)).trim() || String(failure ?? 'no output'));
}

/**
 * @param {string} folder
 * @param {string} program
 * @param {string} output
 */
function impossible(folder, program, output) {
  const noun = nounOf(folder);
  return new UserError(
    `The emulated ${noun} could not be made: ${program} failed.`,
    noun === KINDS.slow.noun
      ? 'Look at its output below, leave the volume out with --slow-volume 0, or name a real one with --data-dir.'
      : 'Look at its output below.',
    undefined,
    { detail: output },
  );
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<{status: number | string, output: string}>} status: 0, another exit status or an error code such as ENOENT
 */
function run(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...environmentForPrograms(), PATH, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? 'killed') : 0, output: (stderr + stdout).trim() });
    });
  });
}

/**
 * Starts a daemon in its own process group, which signals to our group do not reach.
 *
 * @param {string} folder of the volume
 * @param {typeof DAEMONS[number]} name
 * @param {string[]} args
 * @returns {ChildProcess}
 */
function startDaemon(folder, name, args) {
  const log = openSync(join(folder, `${name}.log`), 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', RECORD_AND_RUN, name, name, ...args], {
      cwd: folder,
      env: { ...environmentForPrograms(), PATH },
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * @param {string} folder
 * @param {typeof DAEMONS[number]} name
 * @returns {number | null} its process, if it still runs and is known to be this one
 */
function daemonPid(folder, name) {
  const text = readText(join(folder, `${name}.stat`));
  const pid = Number.parseInt(text, 10);
  // The 22nd field; the second one may hold spaces and brackets.
  const startTime = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  const now = statFields(pid);
  // A zombie holds nothing any more.
  return now !== null && now[0] !== 'Z' && now[19] === startTime ? pid : null;
}

/**
 * Takes a volume apart, complete or not. Idempotent. Takes up to about 15 s.
 *
 * @param {string} folder
 * @returns {Promise<{busy: boolean}>} busy: a process still had a file of it open, or worked there; its reads and writes
 *   now fail
 * @throws {UserError} it is not a volume of ours, or something of it is left
 */
export async function takeApart(folder) {
  // Checked before anything is unmounted, because the path comes from a record.
  isOwnFolder(folder, FOLDER_NAME);
  const busy = await detach(folder);
  removeOwnFolder(folder, FOLDER_NAME);
  return { busy };
}

/**
 * Unmounts a volume and ends its daemons; its content stays. Idempotent. Takes up to about 15 s.
 *
 * @param {string} folder
 * @returns {Promise<boolean>} true: a process still used it; its reads and writes now fail
 * @throws {UserError} something of it is left
 */
export async function detach(folder) {
  const busy = !(await unmount(join(folder, MOUNTED), FLUSH_DEADLINE_MS, () => endDaemons(folder, 'SIGKILL')));
  for (const device of loopDevices(folder)) await run('losetup', ['--detach', device]);
  await unmount(join(folder, SERVED), busy ? 0 : END_DEADLINE_MS, () => endDaemons(folder, 'SIGKILL'));
  await endDaemons(folder, 'SIGTERM');
  const left = () => [...mountsIn(folder), ...loopDevices(folder)];
  // Removing the folder would empty what is still mounted in it. udev, which opens every new disk, may hold one for a moment.
  if (!(await waitFor(() => left().length === 0, { deadlineMs: END_DEADLINE_MS, pollMs: END_POLL_MS }))) {
    throw new UserError(
      `The emulated ${nounOf(folder)} could not be taken down: ${left().join(', ')} is left.`,
      'End what uses it, then run `sentinel-bench recover`.',
    );
  }
  return busy;
}

/**
 * Kills the daemons of a volume and whatever they hold in memory. Returns at once.
 *
 * @param {string} folder
 */
export function killDaemons(folder) {
  const pids = DAEMONS.flatMap((name) => daemonPid(folder, name) ?? []);
  for (const pid of pids) signalProcess(pid, 'SIGKILL');
}

/**
 * @param {string} point
 * @param {number} deadlineMs for writes that are not on disk yet, and for processes that are just ending
 * @param {() => Promise<void>} giveUp makes whatever unmounting waits for fail
 * @returns {Promise<boolean>} false: a process still uses it; it was unmounted lazily
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

/**
 * @param {string} folder
 * @param {'SIGTERM' | 'SIGKILL'} signal
 */
async function endDaemons(folder, signal) {
  const gone = () => DAEMONS.every((name) => daemonPid(folder, name) === null);
  for (const each of signal === 'SIGTERM' ? /** @type {const} */ (['SIGTERM', 'SIGKILL']) : [signal]) {
    for (const name of DAEMONS) {
      const pid = daemonPid(folder, name);
      if (pid !== null) signalProcess(pid, each);
    }
    if (await waitFor(gone, { deadlineMs: END_DEADLINE_MS, pollMs: END_POLL_MS })) return;
  }
}

/**
 * @param {string} folder
 * @returns {string[]} mount points at it or in it
 */
export function mountsIn(folder) {
  const points = readMounts().map(({ point }) => point);
  return points.filter((point) => point === folder || point.startsWith(`${folder}/`));
}

/**
 * @param {string} folder
 * @returns {string[]} loop devices over a file in it
 */
export function loopDevices(folder) {
  try {
    return readdirSync('/sys/block')
      .filter((name) => readText(`/sys/block/${name}/loop/backing_file`).startsWith(`${folder}/`))
      .map((name) => `/dev/${name}`);
  } catch {
    // Other systems than Linux lack them.
    return [];
  }
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not made yet, or removed.
    return '';
  }
}
