/**
 * Writing reports: whole or not at all, beside whatever else is in a folder, and never over what somebody else wrote.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, UserError } from '../errors.js';

/** What each of our documents has in its beginning: `# sentinel-bench: …` or `<title>sentinel-bench: …`. */
const OWN = /^# sentinel-bench: |<title>sentinel-bench: /m;
const BEGINNING = 4096;

/**
 * @param {string} folder made when missing
 * @param {string} name of the documents, without an extension
 * @param {import('./document.js').Report} report
 * @returns {Promise<string>} the page
 * @throws {UserError} exit status 2: a file of that name is somebody's; 3: it cannot be written
 */
export async function writeDocuments(folder, name, report) {
  const [text, page] = ['md', 'html'].map((extension) => path.join(folder, `${name}.${extension}`));
  return orUserError(
    async () => {
      for (const file of [text, page]) await checkOwn(file, 'Choose another folder with --out.');
      await mkdir(folder, { recursive: true });
      await writeDocument(folder, name, report);
      return page;
    },
    (why) => [`${name}.md cannot be written to ${folder}: ${why}.`, 'Choose another folder with --out.'],
  );
}

/**
 * @param {string} folder that is there
 * @param {string} name of the documents, without an extension
 * @param {import('./document.js').Report} report
 */
export async function writeDocument(folder, name, { markdown, html, pictures }) {
  // Pictures first: a report never shows one that is not there yet.
  for (const [file, svg] of pictures) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeWhole(path.join(folder, file), svg);
  }
  await writeWhole(path.join(folder, `${name}.md`), markdown);
  await writeWhole(path.join(folder, `${name}.html`), html);
}

/**
 * @param {string} file that is about to be replaced
 * @param {string} remedy
 * @throws {UserError} exit status 2: it is there, and somebody else wrote it
 */
export async function checkOwn(file, remedy) {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (OWN.test(text.slice(0, BEGINNING))) return;
  throw new UserError(`${file} is there already, and is no report of sentinel-bench.`, remedy, ExitStatus.badInput);
}

/**
 * Nobody ever sees a part of the file.
 *
 * @param {string} file
 * @param {string} text
 */
export async function writeWhole(file, text) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
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
    const [message, remedy] = say(whyOf(/** @type {NodeJS.ErrnoException} */ (error)));
    throw new UserError(message, remedy, ExitStatus.environment, { cause: error });
  }
}

/** @param {NodeJS.ErrnoException} error `EACCES: permission denied, mkdir '…'` */
function whyOf(error) {
  return /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? String(error.code);
}

/** @param {unknown} error */
export function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
