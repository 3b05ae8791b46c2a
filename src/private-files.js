/**
 * Files and folders of this user only. In a shared folder, another user may create an expected name first. So everything is checked before
 * it is read and acted upon.
 * @import { Stats } from 'node:fs'
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { codeOf, UserError } from './errors.js';

const OTHERS = 0o077;

const WRITE_ERRORS = /** @type {Record<string, string>} */ ({
  ENOSPC: 'no room is left',
  EDQUOT: 'this user’s quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
});

const FULL = ['ENOSPC', 'EDQUOT'];

/** @returns {number} of the user of this process; -1 on systems without user ids */
export function ownUid() {
  return process.getuid?.() ?? -1;
}

/** `f_type` of tmpfs and ramfs (linux/magic.h). */
const IN_MEMORY = [0x01021994, 0x858458f6];
/** By the Filesystem Hierarchy Standard it outlives a reboot, so it is on a disk. */
const ON_DISK = '/var/tmp';

/** @param {string} path of a folder @returns {boolean} its files are in memory, where an append-only file and its syncs cost nothing */
export function isInMemory(path) {
  try {
    return IN_MEMORY.includes(fs.statfsSync(path).type);
  } catch {
    return false;
  }
}

/** @param {string} folder @returns {string} another one, on a disk, if this one is in memory and that one exists */
export function onDiskIfPossible(folder) {
  return isInMemory(folder) && fs.existsSync(ON_DISK) && !isInMemory(ON_DISK) ? ON_DISK : folder;
}

/** @returns {string} TMPDIR if it is set; else on a disk if possible: since Debian 13, and elsewhere, /tmp is in memory */
function chosenFolder() {
  const isChosen = ['TMPDIR', 'TMP', 'TEMP'].some((name) => process.env[name]);
  return isChosen ? tmpdir() : onDiskIfPossible(tmpdir());
}

/** @returns {string} the folder for temporary files, without symbolic links @throws {UserError} the folder does not exist */
export function temporaryFolder() {
  const named = chosenFolder();
  // Many programs take a line end in a path for the end of a command or of a setting.
  if (/\p{Cc}/u.test(named))
    throw new UserError(
      `The path of the folder for temporary files, ${JSON.stringify(named)}, has a control character.`,
      'Set TMPDIR to a folder whose path has none.',
    );
  let why = 'is not a folder';
  try {
    const folder = fs.realpathSync(named);
    if (fs.statSync(folder).isDirectory()) return folder;
  } catch (error) {
    const code = codeOf(error);
    why = code === 'ENOENT' ? 'does not exist' : `cannot be used (${code})`;
  }
  throw new UserError(
    `The folder for temporary files, ${named}, ${why}.`,
    'Create it, or set TMPDIR to a folder that you may write to.',
  );
}

/** @param {string} prefix of its name @returns {string} a new folder that only this user may enter @throws {UserError} it cannot be made */
export function makeTemporaryFolder(prefix) {
  const folder = temporaryFolder();
  try {
    return fs.mkdtempSync(join(folder, prefix));
  } catch (error) {
    throw notWritable(folder, 'TMPDIR', error);
  }
}

/** @throws {UserError} nothing can be written to the folder for temporary files */
export function checkTemporaryFolder() {
  checkWritable(temporaryFolder(), 'TMPDIR');
}

/**
 * Checks a folder before anything in it is read. @param {string} path @param {string} variable of the environment that names another place
 * @returns {boolean} false: the path does not exist @throws {UserError} other users may write to it, so its content cannot be trusted
 */
export function isPrivateFolder(path, variable) {
  const stats = entryAt(path);
  if (stats === null) return false;
  const why = whyNotPrivate(stats);
  if (why === null) return true;
  const another = `set ${variable} to a folder of your own`;
  throw new UserError(
    `${path} ${why}, so nothing in it can be trusted.`,
    stats.isDirectory() && isOwn(stats)
      ? `If all of it is yours, run \`chmod 700 ${path}\`, else ${another}.`
      : `Have it removed, or ${another}.`,
  );
}

/**
 * @param {string} path in an existing folder; made if it is missing @param {string} variable of the environment that names another place
 * @throws {UserError} it cannot be made, or other users may write to it
 */
export function makePrivateFolder(path, variable) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw notWritable(dirname(path), variable, error);
  }
  isPrivateFolder(path, variable);
}

/** @param {string} path @returns {string | null} its text; null: it does not exist @throws {UserError} it is not a file of this user */
export function readOwnFile(path) {
  let file;
  try {
    // O_NONBLOCK: opening a FIFO would wait for a writer.
    file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw notOurs(path, code === 'ELOOP' ? 'is a symbolic link' : `cannot be read (${code})`, error);
  }
  try {
    const stats = fs.fstatSync(file);
    if (!stats.isFile()) throw notOurs(path, 'is not a file');
    if (!isOwn(stats)) throw notOurs(path, `belongs to another user (uid ${stats.uid})`);
    return fs.readFileSync(file, 'utf8');
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Checks that we made a folder. Call it before anything in it is removed: a record may name the wrong folder, and a folder may have been
 * replaced.
 * @param {string} path @param {RegExp} pattern of our names @returns {boolean} false: the path does not exist
 * @throws {UserError} it is something else
 */
export function isOwnFolder(path, pattern) {
  const why = whyNotOurs(path, pattern);
  if (why === null) return entryAt(path) !== null;
  throw new UserError(`${path} ${why}, so it is not removed.`, 'Look at it, and remove by hand what you do not need.');
}

/** Idempotent. @param {string} path @param {RegExp} pattern of our names @throws {UserError} it is not a folder of ours */
export function removeOwnFolder(path, pattern) {
  if (isOwnFolder(path, pattern)) fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {string} folder @param {string} variable that names another place @throws {UserError} this user may not write there */
export function checkWritable(folder, variable) {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw notWritable(folder, variable, error);
  }
}

/** @param {string} folder @param {string} variable of the environment that names another place @param {unknown} error of the file system */
export function notWritable(folder, variable, error) {
  const code = codeOf(error);
  const remedy = FULL.includes(code) ? 'Make room there' : 'Make it writable for this user';
  return new UserError(
    `Nothing can be written to ${folder}: ${WRITE_ERRORS[code] ?? 'the system refuses'} (${code}).`,
    `${remedy}, or set ${variable} to another folder.`,
    { cause: error },
  );
}

/** @param {string} path @returns {Stats | null} of the entry itself, even if it is a link; null: the path does not exist */
function entryAt(path) {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A part of the path is a file.
    if (codeOf(error) === 'ENOTDIR') return null;
    throw notOurs(path, `cannot be inspected (${codeOf(error)})`, error);
  }
}

/** @param {Stats} stats @returns {string | null} the problem, as a predicate; null: only this user may use the folder */
function whyNotPrivate(stats) {
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (!stats.isDirectory()) return 'is not a folder';
  if (!isOwn(stats)) return `belongs to another user (uid ${stats.uid})`;
  const mode = stats.mode & 0o777;
  return (mode & OTHERS) === 0 ? null : `is open to other users (mode ${mode.toString(8)})`;
}

/** @param {string} path @param {RegExp} pattern @returns {string | null} the problem, as a predicate; null: it is ours or does not exist */
function whyNotOurs(path, pattern) {
  if (!isAbsolute(path) || normalize(path) !== path || !pattern.test(basename(path))) {
    return 'does not have the name of a folder of ours';
  }
  const stats = entryAt(path);
  if (stats === null) return null;
  if (!stats.isDirectory()) return 'is no longer a folder';
  if (isBehindLink(path)) return 'is now behind a symbolic link';
  // Some network volumes assign new files to another user.
  if (!isOwn(stats) && stats.uid !== ownerOfNewIn(dirname(path))) {
    return `belongs to another user (uid ${stats.uid})`;
  }
  return null;
}

/** @param {string} path */
function isBehindLink(path) {
  try {
    return fs.realpathSync(dirname(path)) !== dirname(path);
  } catch {
    // It was removed since.
    return false;
  }
}

/** @param {Stats} stats */
function isOwn({ uid }) {
  return ownUid() === -1 || uid === ownUid();
}

/** @param {string} folder @returns {number | null} owner of files that this process makes there; null: it cannot make any */
function ownerOfNewIn(folder) {
  const probe = join(folder, `.sentinel-bench-${randomBytes(6).toString('hex')}`);
  try {
    fs.writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    const { uid } = fs.lstatSync(probe);
    fs.rmSync(probe, { force: true });
    return uid;
  } catch {
    // This user may not write there, so the entry is not ours.
    return null;
  }
}

/** @param {string} path @param {string} why the problem, as a predicate @param {unknown} [cause] */
function notOurs(path, why, cause) {
  const remedy = 'Look at it, and remove it if you do not need it.';
  return new UserError(`${path} ${why}, so it is not used.`, remedy, { cause });
}
