/** A stack's own folder in a directory that the user named, with a subfolder for each Redis node. The caller records the path first. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, UserError } from '../../errors.js';
import { removeOwnFolder } from '../../private-files.js';
import { REDIS_NODES } from '../redis/topology.js';
import { problem } from '../texts.js';

const PREFIX = 'sentinel-bench-';
const NAME = /^sentinel-bench-\d+-[0-9a-f]{12}$/;

/** @param {string} dataDir @returns a new path in it, without symbolic links; makes nothing @throws {UserError} it does not exist */
export function chooseFilesFolder(dataDir) {
  try {
    return join(realpathSync(dataDir), `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/** @param {string} folder @throws {UserError} it cannot be made */
export function makeFilesFolder(folder) {
  try {
    for (const each of ['', ...REDIS_NODES.map(({ id }) => id)]) mkdirSync(join(folder, each), { mode: 0o700 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** @param {string} name from a server @throws {RangeError} it leads out of its folder */
export function plainName(name) {
  if (/^\w[\w.-]*$/.test(name)) return name;
  throw new RangeError(`${JSON.stringify(name)} is not a plain file name`);
}

/** Idempotent. @param {string} folder perhaps of a process that has died @throws {UserError} it is not one of ours, or is left */
export function removeFilesFolder(folder) {
  try {
    removeOwnFolder(folder, NAME);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw problem('files-folder-stays', { folder, code: codeOf(error) }, { cause: error });
  }
}

/** @param {string} path @param {unknown} error */
const unusable = (path, error) => problem('files-folder-unusable', { path, code: codeOf(error) }, { cause: error });
