/**
 * Files and folders whose paths a user named: something other than a file, or somebody else's file, may lie there.
 */
import { constants, mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

/** What fits into one string; no document of ours comes near it. */
const MOST_BYTES = 512 * 1024 * 1024 - 1024;

/**
 * Never waits: a FIFO without a writer, a terminal or /dev/zero is refused, not read.
 *
 * @param {string} file
 * @param {{mostBytes?: number}} [limits]
 * @returns {Promise<Buffer>}
 * @throws {NodeJS.ErrnoException} as the system refuses; EISDIR: a folder; ENOTFILE: a FIFO, a device or a socket; EFBIG
 */
export async function readRegularFile(file, { mostBytes = MOST_BYTES } = {}) {
  // Opening a FIFO would wait for a writer.
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
 * Makes a folder, and those above it that are missing. Node's own `recursive` never ends below /proc, where nothing can be made and
 * nothing says so.
 *
 * @param {string} folder
 * @param {{mode?: number}} [options] of folders that are made
 * @returns {string | undefined} the first folder that was made; undefined: it was there
 * @throws {NodeJS.ErrnoException} as the system refuses
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
      // Somebody else was quicker.
      if (/** @type {NodeJS.ErrnoException} */ (later).code !== 'EEXIST') throw later;
    }
    return first ?? wanted;
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
