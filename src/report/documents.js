/**
 * Writing reports: whole or not at all, beside whatever else is in a folder, and never over what somebody else wrote.
 */
import { lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, UserError } from '../errors.js';
import { makeFolders, readRegularFile } from '../files.js';

/** @import { Report } from './document.js' */

/** What each of our documents has in its beginning: `# sentinel-bench: …` or `<title>sentinel-bench: …`. */
const OWN = /^# sentinel-bench: |<title>sentinel-bench: /m;
const BEGINNING = 4096;

/**
 * @param {string} folder made when missing
 * @param {string} name of the documents, without an extension
 * @param {Report} report
 * @returns {Promise<string>} the page
 * @throws {UserError} exit status 2: a file of that name is somebody's; 3: it cannot be written
 */
export async function writeDocuments(folder, name, report) {
  const [text, page] = ['md', 'html'].map((extension) => path.join(folder, `${name}.${extension}`));
  return orUserError(
    async () => {
      for (const file of [text, page]) await checkOwn(file, 'Choose another folder with --out.');
      makeFolders(folder);
      await writeDocument(folder, name, report);
      return page;
    },
    (why) => [`${name}.md cannot be written to ${folder}: ${why}.`, 'Choose another folder with --out.'],
  );
}

/**
 * @param {string} folder that is there
 * @param {string} name of the documents, without an extension
 * @param {Report} report
 */
export async function writeDocument(folder, name, { markdown, details, html, pictures }) {
  // Pictures first: a report never shows one that is not there yet.
  for (const [file, svg] of pictures) {
    await makeOwnFolder(path.dirname(path.join(folder, file)));
    await writeWhole(path.join(folder, file), svg);
  }
  await writeWhole(path.join(folder, `${name}.md`), markdown);
  if (details !== undefined) await writeWhole(path.join(folder, 'details.md'), details);
  await writeWhole(path.join(folder, `${name}.html`), html);
}

/**
 * @param {string} folder of pictures, in a folder that may be somebody else's
 * @throws {UserError} exit status 2: it is a link, and leads to where nobody asked us to write
 */
async function makeOwnFolder(folder) {
  makeFolders(folder);
  if (!(await lstat(folder)).isSymbolicLink()) return;
  throw new UserError(
    `${folder} is a symbolic link; pictures would be written where it leads.`,
    'Remove the link, or copy the result to a folder of its own.',
    ExitStatus.badInput,
  );
}

/**
 * @param {string} file that is about to be replaced
 * @param {string} remedy
 * @throws {UserError} exit status 2: it is there, and somebody else wrote it
 */
export async function checkOwn(file, remedy) {
  let text;
  try {
    text = (await readRegularFile(file)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (codeOf(error) !== 'ENOTFILE') throw error;
    text = '';
  }
  if (OWN.test(text.slice(0, BEGINNING))) return;
  throw new UserError(`${file} is there already, and is no report of sentinel-bench.`, remedy, ExitStatus.badInput);
}

/**
 * Nobody ever sees a part of the file.
 *
 * @param {string} file
 * @param {string} text
 * @param {{sync?: boolean}} [options] sync: it outlives a power failure once the promise resolves
 */
export async function writeWhole(file, text, { sync = false } = {}) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // A link that somebody else left under this name is removed, not followed.
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @param {(why: string) => [message: string, remedy: string]} say why: what the system said
 * @returns {Promise<T>}
 */
export async function orUserError(work, say) {
  try {
    return await work();
  } catch (error) {
    // Only what the system refused; a defect of this program is not the user's to mend.
    if (/** @type {NodeJS.ErrnoException} */ (error).syscall === undefined) throw error;
    const [message, remedy] = say(whyOf(error));
    throw new UserError(message, remedy, ExitStatus.environment, { cause: error });
  }
}

/**
 * @param {unknown} error of the system: `EACCES: permission denied, mkdir '…'`
 * @returns {string} such as `permission denied`
 */
export function whyOf(error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return /^\w+: ([^,]+)/.exec(message)?.[1] ?? String(code);
}

/** @param {unknown} error */
export function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
