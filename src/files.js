/**
 * Files and folders whose paths the user named. They may turn out to be something else.
 */
import { constants, mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

/** The longest string of Node; our documents are far smaller. */
export const MOST_BYTES = 512 * 1024 * 1024 - 1024;

/**
 * Never blocks: a FIFO, a terminal or /dev/zero is refused.
 *
 * @param {string} file
 * @param {{mostBytes?: number}} [limits]
 * @returns {Promise<Buffer>}
 * @throws {NodeJS.ErrnoException} the system's error; EISDIR: a folder; ENOTFILE: a FIFO, a device or a socket; EFBIG: too large
 */
export async function readRegularFile(file, { mostBytes = MOST_BYTES } = {}) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error) => {
    // A socket cannot be opened.
    throw error.code === 'ENXIO' ? refusal('ENOTFILE', 'it is not a regular file', file) : error;
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw refusal('EISDIR', 'it is a folder', file);
    if (!stats.isFile()) throw refusal('ENOTFILE', 'it is not a regular file', file);
    if (stats.size > mostBytes) throw refusal('EFBIG', 'it is too large', file);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and missing folders above it. Node's own `recursive` option loops for ever below /proc.
 *
 * @param {string} folder
 * @param {{mode?: number}} [options] of new folders
 * @returns {string | undefined} the topmost new folder; undefined: all existed
 * @throws {NodeJS.ErrnoException} the system's error
 */
export function makeFolders(folder, { mode } = {}) {
  const wanted = path.resolve(folder);
  try {
    mkdirSync(wanted, { mode });
    return wanted;
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    if (code === 'EEXIST' && statSync(wanted).isDirectory()) return undefined;
    const above = path.dirname(wanted);
    if (code !== 'ENOENT' || above === wanted) throw error;
    const first = makeFolders(above, { mode });
    try {
      mkdirSync(wanted, { mode });
    } catch (later) {
      // Another process was quicker.
      if (/** @type {NodeJS.ErrnoException} */ (later).code !== 'EEXIST') throw later;
    }
    return first ?? wanted;
  }
}

/**
 * A new file name is only on disk once its folder is synced.
 *
 * @param {string} folder
 */
export async function syncFolder(folder) {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * @param {string} code
 * @param {string} why
 * @param {string} file
 * @returns {NodeJS.ErrnoException}
 */
function refusal(code, why, file) {
  return Object.assign(new Error(`${code}: ${why}, open '${file}'`), { code, syscall: 'open' });
}
