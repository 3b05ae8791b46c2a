import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { filesOf, makeFilesFolder, redisNodes, removeFilesFolder } from './files-folder.js';
import { becomesTrue, hasEnded, startTimeOf, worksIn } from './processes.js';

/**
 * The folder of a local stack: all its files, and a record of its processes that survives whoever started them. Each node
 * works in a directory of its own in it, which is how a process is known to be ours before it is signalled.
 *
 * @typedef {Object} StackRecord
 * @property {string} folder absolute
 * @property {{pid: number, startTime: string | null}} owner the process that started it
 * @property {boolean} detached meant to outlive its owner
 * @property {{path: string, name: string, version: string}} server
 * @property {{id: string, port: number}[]} nodes
 * @property {string} [files] another folder, absolute, where the Redis nodes keep their files
 */

const RECORD = 'stack.json';

/** In each node's directory, and read anew each time: whoever restarts a node may be another process. */
export const PID_FILE = 'pid';

/** A folder without a record is being made, or was abandoned while it was made; the first takes no time. */
const ABANDONED_AFTER_MS = 60_000;

const EXIT_DEADLINE_MS = 20_000;

/** @returns {string} where this user's stacks are */
function baseFolder() {
  return join(realpathSync(tmpdir()), `sentinel-bench-${userInfo().uid}`);
}

/**
 * @param {Omit<StackRecord, 'folder' | 'owner'>} what
 * @returns {StackRecord} written to a new folder that only this user may enter
 */
export function createStack(what) {
  const base = baseFolder();
  const name = `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  const stack = { folder: join(base, name), owner: { pid: process.pid, startTime: startTimeOf(process.pid) }, ...what };
  mkdirSync(stack.folder, { recursive: true, mode: 0o700 });
  // The name of the base folder can be guessed: another user may have made it first.
  if (statSync(base).uid !== userInfo().uid) {
    throw new UserError(
      `The folder ${base} belongs to another user.`,
      'Remove it, or set TMPDIR to a folder of your own.',
    );
  }
  saveStack(stack);
  for (const { id } of stack.nodes) mkdirSync(nodeFolder(stack, id));
  if (stack.files !== undefined) {
    try {
      makeFilesFolder(stack.files);
    } catch (error) {
      removeFiles(stack);
      throw error;
    }
  }
  return stack;
}

/**
 * @param {string} identity of a local stack's Cluster
 * @returns {string} its folder; what is put there goes with the stack, however that ends
 */
export function stackFolder(identity) {
  return join(baseFolder(), identity);
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
export function nodeFolder(stack, id) {
  return join(stack.folder, id);
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @returns {string} where the node keeps its files, and works once it has read its configuration
 */
export function dataFolder(stack, id) {
  const apart = stack.files !== undefined && redisNodes().some((node) => node.id === id);
  return apart ? filesOf(/** @type {string} */ (stack.files), id) : nodeFolder(stack, id);
}

/**
 * Replaces the record at once: who reads it never sees half of it.
 *
 * @param {StackRecord} stack
 */
export function saveStack(stack) {
  const { folder, ...record } = stack;
  const temporary = join(folder, `${RECORD}.${process.pid}`);
  writeFileSync(temporary, JSON.stringify(record, null, 2));
  renameSync(temporary, join(folder, RECORD));
}

/**
 * @returns {StackRecord[]} every stack of this user, newest last
 */
export function listStacks() {
  return folders().flatMap((folder) => readStack(folder) ?? []);
}

/** @returns {string[]} folders that hold no record and are old enough never to get one */
export function abandonedFolders() {
  return folders().filter((folder) => {
    if (readStack(folder) !== null) return false;
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > ABANDONED_AFTER_MS;
  });
}

/** @returns {string[]} */
function folders() {
  const base = baseFolder();
  try {
    return readdirSync(base)
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
  try {
    return { folder, ...JSON.parse(readFileSync(join(folder, RECORD), 'utf8')) };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return ['ENOENT', 'ENOTDIR'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code));
}

/**
 * @param {StackRecord} stack
 * @returns {boolean} the process that started it still runs
 */
export function ownerLives({ owner }) {
  const started = startTimeOf(owner.pid);
  return started !== null && started === owner.startTime;
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @param {number} pid
 */
export function recordPid(stack, id, pid) {
  writeFileSync(join(nodeFolder(stack, id), PID_FILE), String(pid));
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @returns {number | null} the node's process, if it runs and is verifiably this node's
 */
export function pidOf(stack, id) {
  const folder = nodeFolder(stack, id);
  try {
    const pid = Number(readFileSync(join(folder, PID_FILE), 'utf8'));
    return worksIn(pid, folder) || worksIn(pid, dataFolder(stack, id)) ? pid : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @param {StackRecord} stack */
export function runningNodes(stack) {
  return stack.nodes.filter(({ id }) => pidOf(stack, id) !== null);
}

/**
 * Ends every process of a stack and removes its folder. Without persistence there is nothing to save, and SIGKILL also
 * ends a process that stands still.
 *
 * @param {StackRecord} stack
 */
export async function removeStack(stack) {
  /** @type {Map<number, {id: string, startTime: string | null}>} */
  const ending = new Map();
  const left = () => [...ending].filter(([pid, { startTime }]) => !hasEnded(pid, startTime));
  const gone = () => {
    // Looked for each time: of a start that was broken off, one may only now have recorded itself.
    for (const { id } of stack.nodes) {
      const pid = pidOf(stack, id);
      if (pid === null) continue;
      if (!ending.has(pid)) ending.set(pid, { id, startTime: startTimeOf(pid) });
      signalProcess(pid, 'SIGKILL');
    }
    return left().length === 0;
  };
  if (!(await becomesTrue(gone, EXIT_DEADLINE_MS))) {
    throw new UserError(
      `These nodes did not end within ${EXIT_DEADLINE_MS / 1000} s: ${left()
        .map(([pid, { id }]) => `${id} (process ${pid})`)
        .join(', ')}.`,
      'Wait for the system to let go of them, then run `sentinel-bench recover`.',
    );
  }
  removeFiles(stack);
}

/**
 * The other folder first: only the record says where it is.
 *
 * @param {StackRecord} stack
 */
function removeFiles(stack) {
  if (stack.files !== undefined) removeFilesFolder(stack.files);
  removeFolder(stack.folder);
}

/**
 * @param {string} folder of a stack
 */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  try {
    rmdirSync(baseFolder());
  } catch (error) {
    // It goes with the last stack in it.
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/**
 * @param {number} pid of a process just verified
 * @param {NodeJS.Signals} signal
 */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended in between.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
