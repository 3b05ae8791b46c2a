/**
 * What restricts this process, and the servers that it starts, to a part of the machine.
 * @import { EnvironmentInfo } from '../result/schema.js'
 * @typedef {{status?: string, membership?: string, root?: string, cores?: number, memoryBytes?: number}} LimitsSource where limits are read.
 *   status, membership: as in /proc/PID/status and /proc/PID/cgroup; root: of the control groups; cores, memoryBytes: of the machine
 */
import { cpus, freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { cpusIn, fieldsOf, textOf } from '../stacks/hosts/processes.js';
import { inUnits, KIB } from '../units.js';

/**
 * @param {LimitsSource} [source] default: this process
 * @returns {Pick<EnvironmentInfo, 'usableCpus' | 'cpuQuota' | 'memoryLimitBytes'>} a field is absent where nothing restricts the process
 */
export function machineLimits({
  status = textOf('/proc/self/status'),
  membership = textOf('/proc/self/cgroup'),
  root,
  cores = cpus().length || 1,
  memoryBytes = totalmem(),
} = {}) {
  const usableCpus = allowedCpus(status).length;
  const cpuQuota = Math.min(...groupFolders(membership, 'cpu', root).map(quotaOf));
  const limits = memoryGroups(membership, root).map(({ folder, limit }) => readNumber(join(folder, limit)));
  const memoryLimitBytes = Math.min(...limits);
  return {
    ...(usableCpus > 0 && usableCpus < cores && { usableCpus }),
    ...(cpuQuota < cores && { cpuQuota }),
    // Version 1 writes a number near 2^63 where there is no limit.
    ...(memoryLimitBytes < memoryBytes && { memoryLimitBytes }),
  };
}

/** @returns {number} > 0: as many CPUs as this process can keep busy; a part of one with a tight quota */
export function cpusToUse() {
  const cores = cpus().length || 1;
  const { usableCpus = cores, cpuQuota = cores } = machineLimits({ cores });
  return Math.min(usableCpus, cpuQuota);
}

/**
 * Not from os.availableParallelism: newer versions of Node mix a quota into it.
 * @param {string} [status] as in /proc/PID/status; default: of this process
 * @returns {number[]} numbers of the CPUs that it may use, also of some that the machine does not have; empty: not known on this system
 */
export function allowedCpus(status = textOf('/proc/self/status')) {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status)?.[1] ?? '';
  return list === '' ? [] : cpusIn(list);
}

/**
 * A control group with a quota is held back for the rest of a period in which it has used its share. See
 * https://docs.kernel.org/scheduler/sched-bwc.html#statistics
 * @param {Pick<LimitsSource, 'membership' | 'root'>} [source] default: this process
 * @returns {{periods: number, throttled: number} | null} totals of the group with the tightest quota; null: there is no quota
 */
export function quotaPeriods({ membership = textOf('/proc/self/cgroup'), root } = {}) {
  const groups = groupFolders(membership, 'cpu', root).filter((group) => quotaOf(group) < Number.POSITIVE_INFINITY);
  const [tightest] = groups.sort((a, b) => quotaOf(a) - quotaOf(b));
  if (!tightest) return null;
  const text = textOf(join(tightest.folder, 'cpu.stat'));
  const total = (/** @type {string} */ name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { periods: total('nr_periods'), throttled: total('nr_throttled') };
}

/** @param {GroupFolder} group @returns {number} CPUs; Infinity: no quota, or the group is not visible from here */
function quotaOf({ folder, version }) {
  const [quota, period] =
    version === 2
      ? textOf(join(folder, 'cpu.max')).split(' ').map(Number)
      : ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => readNumber(join(folder, name)));
  const share = quota / period;
  return share > 0 ? share : Number.POSITIVE_INFINITY;
}

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

/** @param {number} neededBytes @param {string} what such as `a data set of 100 keys on 3 nodes` @throws {UserError} less is available */
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
  return available === undefined ? freemem() : Number.parseInt(available, 10) * KIB;
}

/** @typedef {{folder: string, version: 1 | 2}} GroupFolder of a control group; version: 1 or 2 */

/**
 * The control groups of a process and all groups above them: each may have its own limit.
 * @param {string} membership as in /proc/PID/cgroup: `0::/path` of version 2, `4:memory:/path` of version 1
 * @param {'cpu' | 'memory'} controller @param {string} [root] @returns {GroupFolder[]}
 */
function groupFolders(membership, controller, root = CGROUPS) {
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
function readNumber(file) {
  const number = Number.parseInt(textOf(file), 10);
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}
