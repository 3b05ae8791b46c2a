import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UserError } from '../errors.js';
import { startTimeOf } from './processes.js';

/**
 * Notes of what a process makes outside its own folders, written before it is made: whoever finds one of a dead process can
 * remove what it names.
 *
 * @typedef {Object} Owner
 * @property {number} pid
 * @property {string | null} startTime
 * @property {string} host hosts may share the folder
 *
 * @typedef {'files' | 'volumes'} Kind
 */

/**
 * @param {Kind | 'undo'} what
 * @returns {string} where this user's notes of the kind are, by the XDG rules: a relative path does not count
 */
export function stateFolder(what) {
  const state = process.env.XDG_STATE_HOME ?? '';
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'sentinel-bench', what);
}

/**
 * @param {Kind} kind
 * @param {string} name fit for a file name
 * @param {string} folder that is going to be made
 */
export function writeRecord(kind, name, folder) {
  mkdirSync(stateFolder(kind), { recursive: true, mode: 0o700 });
  /** @type {Owner} */
  const owner = { pid: process.pid, startTime: startTimeOf(process.pid), host: hostname() };
  const file = recordFile(kind, name);
  // Who reads it never sees half of it.
  writeFileSync(`${file}.new`, JSON.stringify({ owner, folder }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * @param {Kind} kind
 * @returns {{name: string, owner: Owner, folder: string}[]}
 * @throws {UserError} one is damaged
 */
export function listRecords(kind) {
  return fileNames(kind).flatMap((file) => {
    try {
      const record = /** @type {{owner: Owner, folder: string}} */ (
        JSON.parse(readFileSync(join(stateFolder(kind), file), 'utf8'))
      );
      return [{ name: file.replace(/\.json$/, ''), ...record }];
    } catch (error) {
      // Its owner was quicker to remove it.
      if (isMissing(error)) return [];
      if (error instanceof SyntaxError) throw damaged(join(stateFolder(kind), file));
      throw error;
    }
  });
}

/** @param {Kind} kind */
function fileNames(kind) {
  try {
    return readdirSync(stateFolder(kind)).filter((file) => file.endsWith('.json'));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Idempotent.
 *
 * @param {Kind} kind
 * @param {string} name
 */
export function removeRecord(kind, name) {
  rmSync(recordFile(kind, name), { force: true });
}

/**
 * @param {{owner: Owner}} record
 * @returns {boolean} also when it cannot be told from this host
 */
export function ownerLives({ owner }) {
  return owner.host !== hostname() || startTimeOf(owner.pid) === owner.startTime;
}

/**
 * @param {Kind} kind
 * @param {string} name
 */
function recordFile(kind, name) {
  return join(stateFolder(kind), `${name}.json`);
}

/** @param {string} file */
function damaged(file) {
  return new UserError(
    `The note ${file} of what a dead run left is damaged, perhaps by a power failure.`,
    'Remove it; where files were kept, look for a folder whose name begins with sentinel-bench-.',
  );
}

/** @param {unknown} error */
function isMissing(error) {
  return ['ENOENT', 'ENOTDIR'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code));
}
