/** Files and folders whose paths the user named. They may turn out to be something else. */
import { constants, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** The longest string of Node; our documents are far smaller. */
export const MOST_BYTES = 512 * 1024 * 1024 - 1024;

/**
 * Never blocks: a FIFO, a terminal or /dev/zero is refused. @param {string} file @param {{mostBytes?: number}} [limits]
 * @returns {Promise<Buffer>}
 * @throws {NodeJS.ErrnoException} the system's error; EISDIR: a folder; ENOTFILE: a FIFO, a device or a socket; EFBIG: too large
 */
export async function readRegularFile(file, { mostBytes = MOST_BYTES } = {}) {
  const refusal = (/** @type {string} */ code, /** @type {string} */ why) =>
    Object.assign(new Error(`${code}: ${why}, open '${file}'`), { code, syscall: 'open' });
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error) => {
    // A socket cannot be opened.
    throw error.code === 'ENXIO' ? refusal('ENOTFILE', 'it is not a regular file') : error;
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw refusal('EISDIR', 'it is a folder');
    if (!stats.isFile()) throw refusal('ENOTFILE', 'it is not a regular file');
    if (stats.size > mostBytes) throw refusal('EFBIG', 'it is too large');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and missing folders above it. Node's own `recursive` option loops for ever below /proc.
 * @param {string} folder @param {{mode?: number}} [options] of new folders
 * @returns {string | undefined} the topmost new folder; undefined: all existed @throws {NodeJS.ErrnoException} the system's error
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

/** Rows are small; a system call for each would take most of the time. */
const PIECE_CHARACTERS = 64 * 1024;

/** @param {Iterable<string>} lines @returns {Generator<string>} the same text in larger pieces */
export function* inPieces(lines) {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Writes a file beside its place, then moves it there. Readers see all of it or nothing, and a failure leaves an older file as it was.
 * @param {string} file @param {string | Uint8Array | Iterable<string | Uint8Array>} content text, bytes, or pieces of either
 * @param {Object} [options] @param {boolean} [options.sync] once the promise resolves, the file survives a power failure
 * @param {boolean} [options.replace] false: another file of this name stays; default true
 * @param {number} [options.mode] permissions; default: those of new files
 * @throws {NodeJS.ErrnoException} the system's error; EEXIST: without `replace`, the file exists
 */
export async function writeWhole(file, content, { sync = false, replace = true, mode } = {}) {
  const temporary = `${file}.${process.pid}.tmp`;
  const pieces = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  try {
    // Removes a link that another user left under this name, instead of following it.
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx');
    try {
      if (mode !== undefined) await handle.chmod(mode);
      for (const piece of pieces) await handle.writeFile(piece);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    // Claims the name. A hard link would do both at once, but some file systems have none.
    if (!replace) await (await open(file, 'wx')).close();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The same at once, in a folder of this user's alone. @param {string} file @param {string} content @param {{mode?: number}} [options] */
export function writeWholeSync(file, content, { mode } = {}) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A new file name is only on disk once its folder is synced. @param {string} folder */
export async function syncFolder(folder) {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
