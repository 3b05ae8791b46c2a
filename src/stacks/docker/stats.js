/**
 * What a container has used. `docker stats` takes a second for each sample, too long between two rounds. If the engine shares this
 * machine's kernel, we read the same counters from the engine's own sources within a millisecond.
 *
 * @typedef {Omit<ResourceSample, 'id'>} Usage
 */
import { readFileSync } from 'node:fs';
import { sum } from '../../stats/statistics.js';
import { NS_A_SECOND } from '../../units.js';

/**
 * @import { ResourceSample } from '../types.js'
 * @import { Engine } from './engine.js'
 * @import { ContainerStats } from 'dockerode'
 */

const CGROUPS = '/sys/fs/cgroup';

/** Container → its first process. The engine is asked again only when that process is no longer in the container. @type {Map<string, number>} */
const pids = new Map();

/** @param {Engine} engine @param {{id: string, container: string}} node @returns {Promise<ResourceSample | null>} null: it is not running */
export async function sampleContainer(engine, { id, container }) {
  const usage = await usageIn(engine, container);
  return usage && { id, ...usage };
}

/** @param {Engine} engine @param {string} container @returns {Promise<Usage | null>} null: it is not running */
async function usageIn(engine, container) {
  const known = pids.get(container);
  const usage = known === undefined ? null : readKernel(known, container);
  if (usage) return usage;
  const { State } = await engine.getContainer(container).inspect();
  if (!State.Running) return null;
  pids.set(container, State.Pid);
  const here = readKernel(State.Pid, container);
  if (here) return here;
  const stats = await engine.getContainer(container).stats({ stream: false, 'one-shot': true });
  return stats.pids_stats?.current ? usageOf(stats) : null;
}

/**
 * @param {number} pid of the container's first process
 * @param {string} container
 * @returns {Usage | null} null: this kernel does not have the container, or does not show it
 */
function readKernel(pid, container) {
  try {
    const groups = controlGroups(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
    // An engine in a virtual machine has its own pids: the same number is another process here.
    if (!Object.values(groups).some((path) => path.includes(container))) return null;
    return readUsage(pid, groups);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ESRCH') return null;
    throw error;
  }
}

/**
 * @param {string} text /proc/PID/cgroup: lines of `number:controllers:path`
 * @returns path by controller; the controller of version 2 has an empty name
 */
function controlGroups(text) {
  const paths = /** @type {Record<string, string>} */ ({});
  for (const line of text.trim().split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? ['', '', ''];
    for (const controller of controllers.split(',')) paths[controller] = path;
  }
  return paths;
}

/** @param {number} pid @param {Record<string, string>} groups @returns {Usage} */
function readUsage(pid, groups) {
  const counters = groups.memory ? readVersion1(groups) : readVersion2(`${CGROUPS}${groups['']}`);
  return { ...counters, ...readNetwork(`/proc/${pid}/net/dev`) };
}

/** @param {string} folder */
function readVersion2(folder) {
  const io = readText(`${folder}/io.stat`);
  return {
    cpuSeconds: readFields(`${folder}/cpu.stat`).usage_usec / 1e6,
    memoryBytes: readNumber(`${folder}/memory.current`) - readFields(`${folder}/memory.stat`).inactive_file,
    blockInBytes: sumOf(io, /\brbytes=(\d+)/g),
    blockOutBytes: sumOf(io, /\bwbytes=(\d+)/g),
    pids: readNumber(`${folder}/pids.current`),
  };
}

/** @param {Record<string, string>} groups */
function readVersion1(groups) {
  const memory = `${CGROUPS}/memory${groups.memory}`;
  const io = readText(`${CGROUPS}/blkio${groups.blkio}/blkio.throttle.io_service_bytes`);
  return {
    cpuSeconds: readNumber(`${CGROUPS}/cpuacct${groups.cpuacct}/cpuacct.usage`) / NS_A_SECOND,
    memoryBytes:
      readNumber(`${memory}/memory.usage_in_bytes`) - readFields(`${memory}/memory.stat`).total_inactive_file,
    blockInBytes: sumOf(io, /\bRead (\d+)/g),
    blockOutBytes: sumOf(io, /\bWrite (\d+)/g),
    pids: readNumber(`${CGROUPS}/pids${groups.pids}/pids.current`),
  };
}

/** @param {string} path of a table with a line for each interface: `name: received … (eight columns) sent … (eight columns)` */
function readNetwork(path) {
  const interfaces = Array.from(readText(path).matchAll(/^\s*(\S+):\s*(\d.*)$/gm)).filter(([, name]) => name !== 'lo');
  const columns = interfaces.map(([, , numbers]) => numbers.split(/\s+/).map(Number));
  return {
    networkInBytes: sum(columns.map((each) => each[0])),
    networkOutBytes: sum(columns.map((each) => each[8])),
  };
}

/** @param {string} path */
function readText(path) {
  return readFileSync(path, 'utf8');
}

/** @param {string} path */
function readNumber(path) {
  return Number(readText(path));
}

/** @param {string} path of a file of `name value` lines @returns {Record<string, number>} */
function readFields(path) {
  const lines = readText(path).trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

/** @param {string} text @param {RegExp} pattern global, with one group */
function sumOf(text, pattern) {
  return sum(Array.from(text.matchAll(pattern), (match) => Number(match[1])));
}

/** @param {ContainerStats} stats @returns {Usage} */
function usageOf(stats) {
  const networks = Object.values(stats.networks ?? {});
  const blocks = stats.blkio_stats?.io_service_bytes_recursive ?? [];
  /** @param {string} operation */
  const blockBytes = (operation) => sum(blocks.map(({ op, value }) => (op.toLowerCase() === operation ? value : 0)));
  const { usage, stats: details } = stats.memory_stats;
  return {
    cpuSeconds: stats.cpu_stats.cpu_usage.total_usage / NS_A_SECOND,
    // Without the reclaimable page cache; the two versions of control groups name it differently.
    memoryBytes: usage - (details?.inactive_file ?? details?.total_inactive_file ?? 0),
    networkInBytes: sum(networks.map(({ rx_bytes }) => rx_bytes)),
    networkOutBytes: sum(networks.map(({ tx_bytes }) => tx_bytes)),
    blockInBytes: blockBytes('read'),
    blockOutBytes: blockBytes('write'),
    pids: stats.pids_stats?.current ?? 0,
  };
}
