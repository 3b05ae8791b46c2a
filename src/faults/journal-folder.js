import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { readOwnFile } from '../private-files.js';
import { startTimeOf } from '../stacks/processes.js';
import { isStateThere, makeStateFolder, stateFolder } from '../stacks/records.js';

/**
 * Where journals are, and whose each is. The name says it: `<made>-<random>.<pid>.<start time>.<host>.jsonl`. A recovery makes
 * a dead process's file its own by renaming it, which only one of several can.
 *
 * @typedef {{pid: number, startTime: string | null, host: string}} Holder a process; hosts may share the folder
 *
 * @typedef {Object} JournalFile
 * @property {string} path
 * @property {Holder} holder the process that may do what it says
 */

const EXTENSION = '.jsonl';

let lastMade = 0;

/** @returns {string} where this user's journals are */
export function journalFolder() {
  return stateFolder('undo');
}

/** @returns {JournalFile} of this process; it is not made yet */
export function newJournalFile() {
  const holder = thisProcess();
  // Of two made in one millisecond the second is the newer one all the same.
  lastMade = Math.max(Date.now(), lastMade + 1);
  const made = `${lastMade.toString(36)}-${randomBytes(6).toString('hex')}`;
  return { path: join(journalFolder(), nameFor(made, holder)), holder };
}

/**
 * @returns {JournalFile[]} of this user, newest first
 * @throws {UserError} the folder cannot be read, or is not this user's alone
 */
export function listJournalFiles() {
  const folder = journalFolder();
  if (!isStateThere('undo')) return [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(EXTENSION))
      .sort((a, b) => madeAt(b) - madeAt(a) || b.localeCompare(a))
      .flatMap((name) => {
        const [, pid, startTime, host] = partsOf(name) ?? [];
        // Not a name of ours.
        if (pid === undefined || !/^\d+$/.test(pid) || host === undefined) return [];
        return [{ path: join(folder, name), holder: { pid: Number(pid), startTime: startTime || null, host } }];
      });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    // It was removed meanwhile.
    if (code === 'ENOENT') return [];
    throw new UserError(
      `It cannot be told whether a dead run left something to undo: ${folder} cannot be read (${code}).`,
      'Make that folder readable, or set XDG_STATE_HOME to another.',
      undefined,
      { cause: error },
    );
  }
}

/**
 * @param {JournalFile} file
 * @returns {boolean} the process that may do what it says still runs, or that cannot be told from this host
 */
export function holderLives({ holder: { pid, startTime, host } }) {
  if (host !== hostname()) return true;
  const started = startTimeOf(pid);
  return started !== null && started === startTime;
}

/**
 * @param {JournalFile} file
 * @returns {boolean} its holder is not the process that wrote it
 */
export function isClaimed({ path, holder }) {
  try {
    const [first] = String(readOwnFile(path)).split('\n', 1);
    return JSON.parse(first).owner.pid !== holder.pid;
  } catch {
    // Gone meanwhile, or so new that its first line is not there: nobody puts anything back from it.
    return false;
  }
}

/**
 * @param {JournalFile} file of a dead process
 * @returns {Promise<JournalFile | null>} the same as this process's; null: somebody else was quicker
 */
export async function claimJournalFile(file) {
  return renameFor(file, thisProcess());
}

/**
 * Gives a claimed file back to its dead holder, for the next recovery.
 *
 * @param {JournalFile} claimed
 * @param {JournalFile} file as it was before
 */
export async function releaseJournalFile(claimed, file) {
  await renameFor(claimed, file.holder);
}

/** @param {string} path */
export async function removeJournalFile(path) {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/**
 * @param {JournalFile} file
 * @param {Holder} holder
 * @returns {Promise<JournalFile | null>} null: it is no longer there under this name
 */
async function renameFor({ path }, holder) {
  const [made] = basename(path).split('.', 1);
  const renamed = join(dirname(path), nameFor(made, holder));
  try {
    await rename(path, renamed);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
  return { path: renamed, holder };
}

/** @returns {Holder} */
function thisProcess() {
  return { pid: process.pid, startTime: startTimeOf(process.pid), host: hostname() };
}

/**
 * @param {string} made
 * @param {Holder} holder
 */
function nameFor(made, { pid, startTime, host }) {
  // Not every system tells the start as a number, and a dot would divide the name.
  const parts = [made, pid, startTime ?? '', host].map((part) => encodeURIComponent(part).replaceAll('.', '%2E'));
  return parts.join('.') + EXTENSION;
}

/**
 * @param {string} name
 * @returns {string[] | null} null: not a name of ours
 */
function partsOf(name) {
  try {
    return name.slice(0, -EXTENSION.length).split('.').map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** @param {string} name */
function madeAt(name) {
  return Number.parseInt(name, 36);
}

/** @throws {UserError} what is there is not this user's alone */
export async function makeJournalFolder() {
  const folder = journalFolder();
  const first = makeStateFolder('undo');
  if (first === undefined) return;
  // Each folder just made is an entry in the one above it.
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}

/** @param {string} folder */
export async function syncFolder(folder) {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
