/**
 * What a container has used. `docker stats` takes a second for each sample, too long between two rounds. If the engine shares this
 * machine's kernel, we read the same counters from the engine's own sources within a millisecond.
 * @import { Used as Usage } from '../host.js'
 * @import { Engine } from './engine.js'
 * @import { ContainerStats } from 'dockerode'
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../../../errors.js';
import { sum } from '../../../stats/statistics.js';
import { NS_A_SECOND } from '../../../units.js';

const CGROUPS = '/sys/fs/cgroup';

/**
 * @param {Engine} engine @param {string} container @param {number} pid of its first process, for the engine
 * @returns {Promise<Usage | null>} null: it has just ended
 */
export async function usageIn(engine, container, pid) {
  const here = readKernel(pid, container);
  if (here) return here;
  const stats = await engine.getContainer(container).stats({ stream: false, 'one-shot': true });
  return stats.pids_stats?.current ? usageOf(stats) : null;
}

/**
 * @param {number} pid of the container's first process @param {string} container
 * @returns {Usage | null} null: this kernel does not have the container, or does not show it
 */
function readKernel(pid, container) {
  try {
    const groups = controlGroups(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
    // An engine in a virtual machine has its own pids: the same number is another process here.
    if (!Object.values(groups).some((path) => path.includes(container))) return null;
    const counters = groups.memory ? readVersion1(groups) : readVersion2(`${CGROUPS}${groups['']}`);
    return { ...counters, ...readNetwork(`/proc/${pid}/net/dev`) };
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ESRCH'].includes(codeOf(error))) return null;
    throw error;
  }
}

/** @param {string} text /proc/PID/cgroup: lines of `number:controllers:path` @returns path by controller; version 2: by '' */
function controlGroups(text) {
  /** @type {Record<string, string>} */
  const paths = {};
  for (const [, controllers, path] of text.matchAll(/^\d+:([^:]*):(.*)$/gm)) {
    for (const controller of controllers.split(',')) paths[controller] = path;
  }
  return paths;
}

/** @param {string} folder */
function readVersion2(folder) {
  const io = readText(`${folder}/io.stat`);
  return {
    cpuSeconds: fieldIn(`${folder}/cpu.stat`, 'usage_usec') / 1e6,
    memoryBytes: readNumber(`${folder}/memory.current`) - fieldIn(`${folder}/memory.stat`, 'inactive_file'),
    blockInBytes: sumOf(io, /\brbytes=(\d+)/g),
    blockOutBytes: sumOf(io, /\bwbytes=(\d+)/g),
    pids: readNumber(`${folder}/pids.current`),
  };
}

/** @param {Record<string, string>} groups */
function readVersion1({ memory, blkio, cpuacct, pids: group }) {
  const folder = `${CGROUPS}/memory${memory}`;
  const io = readText(`${CGROUPS}/blkio${blkio}/blkio.throttle.io_service_bytes`);
  return {
    cpuSeconds: readNumber(`${CGROUPS}/cpuacct${cpuacct}/cpuacct.usage`) / NS_A_SECOND,
    memoryBytes:
      readNumber(`${folder}/memory.usage_in_bytes`) - fieldIn(`${folder}/memory.stat`, 'total_inactive_file'),
    blockInBytes: sumOf(io, /\bRead (\d+)/g),
    blockOutBytes: sumOf(io, /\bWrite (\d+)/g),
    pids: readNumber(`${CGROUPS}/pids${group}/pids.current`),
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

/** @param {string} path of a file of `name value` lines @param {string} name */
function fieldIn(path, name) {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(path))?.[1]);
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
