/** Notes for recovery. A process writes one before it creates anything outside its own folders; a later process removes what it names. */
/** @import { Owner } from './owners.js' */
/** @typedef {'files' | 'volumes'} RecordKind */
/** @typedef {RecordKind | 'undo' | 'locks' | 'mariadb' | 'ledgers'} StatePart */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.js';
import { makeFolders, writeWholeSync } from '../../files.js';
import { checkWritable, isPrivateFolder, notWritable, readOwnFile } from '../../private-files.js';
import { problem } from '../texts.js';
import { OwnerSchema, thisOwner } from './owners.js';

const VARIABLE = 'XDG_STATE_HOME';

const RecordSchema = z.object({ owner: OwnerSchema, folder: z.string().refine(isAbsolute) });

/** By the XDG rules, which ignore a relative path. @param {StatePart} what @throws {UserError} this user has no home directory */
export function stateFolder(what) {
  const named = process.env.XDG_STATE_HOME ?? '';
  return join(isAbsolute(named) ? named : join(home(), '.local', 'state'), 'sentinel-bench', what);
}

function home() {
  let path = '';
  try {
    path = homedir();
  } catch {
    // A user without an entry in the list of users has only HOME.
  }
  if (isAbsolute(path)) return path;
  throw problem('no-home', { variable: VARIABLE });
}

/** Makes nothing. @throws {UserError} a run could not keep its notes there */
export function checkStateFolder() {
  let folder = stateFolder('undo');
  while (!existsSync(folder)) folder = dirname(folder);
  checkWritable(folder, VARIABLE);
}

/** @param {StatePart} what @returns it is there @throws {UserError} others may write to it */
export function isStateThere(what) {
  const folder = stateFolder(what);
  return isPrivateFolder(dirname(folder), VARIABLE) && isPrivateFolder(folder, VARIABLE);
}

/**
 * @param {StatePart} what @returns the topmost folder that was made; undefined: all existed
 * @throws {UserError} other users may write to an existing folder @throws {NodeJS.ErrnoException} it cannot be made
 */
export function makeStateFolder(what) {
  // Existing folders are checked first, so that nothing is made behind a link.
  if (isStateThere(what)) return undefined;
  const first = makeFolders(stateFolder(what), { mode: 0o700 });
  isStateThere(what);
  return first;
}

/** @param {RecordKind} kind @param {string} name @param {string} folder that will be made @throws {UserError} it cannot be written */
export function writeRecord(kind, name, folder) {
  try {
    makeStateFolder(kind);
    writeWholeSync(recordFile(kind, name), JSON.stringify({ owner: thisOwner(), folder }), { mode: 0o600 });
  } catch (error) {
    throw error instanceof UserError ? error : notWritable(stateFolder(kind), VARIABLE, error);
  }
}

/** @param {RecordKind} kind @returns {{name: string, owner: Owner, folder: string}[]} @throws {UserError} one is damaged */
export function listRecords(kind) {
  if (!isStateThere(kind)) return [];
  const names = readdirSync(stateFolder(kind)).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => {
    const file = join(stateFolder(kind), name);
    const text = readOwnFile(file);
    if (text === null) return [];
    try {
      return [{ name: name.replace(/\.json$/, ''), ...RecordSchema.parse(JSON.parse(text)) }];
    } catch {
      throw problem('note-damaged', { file });
    }
  });
}

/** Idempotent. @param {RecordKind} kind @param {string} name */
export function removeRecord(kind, name) {
  rmSync(recordFile(kind, name), { force: true });
}

/** @param {RecordKind} kind @param {string} name */
const recordFile = (kind, name) => join(stateFolder(kind), `${name}.json`);
