/**
 * What restricts this process, and the servers that it starts, to a part of the machine.
 * @import { EnvironmentInfo } from '../result/schema.js'
 * @typedef {Object} LimitsSource where limits are read
 * @property {string} [status] as in /proc/PID/status @property {string} [membership] as in /proc/PID/cgroup
 * @property {string} [root] of the control groups @property {number} [cores] of the machine
 * @property {number} [memoryBytes] of the machine
 */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { cpusIn, textOf } from '../stacks/hosts/processes.js';
import { groupFolders, memoryGroups, readNumber } from './memory.js';

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
  const memoryLimitBytes = Math.min(
    ...memoryGroups(membership, root).map(({ folder, limit }) => readNumber(join(folder, limit))),
  );
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

/** @param {import('./memory.js').GroupFolder} group @returns {number} CPUs; Infinity: no quota, or the group is not visible from here */
function quotaOf({ folder, version }) {
  const [quota, period] =
    version === 2
      ? textOf(join(folder, 'cpu.max')).split(' ').map(Number)
      : ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => readNumber(join(folder, name)));
  const share = quota / period;
  return share > 0 ? share : Number.POSITIVE_INFINITY;
}
