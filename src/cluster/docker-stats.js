import { readFileSync } from 'node:fs';

/**
 * What a container has used. `docker stats` takes a second for each sample; where the engine shares this machine's kernel
 * the same counters are read from where the engine has them, in a millisecond, which is what fits between two rounds.
 *
 * @typedef {import('./types.js').ResourceSample} ResourceSample
 */

const CGROUPS = '/sys/fs/cgroup';

/**
 * @param {import('./docker-engine.js').Engine} engine
 * @param {import('./docker-nodes.js').NodeContainer} node
 * @returns {Promise<ResourceSample | null>} null: it does not run
 */
export async function sampleContainer(engine, { id, container }) {
  const { State } = await engine.getContainer(container).inspect();
  if (!State.Running) return null;
  const usage = readKernel(State.Pid, container) ?? (await askEngine(engine, container));
  return usage && { id, ...usage };
}

/**
 * @param {number} pid of the container's first process
 * @param {string} container
 * @returns {Omit<ResourceSample, 'id'> | null} null: this kernel does not know the container, or does not show what it knows
 */
function readKernel(pid, container) {
  try {
    const groups = controlGroups(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
    // An engine in a virtual machine counts its processes apart: the same number is somebody else here.
    if (!Object.values(groups).some((path) => path.includes(container))) return null;
    const counters = groups.memory ? readVersion1(groups) : readVersion2(`${CGROUPS}${groups['']}`);
    return { ...counters, ...readNetwork(`/proc/${pid}/net/dev`) };
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ESRCH') return null;
    throw error;
  }
}

/**
 * @param {string} text /proc/PID/cgroup: lines of `number:controllers:path`
 * @returns {Record<string, string>} path by controller; version 2's has no name
 */
function controlGroups(text) {
  /** @type {Record<string, string>} */
  const paths = {};
  for (const line of text.trim().split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? ['', '', ''];
    for (const controller of controllers.split(',')) paths[controller] = path;
  }
  return paths;
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
    cpuSeconds: readNumber(`${CGROUPS}/cpuacct${groups.cpuacct}/cpuacct.usage`) / 1e9,
    memoryBytes:
      readNumber(`${memory}/memory.usage_in_bytes`) - readFields(`${memory}/memory.stat`).total_inactive_file,
    blockInBytes: sumOf(io, /\bRead (\d+)/g),
    blockOutBytes: sumOf(io, /\bWrite (\d+)/g),
    pids: readNumber(`${CGROUPS}/pids${groups.pids}/pids.current`),
  };
}

/** @param {string} path of a table: a line an interface, `name: received … (eight columns) sent … (eight columns)` */
function readNetwork(path) {
  let networkInBytes = 0;
  let networkOutBytes = 0;
  for (const [, name, columns] of readText(path).matchAll(/^\s*(\S+):\s*(\d.*)$/gm)) {
    if (name === 'lo') continue;
    const numbers = columns.split(/\s+/).map(Number);
    networkInBytes += numbers[0];
    networkOutBytes += numbers[8];
  }
  return { networkInBytes, networkOutBytes };
}

/** @param {string} path */
function readText(path) {
  return readFileSync(path, 'utf8');
}

/** @param {string} path */
function readNumber(path) {
  return Number(readText(path));
}

/**
 * @param {string} path of a file of `name value` lines
 * @returns {Record<string, number>}
 */
function readFields(path) {
  const lines = readText(path).trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

/**
 * @param {string} text
 * @param {RegExp} pattern global, with one group
 */
function sumOf(text, pattern) {
  return sum(Array.from(text.matchAll(pattern), (match) => Number(match[1])));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/**
 * @param {import('./docker-engine.js').Engine} engine
 * @param {string} container
 * @returns {Promise<Omit<ResourceSample, 'id'> | null>} null: it does not run any more
 */
async function askEngine(engine, container) {
  const stats = await engine.getContainer(container).stats({ stream: false, 'one-shot': true });
  if (!stats.pids_stats?.current) return null;
  const networks = Object.values(stats.networks ?? {});
  const blocks = stats.blkio_stats?.io_service_bytes_recursive ?? [];
  /** @param {string} operation */
  const blockBytes = (operation) => sum(blocks.map(({ op, value }) => (op.toLowerCase() === operation ? value : 0)));
  const { usage, stats: details } = stats.memory_stats;
  return {
    cpuSeconds: stats.cpu_stats.cpu_usage.total_usage / 1e9,
    // Without the page cache that can be dropped, under the name that either version of control groups has for it.
    memoryBytes: usage - (details?.inactive_file ?? details?.total_inactive_file ?? 0),
    networkInBytes: sum(networks.map((each) => each.rx_bytes)),
    networkOutBytes: sum(networks.map((each) => each.tx_bytes)),
    blockInBytes: blockBytes('read'),
    blockOutBytes: blockBytes('write'),
    pids: stats.pids_stats.current,
  };
}
