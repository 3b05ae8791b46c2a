/** Folders in the folder for temporary files, each of one process of this user. */
import { lstatSync, mkdirSync, readdirSync, rmdirSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, nullIf } from '../../errors.js';
import * as privateFiles from '../../private-files.js';
import { problem } from '../texts.js';

const VARIABLE = 'TMPDIR';

const NAME = /^\d+-[0-9a-z]+-[0-9a-z]*$/;

/** A folder without a record is being made, which takes no time, or was abandoned. */
const ABANDONED_AFTER_MS = 60_000;

/** The base folder is removed with the last folder in it, perhaps just when another one is made. */
const MAKING_ATTEMPTS = 5;

/** @typedef {ReturnType<typeof ownFolders>} OwnFolders folders in one base folder, which only this user may enter */

/** @param {string} prefix of the base folder's name */
export function ownFolders(prefix) {
  /** Its name can be guessed, so another user may have made it first. */
  const base = () => join(privateFiles.temporaryFolder(), `${prefix}-${privateFiles.ownUid()}`);

  /** The oldest first. @throws {UserError} the base is not this user's alone */
  function list() {
    if (!privateFiles.isPrivateFolder(base(), VARIABLE)) return [];
    const entries = nullIf(['ENOENT', 'ENOTDIR'], () => readdirSync(base(), { withFileTypes: true })) ?? [];
    return entries
      .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
      .map(({ name }) => join(base(), name))
      .sort((a, b) => madeAt(a).localeCompare(madeAt(b)));
  }

  return {
    base,
    list,
    make() {
      const random = Math.random().toString(36).slice(2, 8);
      const folder = join(base(), `${process.pid}-${Date.now().toString(36)}-${random}`);
      for (let attempt = 1; ; attempt += 1) {
        privateFiles.makePrivateFolder(base(), VARIABLE);
        try {
          mkdirSync(folder, { mode: 0o700 });
          return folder;
        } catch (error) {
          if (codeOf(error) !== 'ENOENT' || attempt === MAKING_ATTEMPTS)
            throw privateFiles.notWritable(base(), VARIABLE, error);
        }
      }
    },
    /** Those without a record, too old to get one still. @param {(folder: string) => boolean} hasRecord */
    abandoned: (hasRecord) =>
      list().filter((folder) => {
        if (hasRecord(folder)) return false;
        const made = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
        return made !== undefined && Date.now() - made > ABANDONED_AFTER_MS;
      }),
    /** With all that is in it, and the base with its last folder. @param {string} folder */
    remove(folder) {
      privateFiles.removeOwnFolder(folder, NAME);
      // Others may be in it, or this user may not write to the folder above it.
      nullIf(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EACCES', 'EPERM'], () => rmdirSync(dirname(folder)));
    },
  };
}

const madeAt = (/** @type {string} */ folder) => basename(folder).split('-')[1];

/** Servers without room for logs end without an error. @param {string} folder @param {number} leastBytes @param {string} what needs them */
export function checkRoom(folder, leastBytes, what) {
  const { blocks, bavail, bsize } = statfsSync(folder);
  // Some file systems count no blocks.
  if (blocks === 0 || bavail * bsize >= leastBytes) return;
  throw problem('too-little-room', { kib: Math.floor((bavail * bsize) / 1024), folder, what, variable: VARIABLE });
}
