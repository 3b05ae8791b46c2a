import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { readMounts } from '../measure/storage.js';
import { isOwnFolder, removeOwnFolder } from '../private-files.js';
import { environmentForPrograms } from '../programs.js';
import { becomesTrue, statFields } from './processes.js';
import { signalProcess } from './redis/local/stack.js';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * What a slow volume consists of, and how it is taken apart. All of it is in one folder:
 *
 *   disk     the volume's content, a sparse file
 *   served/  where nbdfuse shows it as a file: what is written there nbdkit delays
 *   mounted/ that file, mounted through a loop device
 */

export const DISK = 'disk';
export const SERVED = 'served';
export const MOUNTED = 'mounted';

export const DAEMONS = /** @type {const} */ (['nbdkit', 'nbdfuse']);

/** Names of volumes' folders: the process that made it, and something random. */
const FOLDER_NAME = /^sentinel-bench-volume-\d+-[0-9a-f]{12}$/;

/** Programs of the administrator are not on everybody's PATH. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;

/** What was not written yet is, in this time, or never will be. */
const FLUSH_DEADLINE_MS = 6000;
const END_DEADLINE_MS = 3000;
const POLL_MS = 50;

/** The process writes down who it is before it becomes the daemon. In a folder that is gone nothing starts. */
const RECORD_AND_RUN = 'cat "/proc/$$/stat" > "$0.stat" && exec "$@"';

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<{status: number | string, output: string}>} status: 0, another exit status or an error code such as ENOENT
 */
export function run(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...environmentForPrograms(), PATH, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? 'killed') : 0, output: (stderr + stdout).trim() });
    });
  });
}

/**
 * Starts a daemon that no signal to this process's group reaches. If this process dies, nbdkit answers nothing more, and what
 * is mounted fails until it is taken apart.
 *
 * @param {string} folder of the volume
 * @param {typeof DAEMONS[number]} name
 * @param {string[]} args
 * @returns {ChildProcess}
 */
export function startDaemon(folder, name, args) {
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
 * @returns {number | null} its process, if that still runs and is verifiably this one
 */
function daemonPid(folder, name) {
  const text = readText(join(folder, `${name}.stat`));
  const pid = Number.parseInt(text, 10);
  // The 22nd field; the second one may hold spaces and brackets.
  const startTime = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  const now = statFields(pid);
  // A dead one that nobody has reaped holds nothing any more.
  return now !== null && now[0] !== 'Z' && now[19] === startTime ? pid : null;
}

/**
 * Takes a volume apart, whatever there is of it. Idempotent. Takes up to about 15 s.
 *
 * @param {string} folder
 * @returns {Promise<{busy: boolean}>} busy: somebody still has a file of it open, or works there; what they hold is out of
 *   sight, fails, and goes with them
 * @throws {UserError} it is not a volume of ours, or something of it stays
 */
export async function takeApart(folder) {
  // Before anything is unmounted: a note names it.
  isOwnFolder(folder, FOLDER_NAME);
  const busy = !(await unmount(join(folder, MOUNTED), FLUSH_DEADLINE_MS, () => endDaemons(folder, 'SIGKILL')));
  for (const device of loopDevices(folder)) await run('losetup', ['--detach', device]);
  await unmount(join(folder, SERVED), busy ? 0 : END_DEADLINE_MS, () => endDaemons(folder, 'SIGKILL'));
  await endDaemons(folder, 'SIGTERM');
  const left = () => [...mountsIn(folder), ...loopDevices(folder)];
  // What is mounted would be emptied with the folder. Who looks at every new disk, as udev does, may hold one for a moment.
  if (!(await becomesTrue(() => left().length === 0, END_DEADLINE_MS))) {
    throw new UserError(
      `The emulated slow volume could not be taken down: ${left().join(', ')} is left.`,
      'End what uses it, then run `sentinel-bench recover`.',
    );
  }
  removeOwnFolder(folder, FOLDER_NAME);
  return { busy };
}

/**
 * @param {string} point
 * @param {number} deadlineMs for what is not written yet, and for those who are just ending
 * @param {() => Promise<void>} giveUp makes whatever unmounting waits for fail
 * @returns {Promise<boolean>} false: somebody still uses it; it is out of sight at once, and the system lets go of it when they do
 */
async function unmount(point, deadlineMs, giveUp) {
  const deadline = performance.now() + deadlineMs;
  const isGone = () => mountsIn(point).length === 0;
  while (!isGone() && performance.now() < deadline) {
    const late = delay(Math.max(0, deadline - performance.now()), null, { ref: false });
    const ended = await Promise.race([run('umount', [point]), late]);
    if (ended && ended.status !== 0) await delay(POLL_MS);
  }
  if (isGone()) return true;
  await giveUp();
  const flushed = run('umount', [point]);
  await Promise.race([flushed, delay(END_DEADLINE_MS, null, { ref: false })]);
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
    if (await becomesTrue(gone, END_DEADLINE_MS)) return;
  }
}

/**
 * @param {string} folder
 * @returns {string[]} what is mounted at it or in it
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
    // No such thing outside Linux.
    return [];
  }
}

/** @param {string} file */
export function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not made yet, or gone: it says nothing.
    return '';
  }
}
