/** How much memory the servers that we start may still use. */
import os from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { fieldsOf, textOf } from '../stacks/hosts/processes.js';
import { inUnits, KIB } from '../units.js';

/** @typedef {{folder: string} & typeof FILES[1]} Limit of a control group: names of files, and of a line of `memory.stat` */

const CGROUPS = '/sys/fs/cgroup';

/** By the version of control groups. */
const FILES = {
  1: {
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    reclaimable: 'total_inactive_file',
  },
  2: { limit: 'memory.max', usage: 'memory.current', reclaimable: 'inactive_file' },
};

/** @returns {number} bytes: the memory available on the machine, or less if a control group of this process has a tighter limit */
export function availableMemory() {
  return Math.min(ofMachine(), ...memoryGroups(textOf('/proc/self/cgroup')).map(leftIn));
}

/**
 * @param {number} neededBytes @param {string} what it is for, such as `a data set of 100 keys on 3 nodes`
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

function ofMachine() {
  const { MemAvailable: available } = fieldsOf('/proc/meminfo');
  return available === undefined ? os.freemem() : Number.parseInt(available, 10) * KIB;
}

/** @typedef {{folder: string, version: 1 | 2}} GroupFolder of a control group; version: 1 or 2 */

/**
 * The control groups of a process and all groups above them: each may have its own limit.
 * @param {string} membership as in /proc/PID/cgroup: `0::/path` of version 2, `4:memory:/path` of version 1
 * @param {'cpu' | 'memory'} controller @param {string} [root] @returns {GroupFolder[]}
 */
export function groupFolders(membership, controller, root = CGROUPS) {
  return membership.split('\n').flatMap((line) => {
    const [, hierarchy, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    const version = hierarchy === '0' ? 2 : 1;
    if (version === 1 && !controllers?.split(',').includes(controller)) return [];
    return above(version === 2 ? root : join(root, controller), path).map((folder) => ({ folder, version }));
  });
}

/** @param {string} membership as for {@link groupFolders} @param {string} [root] @returns {Limit[]} */
export function memoryGroups(membership, root) {
  return groupFolders(membership, 'memory', root).map(({ folder, version }) => ({ folder, ...FILES[version] }));
}

/** @param {string} root @param {string} path @returns {string[]} folders from the group itself up to the root */
function above(root, path) {
  const folders = [];
  for (let at = path; ; at = dirname(at)) {
    folders.push(join(root, at));
    if (at === '/') return folders;
  }
}

/** @param {Limit} group @returns {number} bytes; Infinity: no limit, or the group is not visible from here */
export function leftIn({ folder, limit, usage, reclaimable }) {
  const [most, used] = [limit, usage].map((name) => readNumber(join(folder, name)));
  if (most === Number.POSITIVE_INFINITY || used === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const line = new RegExp(`^${reclaimable} (\\d+)$`, 'm').exec(textOf(join(folder, 'memory.stat')));
  return Math.max(0, most - used + Number(line?.[1] ?? 0));
}

/** @param {string} file @returns {number} Infinity: it has none, such as `max`, or it cannot be read */
export function readNumber(file) {
  const number = Number.parseInt(textOf(file), 10);
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}
