import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  realpathSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { temporaryFolder } from '../private-files.js';
import { listRecords, ownerLives, removeRecord, writeRecord } from './records.js';
import { DISK, MOUNTED, readText, run, SERVED, startDaemon, takeApart } from './slow-volume-parts.js';

/**
 * A volume whose writes take a given time, for machines without a network volume: nbdkit delays them, nbdfuse shows what it
 * serves as a file, a loop device makes a disk of that. A sync waits for each of its writes, so it takes some of these times;
 * reads take none.
 *
 * @typedef {Object} SlowVolume
 * @property {string} path where it is mounted
 * @property {string} how what it is, without a path
 * @property {() => Promise<void>} close idempotent; takes up to about 15 s when much was not written yet
 */

const INSTALL =
  'install nbdkit and nbdfuse (Debian: `apt install nbdkit libnbd-bin`; Fedora: `dnf install nbdkit nbdfuse`; Alpine: `apk add nbdkit libnbd`)';
const NAME_ONE = 'name a real one with --data-dir';

const PROGRAMS = ['nbdkit', 'nbdfuse', 'mkfs.ext4', 'mount', 'umount', 'losetup'];

/** In the `CapEff` of /proc/PID/status. */
const CAP_SYS_ADMIN = 1n << 21n;

const READY_DEADLINE_MS = 30_000;
const POLL_MS = 10;

/** The least ext4 is worth its name with, journal included. */
const LEAST_BYTES = 64 * 2 ** 20;
const JOURNAL_MIB = 16;

/** What nbdfuse gets through in the time of one write: measured, a few requests of 128 KiB at a time. */
const BYTES_A_DELAY = 400_000;
/** No more than is written in this time may wait in memory: unmounting waits for all of it. */
const DIRTY_MS = 3000;
const DIRTY_BYTES = { least: 4 * 2 ** 20, most: 128 * 2 ** 20 };

/**
 * Whether there can be one here. Starts nothing.
 *
 * @returns {Promise<{ok: boolean, reason: string}>} one sentence; when not ok: what is missing, and the remedy
 */
export async function slowVolumePossible() {
  const missing = await whatIsMissing();
  if (missing) return { ok: false, reason: `There is no emulated slow volume: ${missing}.` };
  return { ok: true, reason: 'A slow volume can be emulated with nbdkit, nbdfuse and a loop device.' };
}

/** @returns {Promise<string | null>} null: nothing */
async function whatIsMissing() {
  if (process.platform !== 'linux') return `it needs Linux, so ${NAME_ONE}`;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readText('/proc/self/status'))?.[1] ?? '0';
  if (process.getuid?.() !== 0 || (BigInt(`0x${effective}`) & CAP_SYS_ADMIN) === 0n) {
    return `mounting it needs root with CAP_SYS_ADMIN, so run this with sudo or in a privileged container, or ${NAME_ONE}`;
  }
  const found = await Promise.all(PROGRAMS.map((program) => run('/bin/sh', ['-c', `command -v ${program}`])));
  const absent = PROGRAMS.filter((_, index) => found[index].status !== 0);
  if (absent.length > 0)
    return `${absent.join(' and ')} ${absent.length > 1 ? 'are' : 'is'} not on PATH, so ${INSTALL}`;
  for (const device of ['/dev/fuse', '/dev/loop-control']) {
    try {
      accessSync(device, constants.R_OK | constants.W_OK);
    } catch {
      return `${device} cannot be used, so load its kernel module with modprobe, give it to the container, or ${NAME_ONE}`;
    }
  }
  const filter = await run('nbdkit', ['--dump-plugin', '--filter=delay', 'file']);
  return filter.status === 0 ? null : `nbdkit has no delay filter or file plugin, so ${INSTALL}`;
}

/**
 * @param {Object} options
 * @param {number} options.writeDelayMs ≥ 1, whole: nbdkit knows nothing shorter
 * @param {number} options.bytes its size; takes no room before it is written to
 * @param {string} [options.directory] where its content is kept; default: that for temporary files
 * @param {AbortSignal} [options.signal] abandon starting
 * @param {(line: string) => void} [options.tell]
 * @returns {Promise<SlowVolume>}
 * @throws {UserError} it cannot be had here; nothing is left behind then
 */
export async function startSlowVolume({ writeDelayMs, bytes, directory = temporaryFolder(), signal, tell = () => {} }) {
  if (bytes < LEAST_BYTES) {
    throw new UserError(
      `An emulated slow volume needs ${LEAST_BYTES / 2 ** 20} MiB at least, and the directory for temporary files has no such room.`,
      'Free some, or set TMPDIR to another directory.',
    );
  }
  const name = `sentinel-bench-volume-${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = join(realpathSync(directory), name);
  /** @type {Promise<void> | null} */
  let closing = null;
  const close = () => {
    closing ??= remove(name, folder, tell);
    return closing;
  };
  writeRecord('volumes', name, folder);
  try {
    tell(`Making a slow volume: each write to it takes ${writeDelayMs} ms.`);
    await build(folder, writeDelayMs, Math.floor(bytes), signal);
    const path = join(folder, MOUNTED);
    boundDirtyPages(path, writeDelayMs);
    const how = `ext4 on a loop device, each of whose writes nbdkit delays by ${writeDelayMs} ms`;
    return { path, how, close };
  } catch (error) {
    // What failed first is what the caller is told; what stays behind is told beside it.
    await close().catch((/** @type {Error} */ failure) => tell(failure.message));
    throw signal?.aborted ? signal.reason : error;
  }
}

/**
 * Takes down the volumes of processes that died without doing it, and touches none of a living one. To be called when the
 * stacks of dead processes are gone: their nodes may work there.
 *
 * @param {(line: string) => void} [tell]
 */
export async function recoverSlowVolumes(tell = () => {}) {
  for (const record of listRecords('volumes')) {
    if (ownerLives(record)) continue;
    await remove(record.name, record.folder, tell);
    tell(`Removed the slow volume that process ${record.owner.pid} left.`);
  }
}

/**
 * The record last: only it says where the rest is.
 *
 * @param {string} name
 * @param {string} folder
 * @param {(line: string) => void} tell
 */
async function remove(name, folder, tell) {
  const { busy } = await takeApart(folder);
  if (busy) tell('The slow volume was still in use; what uses it can no longer read or write there.');
  removeRecord('volumes', name);
}

/**
 * @param {string} folder
 * @param {number} writeDelayMs
 * @param {number} bytes
 * @param {AbortSignal} [signal]
 */
async function build(folder, writeDelayMs, bytes, signal) {
  for (const each of ['', SERVED, MOUNTED]) mkdirSync(join(folder, each), { mode: 0o700 });
  const disk = join(folder, DISK);
  writeFileSync(disk, '', { mode: 0o600 });
  truncateSync(disk, bytes);
  signal?.throwIfAborted();
  // Made before its writes are delayed, and with few inodes: thousands of tables are nothing that Redis needs.
  const features = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
  const made = await run('mkfs.ext4', [
    '-q',
    '-F',
    '-m',
    '0',
    '-i',
    '262144',
    '-J',
    `size=${JOURNAL_MIB}`,
    '-E',
    features,
    disk,
  ]);
  if (made.status !== 0) throw impossible('mkfs.ext4', made.output);

  const socket = 'socket';
  await becomesReady(folder, 'nbdkit', signal, (pidFile) => [
    ...['--foreground', '--unix', socket, '--pidfile', pidFile, '--filter=delay', 'file', DISK],
    `wdelay=${writeDelayMs}ms`,
  ]);
  await becomesReady(folder, 'nbdfuse', signal, (pidFile) => ['-P', pidFile, join(SERVED, DISK), '--unix', socket]);
  signal?.throwIfAborted();

  // Its tables are not set up in the background: that would be writes nobody asked for, in the middle of a round.
  const options = 'loop,noatime,noinit_itable,errors=remount-ro';
  const mounted = await run('mount', ['-t', 'ext4', '-o', options, join(folder, SERVED, DISK), join(folder, MOUNTED)]);
  if (mounted.status !== 0) throw impossible('mount', mounted.output);
  // Nodes in containers are not all root; whoever may pass the folder above it may write here.
  chmodSync(join(folder, MOUNTED), 0o777);
  signal?.throwIfAborted();
}

/**
 * Starts a daemon and waits until it has written its pid file, which it does once it can be used.
 *
 * @param {string} folder
 * @param {'nbdkit' | 'nbdfuse'} name
 * @param {AbortSignal | undefined} signal
 * @param {(pidFile: string) => string[]} args
 */
async function becomesReady(folder, name, signal, args) {
  const pidFile = `${name}.pid`;
  const child = startDaemon(folder, name, args(pidFile));
  /** @type {unknown} */
  let failure;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = performance.now() + READY_DEADLINE_MS;
  while (readText(join(folder, pidFile)) === '') {
    signal?.throwIfAborted();
    const ended = failure !== undefined || child.exitCode !== null || child.signalCode !== null;
    if (ended || performance.now() >= deadline) {
      throw impossible(name, readText(join(folder, `${name}.log`)).trim() || String(failure ?? 'it says nothing'));
    }
    await delay(POLL_MS);
  }
}

/**
 * Redis may write far more than the volume takes; what waits in memory is what unmounting waits for. Kernels before 6.2 have
 * other bounds only, of FUSE, which are wider.
 *
 * @param {string} path where it is mounted
 * @param {number} writeDelayMs
 */
function boundDirtyPages(path, writeDelayMs) {
  const { dev } = statSync(path);
  // As glibc's major() and minor() have it, for numbers as small as those of loop devices.
  const folder = `/sys/class/bdi/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  const { least, most } = DIRTY_BYTES;
  const bytes = Math.min(most, Math.max(least, Math.round((BYTES_A_DELAY / writeDelayMs) * DIRTY_MS)));
  for (const [name, value] of Object.entries({ strict_limit: 1, max_bytes: bytes })) {
    try {
      writeFileSync(join(folder, name), String(value));
    } catch {
      // An older kernel, or one that is not ours to set up.
    }
  }
}

/**
 * @param {string} program
 * @param {string} output
 */
function impossible(program, output) {
  return new UserError(
    `The emulated slow volume could not be made: ${program} failed.`,
    'Look at what it says below, leave the volume out with --slow-volume 0, or name a real one with --data-dir.',
    undefined,
    { detail: output },
  );
}
