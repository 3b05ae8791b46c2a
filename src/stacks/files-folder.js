import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ExitStatus, UserError } from '../errors.js';
import { NODES } from './topology.js';

/**
 * A stack's own folder in a directory that the user named: there its Redis nodes keep their files, each in one of its own.
 * Whoever makes one writes down its path first.
 */

const PREFIX = 'sentinel-bench-';

/**
 * @param {string} dataDir an existing directory
 * @returns {string} a path in it that nobody has: absolute, without symbolic links. Nothing is made yet
 * @throws {UserError} there is no such directory
 */
export function chooseFilesFolder(dataDir) {
  try {
    return join(realpathSync(dataDir), `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/**
 * @param {string} folder as chosen
 * @throws {UserError} it cannot be made
 */
export function makeFilesFolder(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
    for (const { id } of redisNodes()) mkdirSync(filesOf(folder, id), { mode: 0o700 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * @param {string} folder
 * @param {string} id of a Redis node
 */
export function filesOf(folder, id) {
  return join(folder, id);
}

/** @returns {readonly {id: string}[]} the nodes that have files there */
export function redisNodes() {
  return NODES.filter(({ kind }) => kind === 'redis');
}

/**
 * Idempotent.
 *
 * @param {string} folder
 * @throws {UserError} something of it stays
 */
export function removeFilesFolder(folder) {
  if (!basename(folder).startsWith(PREFIX)) throw new RangeError(`${folder} is no folder of ours`);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UserError(
      `The folder ${folder}, where nodes kept their files, could not be removed (${code}).`,
      'Remove it as a user who may, for instance with sudo.',
      undefined,
      { cause: error },
    );
  }
}

/**
 * @param {string} path
 * @param {unknown} error
 */
function unusable(path, error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  return new UserError(
    `The nodes cannot keep their files at ${path} (${code}).`,
    'Name an existing directory that this user may write to.',
    ExitStatus.badInput,
    { cause: error },
  );
}
