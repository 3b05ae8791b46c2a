import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.js';
import {
  codeOf,
  isPrivateFolder,
  makePrivateFolder,
  notWritable,
  ownUid,
  readOwnFile,
  removeOwnFolder,
  temporaryFolder,
} from '../../private-files.js';
import { waitFor } from '../../wait.js';
import { filesOf, makeFilesFolder, redisNodes, removeFilesFolder } from '../files-folder.js';
import { MARIADB_NODES } from '../mariadb/topology.js';
import { openFirewall } from '../network/firewall.js';
import { removeHosts } from '../network/namespaces.js';
import { daemonsIn, hasEnded, startTimeOf, worksIn } from '../processes.js';
import { isWhole } from '../redis/topology.js';
import { nodesByHost, OWN_NET } from './addresses.js';

/** @import { SystemName } from '../types.js' */

/**
 * The folder of a local stack: all its files, and a record of its processes that survives the process that started them. Each node has
 * its own working directory in it. That is how we know a process to be ours before we signal it.
 *
 * Stacks are in TMPDIR, which users may share. XDG_RUNTIME_DIR is private, but it is in memory, where an append-only file would cost
 * nothing. It is also removed when the user logs out, and a stack of `up` stays.
 *
 * @typedef {Object} StackRecord
 * @property {string} folder absolute; never taken from the record
 * @property {{pid: number, startTime: string | null}} owner the process that started it
 * @property {boolean} detached meant to outlive its owner
 * @property {SystemName} [system] the database that runs on it; default: redis
 * @property {{path: string, name: string, version: string}} server do not start the program of another process's record unchecked
 * @property {{id: string, port: number}[]} nodes
 * @property {string} [net] the first three numbers of the nodes' own addresses; absent: all are on 127.0.0.1
 * @property {boolean} [hosts] the nodes run on hosts made of network namespaces, whose names hold the identity of the stack; with `net`
 * @property {string} [files] another folder, absolute, where the Redis nodes keep their files
 * @property {Record<string, string>} [disks] id of a Redis node → the folder, absolute, where its own disk is mounted
 */

const RECORD = 'stack.json';

const RecordSchema = z
  .object({
    owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }),
    detached: z.boolean(),
    system: z.enum(['redis', 'mariadb']).optional(),
    server: z.object({ path: z.string().min(1), name: z.string(), version: z.string() }),
    nodes: z.array(z.object({ id: z.string(), port: z.int().min(1).max(65_535) })),
    net: z.string().regex(OWN_NET).optional(),
    hosts: z.boolean().optional(),
    files: z.string().optional(),
    disks: z.record(z.string(), z.string()).optional(),
  })
  .refine(({ system = 'redis', nodes }) => {
    const ids = nodes.map(({ id }) => id);
    return system === 'redis' ? isWhole(ids) : ids.join() === MARIADB_NODES.map(({ id }) => id).join();
  });

/** Names of stacks' folders: the process that made it, the time, and random characters. */
const FOLDER_NAME = /^\d+-[0-9a-z]+-[0-9a-z]*$/;

/** The variable that messages tell the user to set. */
const VARIABLE = 'TMPDIR';

/** The logs and configurations of six nodes need this much. */
const LEAST_ROOM_BYTES = 2 ** 20;

/** The base folder is removed with its last stack, perhaps just when another one is made. */
const MAKING_ATTEMPTS = 5;

/** The file in each node's directory with its process id. It is read each time, because another process may restart a node. */
export const PID_FILE = 'pid';

/** A folder without a record is being made, which takes no time, or was abandoned. */
const ABANDONED_AFTER_MS = 60_000;

const EXIT_DEADLINE_MS = 20_000;
const EXIT_POLL_MS = 5;

/**
 * @returns {string} the folder of this user's stacks. The name can be guessed, so another user may have made it first
 * @throws {UserError} there is no folder for temporary files
 */
function baseFolder() {
  return join(temporaryFolder(), `sentinel-bench-${ownUid()}`);
}

/**
 * @param {Omit<StackRecord, 'folder' | 'owner'>} what
 * @returns {StackRecord} written to a new folder that only this user may enter
 * @throws {UserError} it cannot be made
 */
export function createStack(what) {
  const record = {
    folder: makeStackFolder(),
    owner: { pid: process.pid, startTime: startTimeOf(process.pid) },
    ...what,
  };
  try {
    saveStack(record);
    for (const { id } of record.nodes) mkdirSync(nodeFolder(record, id));
  } catch (error) {
    removeFolder(record.folder);
    throw notWritable(dirname(record.folder), VARIABLE, error);
  }
  if (record.files !== undefined) {
    try {
      makeFilesFolder(record.files);
    } catch (error) {
      removeFiles(record);
      throw error;
    }
  }
  return record;
}

/** @returns {string} a new folder, empty */
function makeStackFolder() {
  const base = baseFolder();
  const folder = join(base, `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`);
  for (let attempt = 1; ; attempt += 1) {
    makePrivateFolder(base, VARIABLE);
    try {
      checkRoom(base);
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (error instanceof UserError) throw error;
      if (codeOf(error) !== 'ENOENT' || attempt === MAKING_ATTEMPTS) throw notWritable(base, VARIABLE, error);
    }
  }
}

/**
 * Servers that cannot write their logs end without an error.
 *
 * @param {string} base
 */
function checkRoom(base) {
  const { blocks, bavail, bsize } = statfsSync(base);
  // Some file systems count no blocks.
  if (blocks === 0 || bavail * bsize >= LEAST_ROOM_BYTES) return;
  removeIfEmpty(baseFolder());
  throw new UserError(
    `Only ${Math.floor((bavail * bsize) / 1024)} KiB are free in ${base}, too little for a stack.`,
    `Make room there, or set ${VARIABLE} to a folder that has some.`,
  );
}

/**
 * @param {string} identity of a local stack
 * @returns {string} its folder; everything in it is removed with the stack, however that ends
 */
export function stackFolder(identity) {
  return join(baseFolder(), identity);
}

/** @param {StackRecord} record */
export function identityOf(record) {
  return basename(record.folder);
}

/**
 * @param {StackRecord} record
 * @param {string} id
 */
export function nodeFolder(record, id) {
  return join(record.folder, id);
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @returns {string} where the node keeps its files; its working directory once it has read its configuration
 */
export function dataFolder(record, id) {
  const disk = record.disks?.[id];
  if (disk !== undefined) return disk;
  const apart = record.files !== undefined && redisNodes().some((node) => node.id === id);
  return apart ? filesOf(/** @type {string} */ (record.files), id) : nodeFolder(record, id);
}

/**
 * Replaces the record by a rename, so that no reader sees half of it.
 *
 * @param {StackRecord} record
 */
export function saveStack(record) {
  const { folder, ...kept } = record;
  const temporary = join(folder, `${RECORD}.${process.pid}`);
  writeFileSync(temporary, JSON.stringify(kept, null, 2));
  renameSync(temporary, join(folder, RECORD));
}

/**
 * @returns {StackRecord[]} every stack of this user, newest last
 * @throws {UserError} the folder is not this user's alone, or a record is damaged
 */
export function listStacks() {
  return folders().flatMap((folder) => readStack(folder) ?? []);
}

/** @returns {string[]} folders without a record, too old to get one still */
export function abandonedFolders() {
  return folders().filter((folder) => {
    if (readStack(folder) !== null) return false;
    const made = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > ABANDONED_AFTER_MS;
  });
}

/** @returns {string[]} the folders of stacks, and no others */
function folders() {
  const base = baseFolder();
  if (!isPrivateFolder(base, VARIABLE)) return [];
  try {
    return readdirSync(base, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && FOLDER_NAME.test(entry.name))
      .map(({ name }) => name)
      .sort((a, b) => madeAt(a).localeCompare(madeAt(b)))
      .map((name) => join(base, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** @param {string} name of a stack's folder */
function madeAt(name) {
  return name.split('-')[1] ?? '';
}

/**
 * @param {string} folder
 * @returns {StackRecord | null}
 */
function readStack(folder) {
  const text = readOwnFile(join(folder, RECORD));
  if (text === null) return null;
  try {
    return { ...RecordSchema.parse(JSON.parse(text)), folder };
  } catch (error) {
    throw new UserError(
      `The record ${join(folder, RECORD)} of a local stack is damaged.`,
      `End the servers that work in ${folder}, then remove that folder.`,
      undefined,
      { cause: error },
    );
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return ['ENOENT', 'ENOTDIR'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code));
}

/**
 * @param {StackRecord} record
 * @returns {boolean} the process that started it still runs
 */
export function ownerLives({ owner }) {
  const started = startTimeOf(owner.pid);
  return started !== null && started === owner.startTime;
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @param {number} pid
 */
export function recordPid(record, id, pid) {
  writeFileSync(join(nodeFolder(record, id), PID_FILE), String(pid));
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @returns {number | null} the node's process, if it runs and is known to be this node's
 */
export function pidOf(record, id) {
  const folder = nodeFolder(record, id);
  try {
    const pid = Number(readFileSync(join(folder, PID_FILE), 'utf8'));
    return worksIn(pid, folder) || worksIn(pid, dataFolder(record, id)) ? pid : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @param {StackRecord} record */
export function runningNodes(record) {
  return record.nodes.filter(({ id }) => pidOf(record, id) !== null);
}

/**
 * @param {StackRecord} record
 * @param {unknown} error
 * @returns {unknown} a better error if a file of the stack could not be written, else the same
 */
export function explainFileError(record, error) {
  const { path } = /** @type {NodeJS.ErrnoException} */ (error);
  return path?.startsWith(record.folder) ? notWritable(dirname(record.folder), VARIABLE, error) : error;
}

/**
 * Kills every process of a stack and removes its folder. There is nothing to save, and SIGKILL also ends a paused process.
 *
 * @param {StackRecord} record
 */
export async function removeStack(record) {
  /** @type {Map<number, {id: string, startTime: string | null}>} */
  const ending = new Map();
  const left = () => [...ending].filter(([pid, { startTime }]) => !hasEnded(pid, startTime));
  const gone = () => {
    // Read each time: a process of an interrupted start may have recorded itself only now.
    for (const { id } of record.nodes) {
      const pid = pidOf(record, id);
      if (pid === null) continue;
      if (!ending.has(pid)) ending.set(pid, { id, startTime: startTimeOf(pid) });
      signalProcess(pid, 'SIGKILL');
    }
    return left().length === 0;
  };
  const directories = record.nodes.flatMap(({ id }) => [nodeFolder(record, id), dataFolder(record, id)]);
  let ended = await waitFor(gone, { deadlineMs: EXIT_DEADLINE_MS, pollMs: EXIT_POLL_MS });
  if (ended) {
    // Without its directory no process can record itself and become a server. One that had just done so is found by its directory.
    for (const { id } of record.nodes) rmSync(nodeFolder(record, id), { recursive: true, force: true, maxRetries: 3 });
    const endStragglers = () => {
      const pids = daemonsIn(directories);
      for (const pid of pids) signalProcess(pid, 'SIGKILL');
      return pids.length === 0;
    };
    ended = await waitFor(endStragglers, { deadlineMs: EXIT_DEADLINE_MS, pollMs: EXIT_POLL_MS });
  }
  if (!ended) {
    throw new UserError(
      `These nodes did not end within ${EXIT_DEADLINE_MS / 1000} s: ${left()
        .map(([pid, { id }]) => `${id} (process ${pid})`)
        .join(', ')}.`,
      'Wait until the system has ended them, then run `sentinel-bench recover`.',
    );
  }
  // Before its folder, because only the record says which rules and namespaces are its own.
  if (record.hosts) await removeHosts(identityOf(record), nodesByHost(record).length);
  else if (record.net !== undefined) await openFirewall(record.net).remove();
  removeFiles(record);
}

/**
 * Removes the other folder first, because only the record says where it is.
 *
 * @param {StackRecord} record
 */
function removeFiles(record) {
  if (record.files !== undefined) removeFilesFolder(record.files);
  removeFolder(record.folder);
}

/**
 * @param {string} folder of a stack
 */
export function removeFolder(folder) {
  removeOwnFolder(folder, FOLDER_NAME);
  removeIfEmpty(dirname(folder));
}

/** @param {string} base */
function removeIfEmpty(base) {
  try {
    rmdirSync(base);
  } catch (error) {
    // Other stacks are in it, or this user may not write to the folder above it.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error;
  }
}

/**
 * @param {number} pid of a process that was just verified
 * @param {NodeJS.Signals} signal
 */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
