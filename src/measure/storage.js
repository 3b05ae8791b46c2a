/**
 * What a directory offers for files of a server: room, and the time until a write is on the disk.
 * @import { StorageInfo } from '../result/schema.js'
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { realpath, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badInput, UserError } from '../errors.js';
import { textOf } from '../stacks/hosts/processes.js';
import { latencyOf, newHistogram } from '../stats/histogram.js';
import { inUnits } from '../units.js';

const WRITE_BYTES = 4096;

const LEAST_SAMPLES = 20;
const MOST_SAMPLES = 500;
const PROBE_MS = 1000;

const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Measures a write of 4 KiB with its fdatasync, one after the other, as an append-only file does them.
 * @param {{label: string, path: string, emulated: boolean, how: string}} storage @param {Object} [options]
 * @param {AbortSignal} [options.signal] @param {number} [options.samples] the most, ≥ 1; default: as many as fit into a second, 20 … 500
 * @returns {Promise<StorageInfo>} the temporary file is removed by then @throws {UserError} the directory cannot be used
 */
export async function probeStorage({ label, path, emulated, how }, { signal, samples } = {}) {
  const freeBytes = await checkStorage({ label, path }, (samples ?? MOST_SAMPLES) * WRITE_BYTES);
  const filesystem = filesystemOf(path);
  const histogram = newHistogram();
  const file = probeFile(path);
  const bytes = randomBytes(WRITE_BYTES);
  const least = Math.min(LEAST_SAMPLES, samples ?? LEAST_SAMPLES);
  // Synchronous calls: the thread pool would add its own time.
  const handle = openSync(file, 'wx', 0o600);
  try {
    const until = performance.now() + PROBE_MS;
    for (let taken = 0; taken < (samples ?? MOST_SAMPLES); taken += 1) {
      if (taken >= least && performance.now() >= until) break;
      await nextTurn(undefined, { signal });
      const before = process.hrtime.bigint();
      writeSync(handle, bytes);
      fdatasyncSync(handle);
      histogram.recordValue(Number(process.hrtime.bigint() - before));
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    closeSync(handle);
    rmSync(file, { force: true });
  }
  const fsyncNs = { ...latencyOf(histogram), samples: histogram.totalCount };
  return { label, emulated, how, filesystem, freeBytes, fsyncNs };
}

/**
 * @param {{label: string, path: string}} place @param {number} neededBytes ≥ 0 @returns {Promise<number>} free bytes
 * @throws {UserError} no such directory (bad input); not writable (bad input); too little room (environment)
 */
export async function checkStorage({ label, path }, neededBytes) {
  const problem = await stat(path).then(
    (found) => (found.isDirectory() ? null : 'is not a directory'),
    (error) => `cannot be used (${error.code})`,
  );
  if (problem) throw unusable(label, problem, 'Name an existing directory with --data-dir LABEL=PATH.');
  await tryToWrite(label, path);
  const { bavail, bsize } = await statfs(path);
  const freeBytes = bavail * bsize;
  if (freeBytes < neededBytes) throw tooLittleRoom(label, neededBytes, freeBytes);
  return freeBytes;
}

/** Permissions do not apply to root, and the file system may be read-only. @param {string} label @param {string} path */
async function tryToWrite(label, path) {
  const file = probeFile(await realpath(path));
  try {
    // Some file systems only allocate at the sync, and notice a full disk there.
    await writeFile(file, Buffer.alloc(WRITE_BYTES, 1), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const code = String(/** @type {NodeJS.ErrnoException} */ (error).code);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw tooLittleRoom(label, WRITE_BYTES, 0);
    const what = NOT_WRITABLE.includes(code) ? 'is not writable' : 'cannot be written to';
    throw unusable(label, `${what} (${code})`, 'Make it writable for this user, or name another with --data-dir.');
  } finally {
    await rm(file, { force: true }).catch(() => {
      // The file may not exist, and a failing file system was already reported.
    });
  }
}

/** @param {string} path of a directory */
function probeFile(path) {
  return join(path, `sentinel-bench-probe-${process.pid}-${randomBytes(6).toString('hex')}`);
}

/** @param {string} label @param {string} what @param {string} remedy */
function unusable(label, what, remedy) {
  return badInput(`The directory of storage “${label}” ${what}.`, remedy);
}

/** @param {string} label @param {number} neededBytes @param {number} freeBytes */
function tooLittleRoom(label, neededBytes, freeBytes) {
  return new UserError(
    `Storage “${label}” has too little room: ${inUnits(neededBytes)} are needed, ${inUnits(freeBytes, Math.floor)} are free.`,
    'Free some, name another directory with --data-dir, or load fewer keys with --preload-keys.',
  );
}

/** @param {string} path @returns {string} such as `ext4`; `unknown` if the system does not report it */
export function filesystemOf(path) {
  try {
    const real = realpathSync(path);
    const covering = readMounts().filter(
      ({ point }) => point === '/' || real === point || (point !== '' && real.startsWith(`${point}/`)),
    );
    // The last of several mounts at one place is on top.
    return covering.reduce((best, each) => (each.point.length >= best.point.length ? each : best)).type;
  } catch {
    // No such path, or no mount that contains it.
    return 'unknown';
  }
}

/** @returns {{point: string, type: string}[]} the last one at a point is on top; empty outside Linux */
export function readMounts() {
  const lines = textOf('/proc/self/mounts').trimEnd().split('\n');
  const unescaped = (/** @type {string} */ _, /** @type {string} */ octal) =>
    String.fromCharCode(Number.parseInt(octal, 8));
  return lines.map((line) => {
    const [, point = '', type = ''] = line.split(' ');
    return { point: point.replace(/\\([0-7]{3})/g, unescaped), type };
  });
}
