/** Facts about other processes of this user. A pid alone does not identify a process, because it is reused. */
/** @import { ResourceSample } from '../types.js' */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { programPath } from '../../programs.js';
import { KIB } from '../../units.js';

/** @typedef {Omit<ResourceSample, 'id' | 'networkInBytes' | 'networkOutBytes'>} ProcUsage */

export const HAS_PROC = existsSync('/proc/self/stat');

/** /proc gives CPU time in ticks of a hundredth of a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Places among the fields that {@link statFields} gives. */
const START_TIME = 19;
const PARENT = 1;
const GROUP = 2;
const SESSION = 3;
const TERMINAL = 4;

/** @param {number} pid @returns for comparing only; null: there is no such process */
export function startTimeOf(pid) {
  if (HAS_PROC) return statFields(pid)?.[START_TIME] ?? null;
  return run('ps', ['-o', 'lstart=', '-p', String(pid)]).trim() || null;
}

export function thisProcess() {
  return { pid: process.pid, startTime: startTimeOf(process.pid) };
}

/** @param {{pid: number, startTime: string | null}} process of a record. A zombie does not run: it changes nothing any more */
export function stillRuns({ pid, startTime }) {
  return startTime !== null && !hasEnded(pid, startTime);
}

/** By SIGSTOP. @param {number} pid */
export function isPaused(pid) {
  const state = HAS_PROC ? (statFields(pid)?.[0] ?? '') : stateByPs(pid);
  return state.startsWith('T');
}

/**
 * Has a process ended and released everything? On Linux its sockets close after its working directory is released, by the last of its
 * threads: of 300 servers that were killed, 50 still had their port when a check of their directory said they were gone.
 * @param {number} pid @param {string | null} startTime while it ran, since another process may have its pid by now; null: it had ended
 */
export function hasEnded(pid, startTime) {
  if (startTime === null) return true;
  if (!HAS_PROC) return startTimeOf(pid) !== startTime || stateByPs(pid).startsWith('Z');
  const stat = statFields(pid);
  return stat === null || stat[START_TIME] !== startTime || (/[ZX]/.test(stat[0]) && Number(stat[17]) <= 1);
}

/** @param {number} pid @param {string} directory absolute, without symbolic links */
export function worksIn(pid, directory) {
  return workingDirectory(pid) === directory;
}

/** @param {number} pid @returns null: no such process, a zombie, or another user's */
function workingDirectory(pid) {
  if (HAS_PROC) return linkOf(`/proc/${pid}/cwd`);
  const name = run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn'])
    .split('\n')
    .find((line) => line.startsWith('n'));
  return name?.slice(1) ?? null;
}

/** What Linux adds to the name of a working directory that was removed. */
const REMOVED = ' (deleted)';

/**
 * Servers that were started by a process which ended before they had recorded themselves, and children of killed servers, which save a data
 * set. A program that a user runs in such a directory has a terminal; ours have a session of their own without one.
 * @param {readonly string[]} directories absolute, without symbolic links, perhaps removed
 * @returns processes that work there; empty without /proc
 */
export function daemonsIn(directories) {
  return processIds().filter((pid) => {
    const directory = workingDirectory(pid)?.replace(REMOVED, '');
    if (directory === undefined || !directories.includes(directory)) return false;
    const stat = statFields(pid);
    if (stat?.[TERMINAL] !== '0') return false;
    return stat[SESSION] === String(pid) || isOrphan(stat);
  });
}

/**
 * Was the first process of its session killed, and was that its parent? A job of a scheduler also outlives its session's first process, but
 * its parent is of the session.
 * @param {readonly string[]} stat from {@link statFields}
 */
function isOrphan({ [PARENT]: parent, [SESSION]: session }) {
  const first = Number(session);
  return hasEnded(first, startTimeOf(first)) && statFields(Number(parent))?.[SESSION] !== session;
}

/** @param {number} pid @returns null: unknown */
export function executableOf(pid) {
  return linkOf(`/proc/${pid}/exe`);
}

/** @param {number} pid @returns /proc/PID/stat from the third field on; the second may hold spaces and brackets */
export function statFields(pid) {
  const text = textOf(`/proc/${pid}/stat`);
  return text === '' ? null : fieldsOfStat(text);
}

const fieldsOfStat = (/** @type {string} */ text) => text.slice(text.lastIndexOf(')') + 2).split(' ');

/** CPU, user and system, of the process and of its children that have ended. @param {readonly string[]} stat from {@link statFields} */
export function cpuSecondsIn(stat) {
  const [user, system, childrenUser, childrenSystem] = stat.slice(11, 15).map(Number);
  return {
    ownSeconds: (user + system) / TICKS_PER_SECOND,
    endedChildren: (childrenUser + childrenSystem) / TICKS_PER_SECOND,
  };
}

/** @param {number} pid @returns bytes that go to files on disks, now or later; null: not known */
export function diskBytesOf(pid) {
  const { write_bytes: bytes } = fieldsOf(`/proc/${pid}/io`);
  return bytes === undefined ? null : Number(bytes);
}

/** @param {number} pid @returns empty: there is no such process */
const stateByPs = (pid) => run('ps', ['-o', 'state=', '-p', String(pid)]).trim();

/** @param {string} command @param {string[]} args @returns empty: nothing was found (ps and lsof then exit with 1) */
function run(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

/** @param {string} list such as `0-2,5` */
export function cpusIn(list) {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** @param {number} group @returns empty: it has ended, or there is no /proc */
export function processesOfGroup(group) {
  return processIds().filter((pid) => statFields(pid)?.[GROUP] === String(group));
}

/** @returns why {@link limitMemory} does not work here, and the remedy; null: it does */
export function whyNoMemoryLimit() {
  if (!HAS_PROC) return 'The memory of a process can only be limited on Linux. Run it there.';
  return programPath('prlimit') === null ? 'prlimit is not installed. Install the package util-linux.' : null;
}

/**
 * Limits the address space: an allocation beyond it fails, and Redis then ends itself.
 * @param {number} pid @param {number} moreBytes than it has now
 */
export function limitMemory(pid, moreBytes) {
  const kilobytes = Number.parseInt(fieldsOf(`/proc/${pid}/status`).VmSize ?? '', 10);
  setAddressSpace(pid, String(kilobytes * KIB + Math.round(moreBytes)));
}

/** @param {number} pid may have ended */
export function liftMemoryLimit(pid) {
  if (startTimeOf(pid) === null) return;
  // The soft limit is all that was changed.
  const hard = /^Max address space +\S+ +(\S+)/m.exec(textOf(`/proc/${pid}/limits`))?.[1];
  setAddressSpace(pid, hard ?? 'unlimited');
}

/** @param {number} pid @param {string} bytes or `unlimited` */
function setAddressSpace(pid, bytes) {
  execFileSync('prlimit', ['--pid', String(pid), `--as=${bytes}:`], { stdio: 'pipe' });
}

/** @param {number} pid @returns {ProcUsage} from /proc, which must exist */
export function readProc(pid) {
  const [stat, status, io] = ['stat', 'status', 'io'].map((name) => textOf(`/proc/${pid}/${name}`));
  if (stat === '') throw new Error(`process ${pid} has ended`);
  return usageIn({ stat, status, io });
}

/** @param {{stat: string, status: string, io: string}} files of a process in /proc, on any machine; io may be empty @returns {ProcUsage} */
export function usageIn({ stat, ...files }) {
  const [status, io] = [fieldsIn(files.status), fieldsIn(files.io)];
  return {
    cpuSeconds: cpuSecondsIn(fieldsOfStat(stat)).ownSeconds,
    memoryBytes: Number.parseInt(status.VmRSS ?? '0', 10) * KIB,
    blockInBytes: Number(io.read_bytes ?? 0),
    blockOutBytes: Number(io.write_bytes ?? 0),
    // Threads: what `docker stats` counts under PIDS.
    pids: Number(status.Threads),
  };
}

export function processIds() {
  return numericNames('/proc');
}

/** @param {string} folder */
export function numericNames(folder) {
  try {
    return readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
}

/** @param {string} path @returns empty: it cannot be read */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} path @returns null: it cannot be read */
export function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** @param {string} path of a file of `name: value` lines @returns {Partial<Record<string, string>>} empty: it cannot be read */
export function fieldsOf(path) {
  return fieldsIn(textOf(path));
}

/** @param {string} text @returns {Partial<Record<string, string>>} */
function fieldsIn(text) {
  const lines = text.trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)));
}
