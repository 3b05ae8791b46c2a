/**
 * How much memory the servers that we start may still use.
 */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { inUnits } from '../units.js';

/**
 * @typedef {Object} Limit of a control group
 * @property {string} folder
 * @property {string} limit name of the file with the limit in bytes, or `max`
 * @property {string} usage name of the file with what is used
 * @property {string} reclaimable name of the line of `memory.stat` with memory that the system can reclaim
 */

const CGROUPS = '/sys/fs/cgroup';

/**
 * @returns {number} bytes: the memory available on the machine, or less if a control group of this process has a tighter limit
 */
export function availableMemory() {
  return Math.min(ofMachine(), ...cgroups(readText('/proc/self/cgroup')).map(leftIn));
}

/**
 * @param {number} neededBytes
 * @param {string} what it is for, such as `a data set of 100 keys on 3 nodes`
 * @throws {UserError} less is available
 */
export function checkMemory(neededBytes, what) {
  const available = availableMemory();
  if (neededBytes <= available) return;
  throw new UserError(
    `There is too little memory for ${what}: ${inUnits(neededBytes)} are needed, ${inUnits(available, Math.floor)} are available.`,
    'Load fewer keys with --preload-keys.',
  );
}

/** @returns {number} */
function ofMachine() {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readText('/proc/meminfo'))?.[1];
  return kibibytes === undefined ? os.freemem() : Number(kibibytes) * 1024;
}

/**
 * The control groups of a process and all groups above them: each may have its own limit.
 *
 * @param {string} membership as in /proc/PID/cgroup: `0::/path` of version 2, `4:memory:/path` of version 1
 * @param {string} [root]
 * @returns {Limit[]}
 */
export function cgroups(membership, root = CGROUPS) {
  return membership.split('\n').flatMap((line) => {
    const [, hierarchy, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (hierarchy === '0') return above(root, path).map(ofVersion2);
    if (controllers?.split(',').includes('memory')) return above(join(root, 'memory'), path).map(ofVersion1);
    return [];
  });
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]} folders from the group itself up to the root
 */
function above(root, path) {
  const folders = [];
  for (let at = path; ; at = dirname(at)) {
    folders.push(join(root, at));
    if (at === '/') return folders;
  }
}

/**
 * @param {string} folder
 * @returns {Limit}
 */
function ofVersion2(folder) {
  return { folder, limit: 'memory.max', usage: 'memory.current', reclaimable: 'inactive_file' };
}

/**
 * @param {string} folder
 * @returns {Limit}
 */
function ofVersion1(folder) {
  const usage = 'memory.usage_in_bytes';
  return { folder, limit: 'memory.limit_in_bytes', usage, reclaimable: 'total_inactive_file' };
}

/**
 * @param {Limit} group
 * @returns {number} bytes; Infinity: no limit, or the group is not visible from here
 */
export function leftIn({ folder, limit, usage, reclaimable }) {
  const most = Number.parseInt(readText(join(folder, limit)), 10);
  const used = Number.parseInt(readText(join(folder, usage)), 10);
  if (Number.isNaN(most) || Number.isNaN(used)) return Number.POSITIVE_INFINITY;
  const line = new RegExp(`^${reclaimable} (\\d+)$`, 'm').exec(readText(join(folder, 'memory.stat')));
  return Math.max(0, most - used + Number(line?.[1] ?? 0));
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Missing on this system, or not visible to this process.
    return '';
  }
}
