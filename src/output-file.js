/**
 * Files that the user names for output. A path is checked before a measurement, so that its figures do not end without a place.
 * @import { Stats } from 'node:fs'
 * @typedef {{option: string, force: boolean}} Naming option: names the file, such as `--out`; force: replace an existing file
 */
import { access, constants, lstat, open, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { badInput, codeOf, UserError } from './errors.js';
import { writeWhole } from './files.js';

/**
 * @param {string} file @param {Naming} naming
 * @returns {Promise<{write: (content: string | Iterable<string>) => Promise<void>}>} write: as a whole, or not at all
 * @throws {UserError} exit status 2: it exists, or is a folder; 3: it cannot be written. `write` rejects with the same
 */
export async function outputFile(file, naming) {
  const orUserError = (/** @type {unknown} */ error) => {
    throw error instanceof UserError ? error : notWritable(file, naming, error);
  };
  if (file === '') throw badInput(`${naming.option} has an empty name.`, 'Name a file.');
  const place = await placeOf(file, naming).catch(orUserError);
  return { write: (content) => writeTo(place, content, naming).catch(orUserError) };
}

/** @type {(file: string, naming: Naming) => Promise<{file: string, there: Stats | null}>} without symbolic links; there: what exists */
async function placeOf(file, { option, force }) {
  const there = await stat(file).catch(orNothing);
  if (there?.isDirectory()) throw badInput(`${file} is a folder.`, `Name a file with ${option}.`);
  // A device, a pipe or a terminal is written to, never replaced.
  if (there && !there.isFile()) {
    await openWithoutWaiting(file);
    return { file, there };
  }
  const isLinkToNothing = !there && (await lstat(file).catch(orNothing)) !== null;
  if ((there && !force) || isLinkToNothing) throw exists(file, option);
  const real = there ? await realpath(file) : file;
  await access(path.dirname(real), constants.W_OK | constants.X_OK);
  return { file: real, there };
}

/** @param {Awaited<ReturnType<typeof placeOf>>} place @param {string | Iterable<string>} content @param {Naming} naming */
async function writeTo({ file, there }, content, { force }) {
  if (there && !there.isFile()) {
    await openWithoutWaiting(file);
    await writeFile(file, content);
  } else {
    await writeWhole(file, content, { sync: true, replace: force, mode: there ? there.mode & 0o777 : undefined });
  }
}

/** @param {string} file a FIFO without a reader is an error, instead of a wait without end */
async function openWithoutWaiting(file) {
  await (await open(file, constants.O_WRONLY | constants.O_NONBLOCK)).close();
}

/** @param {unknown} error */
function orNothing(error) {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

/** @param {string} file @param {string} option */
function exists(file, option) {
  return badInput(`${file} exists already.`, `Name another file with ${option}, or add --force to replace it.`);
}

/** @type {Readonly<Record<string, string>>} */
const REASONS = { ENOENT: 'its folder does not exist', ENOSPC: 'no room is left', ENXIO: 'nobody reads this pipe' };

/** @param {string} file @param {Naming} naming @param {unknown} error of the system */
function notWritable(file, { option }, error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) return error;
  const code = codeOf(error);
  if (code === 'EEXIST') return exists(file, option);
  const reason = REASONS[code];
  const why = reason ? `${reason}, ${code}` : code;
  const remedy = `Name another file with ${option}.`;
  return new UserError(`${file} cannot be written (${why}).`, remedy, { cause: error });
}
