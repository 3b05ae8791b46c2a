import { readFileSync } from 'node:fs';
import { cpuSecondsIn, HAS_PROC, isPaused, statFields } from '../../processes.js';

/**
 * @import { ResourceSample } from '../../types.js'
 * @import { Observer } from '../observe.js'
 */

const BYTES_PER_KB = 1024;

/** What /proc tells need not be asked: it is little to ask, and counts in what the node sent. */
const SECTIONS = HAS_PROC ? ['stats'] : ['stats', 'cpu', 'memory'];

/**
 * What one node has used, from /proc and its own INFO; from INFO alone where there is no /proc.
 *
 * @param {string} id
 * @param {number} pid
 * @param {Observer} observer
 * @param {ResourceSample | undefined} previous of this process: a node that stands still cannot be asked, and its network
 *   counters have not moved
 * @returns {Promise<ResourceSample>}
 */
export async function sampleProcess(id, pid, observer, previous) {
  const info = isPaused(pid) ? null : await observer.ask(id, (control) => control.info(...SECTIONS));
  const network = info
    ? { networkInBytes: Number(info.total_net_input_bytes), networkOutBytes: Number(info.total_net_output_bytes) }
    : { networkInBytes: previous?.networkInBytes ?? 0, networkOutBytes: previous?.networkOutBytes ?? 0 };
  if (HAS_PROC) return { id, ...network, ...readProc(pid) };
  return {
    id,
    ...network,
    cpuSeconds: info ? Number(info.used_cpu_sys) + Number(info.used_cpu_user) : (previous?.cpuSeconds ?? 0),
    memoryBytes: info ? Number(info.used_memory_rss) : (previous?.memoryBytes ?? 0),
    blockInBytes: 0,
    blockOutBytes: 0,
    pids: 1,
  };
}

/**
 * @param {number} pid
 * @returns {Omit<ResourceSample, 'id' | 'networkInBytes' | 'networkOutBytes'>}
 */
function readProc(pid) {
  const stat = statFields(pid);
  if (!stat) throw new Error(`process ${pid} is gone`);
  const status = readFields(`/proc/${pid}/status`);
  const io = readFields(`/proc/${pid}/io`);
  return {
    cpuSeconds: cpuSecondsIn(stat).own,
    memoryBytes: Number.parseInt(status.VmRSS ?? '0', 10) * BYTES_PER_KB,
    blockInBytes: Number(io.read_bytes ?? 0),
    blockOutBytes: Number(io.write_bytes ?? 0),
    // Threads: what `docker stats` counts under PIDS.
    pids: Number(status.Threads),
  };
}

/**
 * @param {string} path of a file of `name: value` lines
 * @returns {Record<string, string>} empty when this system does not let us read it
 */
function readFields(path) {
  try {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EACCES') return {};
    throw error;
  }
}
