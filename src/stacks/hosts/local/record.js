/**
 * The folder of a local stack: all its files, and a record of its processes that survives the process that started them. Each node has
 * its own working directory in it. That is how we know a process to be ours before we signal it.
 * Stacks are in the folder for temporary files. XDG_RUNTIME_DIR is in memory, where an append-only file costs nothing.
 */
/** @import { OwnFolders } from '../../records/own-folders.js' */
/** @typedef {z.infer<typeof RecordSchema> & {folder: string}} StackRecord folder: absolute; never taken from the record */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { nullIf, UserError } from '../../../errors.js';
import { writeWholeSync } from '../../../files.js';
import { notWritable, readOwnFile, temporaryFolder } from '../../../private-files.js';
import { waitFor } from '../../../wait.js';
import { LOOPBACK } from '../../address.js';
import { MARIADB_NODES } from '../../mariadb/topology.js';
import { openFirewall } from '../../network/firewall.js';
import { removeHosts } from '../../network/namespaces.js';
import { makeFilesFolder, removeFilesFolder } from '../../records/files-folder.js';
import { checkRoom, ownFolders } from '../../records/own-folders.js';
import { OwnerSchema } from '../../records/owners.js';
import { FIRST_PRIMARY, isWhole, REDIS_NODES } from '../../redis/topology.js';
import { problem } from '../../texts.js';
import { PID_FILE, signalProcess } from '../daemons.js';
import { daemonsIn, hasEnded, startTimeOf, thisProcess, worksIn } from '../processes.js';
import { nodesByHost, OWN_NET } from './addresses.js';

const RECORD = 'stack.json';

const RecordSchema = z
  .object({
    owner: OwnerSchema.omit({ host: true }),
    detached: z.boolean(),
    /** It is no whole stack: nodes that an agent started and ends, or agents on hosts. */
    part: z.enum(['agent', 'machines']).optional(),
    password: z.string().optional(),
    system: z.enum(['redis', 'mariadb']).optional(),
    /** Of another process's record, not started unchecked. */
    server: z.object({ path: z.string().min(1), name: z.string(), version: z.string() }),
    nodes: z.array(z.object({ id: z.string(), host: z.ipv4().default(LOOPBACK), port: z.int().min(1).max(65_535) })),
    /** The first three numbers of the nodes' own addresses; absent: all are on 127.0.0.1. */
    net: z.string().regex(OWN_NET).optional(),
    hosts: z.boolean().optional(),
    /** Its primary has one more address, which moves with the role; all its Redis nodes have one port. With `hosts`. */
    virtual: z.boolean().optional(),
    /** Other folders, absolute: of the Redis nodes, and of those that begin as replicas. */
    files: z.string().optional(),
    replicaFiles: z.string().optional(),
    /** Id of a Redis node → where its own disk is mounted. */
    disks: z.record(z.string(), z.string()).optional(),
  })
  .refine(({ part, system = 'redis', nodes }) => {
    const ids = nodes.map(({ id }) => id);
    if (part) return ids.every((id) => /^[a-z]+(-\d+)?$/.test(id));
    return system === 'redis' ? isWhole(ids) : ids.join() === MARIADB_NODES.map(({ id }) => id).join();
  });

const LEAST_BYTES = 8 * 2 ** 20;
const END_DEADLINE_MS = 20_000;
const END_POLL_MS = 5;

const stackFolders = ownFolders('sentinel-bench');

export function checkStackRoom() {
  checkRoom(temporaryFolder(), LEAST_BYTES, 'a stack');
}

/** @param {Omit<StackRecord, 'folder' | 'owner'>} what @param {OwnFolders} [folders] @returns on disk @throws {UserError} */
export function createStack(what, folders = stackFolders) {
  checkStackRoom();
  const record = { folder: folders.make(), owner: thisProcess(), ...what };
  try {
    saveStack(record);
    for (const { id } of record.nodes) mkdirSync(nodeFolder(record, id));
    for (const folder of filesFoldersOf(record)) makeFilesFolder(folder);
  } catch (error) {
    removeFiles(record);
    throw error instanceof UserError ? error : notWritable(dirname(record.folder), 'TMPDIR', error);
  }
  return record;
}

/** @param {string} identity of a local stack @returns its folder; everything in it is removed with the stack, however that ends */
export function stackFolder(identity) {
  return join(stackFolders.base(), identity);
}

/** @param {StackRecord} record */
export function identityOf(record) {
  return basename(record.folder);
}

/** @param {StackRecord} record @param {string} id */
export function nodeFolder(record, id) {
  return join(record.folder, id);
}

/** @param {StackRecord} record @param {string} id @returns where the node works once it has read its configuration */
export function dataFolder(record, id) {
  const disk = record.disks?.[id];
  if (disk !== undefined) return disk;
  const apart = (id !== FIRST_PRIMARY && record.replicaFiles) || record.files;
  const hasFiles = REDIS_NODES.some((node) => node.id === id);
  return apart !== undefined && hasFiles ? join(apart, id) : nodeFolder(record, id);
}

/** @param {StackRecord} record */
export function saveStack({ folder, ...kept }) {
  writeWholeSync(join(folder, RECORD), JSON.stringify(kept, null, 2), { mode: 0o600 });
}

/** @param {OwnFolders} [folders] @returns newest last @throws {UserError} others may write to the folder, or a record is damaged */
export function listStacks(folders = stackFolders) {
  return folders.list().flatMap((folder) => readStack(folder) ?? []);
}

/** @param {OwnFolders} [folders] @returns those without a record, too old to get one still */
export function abandonedFolders(folders = stackFolders) {
  return folders.abandoned((folder) => readStack(folder) !== null);
}

/** @param {string} folder @returns {StackRecord | null} */
function readStack(folder) {
  const text = readOwnFile(join(folder, RECORD));
  if (text === null) return null;
  try {
    return { ...RecordSchema.parse(JSON.parse(text)), folder };
  } catch (error) {
    throw problem('record-damaged', { record: join(folder, RECORD), folder }, { cause: error });
  }
}

/** @param {StackRecord} record @param {string} id @param {number} pid */
export function recordPid(record, id, pid) {
  writeFileSync(join(nodeFolder(record, id), PID_FILE), String(pid));
}

/** @param {StackRecord} record @param {string} id @returns null: it does not run, or is not known to be this node */
export function pidOf(record, id) {
  const folder = nodeFolder(record, id);
  const pid = Number(nullIf(['ENOENT', 'ENOTDIR'], () => readFileSync(join(folder, PID_FILE), 'utf8')));
  return pid > 0 && (worksIn(pid, folder) || worksIn(pid, dataFolder(record, id))) ? pid : null;
}

/** @param {StackRecord} record */
export function runningNodes(record) {
  return record.nodes.filter(({ id }) => pidOf(record, id) !== null);
}

/** @param {StackRecord} record @param {unknown} error @returns a better one if a file of the stack could not be written */
export function explainFileError(record, error) {
  const { path } = /** @type {NodeJS.ErrnoException} */ (error);
  return path?.startsWith(record.folder) ? notWritable(dirname(record.folder), 'TMPDIR', error) : error;
}

/** There is nothing to save, and SIGKILL also ends a paused process. @param {StackRecord} record @throws {UserError} one does not end */
async function endNodes(record) {
  const ids = record.nodes.map(({ id }) => id);
  const folders = ids.map((id) => nodeFolder(record, id));
  const all = [...folders, ...ids.map((id) => dataFolder(record, id))];
  /** Process → its node. @type {Map<number, {id: string, startTime: string | null}>} */
  const ending = new Map();
  const left = () => [...ending].filter(([pid, { startTime }]) => !hasEnded(pid, startTime));
  const gone = () => {
    // Read each time: a process of an interrupted start may have recorded itself only now.
    for (const id of ids) {
      const pid = pidOf(record, id);
      if (pid === null) continue;
      if (!ending.has(pid)) ending.set(pid, { id, startTime: startTimeOf(pid) });
      signalProcess(pid, 'SIGKILL');
    }
    return left().length === 0;
  };
  // One that had just recorded itself is found by its directory.
  const stragglersGone = () => {
    const pids = daemonsIn(all);
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
    return pids.length === 0;
  };
  const limits = { deadlineMs: END_DEADLINE_MS, pollMs: END_POLL_MS };
  if (await waitFor(gone, limits)) {
    // Without its directory no process can record itself and start.
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (await waitFor(stragglersGone, limits)) return;
  }
  throw problem('processes-stay', { left: left().map(([pid, { id }]) => `${id} (process ${pid})`) });
}

/** Ends its nodes and removes its folder. @param {StackRecord} record */
export async function removeStack(record) {
  await endNodes(record);
  // Before its folder, because only the record says which rules and namespaces are its own.
  if (record.hosts) await removeHosts(identityOf(record), nodesByHost(record).length);
  else if (record.net !== undefined) await openFirewall(record.net).remove();
  removeFiles(record);
}

/** @param {StackRecord} record */
const filesFoldersOf = ({ files, replicaFiles }) => [files, replicaFiles].filter((folder) => folder !== undefined);

function removeFiles(/** @type {StackRecord} */ record) {
  // Only the record says where the other folders are.
  for (const folder of filesFoldersOf(record)) removeFilesFolder(folder);
  removeFolder(record.folder);
}

/** @param {string} folder of a stack */
export function removeFolder(folder) {
  stackFolders.remove(folder);
}
