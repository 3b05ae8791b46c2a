/**
 * Writing a run's folder.
 */
import { access, constants, lstat, mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, UserError } from '../errors.js';
import { histogramLog, percentileDistribution } from './hdr-files.js';
import { renderMarkdown } from './markdown.js';
import { ResultSchema } from './schema.js';

/** @typedef {import('./schema.js').Result} Result */
/** @typedef {ReadonlyMap<string, import('./markdown.js').Presentation>} Presentations */

/**
 * Writes a new folder below `out`; what is there already is left alone. result.json comes first and appears complete or
 * not at all: what was measured is safe before anything is made of it.
 *
 * @param {Result} result
 * @param {Presentations} benchmarks name → how it is shown in the report
 * @param {{out: string, folder?: string, logs?: ReadonlyMap<string, readonly string[]>}} options out: made when missing;
 *   folder: one made by {@link createRunFolder}, instead of a new one; logs: last log lines by node, written when there are any
 * @returns {Promise<string>} the new folder: `<out>/<UTC time>-<suite>`
 * @throws {UserError} exit status 3: the files cannot be written
 * @throws {import('zod').ZodError} the result does not keep to the schema: a defect of this program
 */
export async function writeRun(result, benchmarks, { out, folder: made, logs = new Map() }) {
  const text = `${JSON.stringify(ResultSchema.parse(result), null, 2)}\n`;
  const folder = made ?? (await createRunFolder(result, out));
  await orUserError(
    () =>
      writeWhole(path.join(folder, 'result.json'), text).catch((error) =>
        // What is in it already is worth keeping.
        made ? Promise.reject(error) : removeAndRethrow(folder, error),
      ),
    (why) => [`The results cannot be written to ${out}: ${why}.`, 'Make room, or choose another folder with --out.'],
  );
  await orUserError(
    async () => {
      await writeWhole(path.join(folder, 'report.md'), renderMarkdown(result, benchmarks));
      await writeHistograms(folder, result);
      await writeLogs(folder, logs);
      await pointLatestTo(folder);
    },
    (why) => [
      `The results are in ${path.join(folder, 'result.json')}, but not everything beside it could be written: ${why}.`,
      `Make room, then write the report again with: sentinel-bench report ${folder}`,
    ],
  );
  return folder;
}

/**
 * @param {{startedAt: string, suite: string}} run
 * @param {string} out made when missing
 * @returns {Promise<string>} a new folder: `<out>/<UTC time>-<suite>`
 * @throws {UserError} exit status 3: it cannot be made
 */
export function createRunFolder(run, out) {
  return orUserError(
    () => createFolder(out, folderName(run)),
    (why) => notWritable(out, why),
  );
}

/**
 * To be asked before anything is measured: nobody wants to learn it afterwards.
 *
 * @param {string} out made when missing
 * @throws {UserError} exit status 3: no run's folder can be made there
 */
export async function checkWritable(out) {
  await orUserError(
    async () => {
      await mkdir(out, { recursive: true });
      await access(out, constants.W_OK | constants.X_OK);
    },
    (why) => notWritable(out, why),
  );
}

/**
 * @param {string} out
 * @param {string} why
 * @returns {[message: string, remedy: string]}
 */
function notWritable(out, why) {
  return [`No results can be written to ${out}: ${why}.`, 'Choose another folder with --out.'];
}

/**
 * Makes report.md again beside the result.json it is made from.
 *
 * @param {Result} result
 * @param {Presentations} benchmarks
 * @param {string} place the run's folder, or its result.json
 * @returns {Promise<string>} where the report is
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function renderReport(result, benchmarks, place) {
  return orUserError(
    async () => {
      const folder = (await stat(place)).isDirectory() ? place : path.dirname(place);
      const file = path.join(folder, 'report.md');
      await writeWhole(file, renderMarkdown(result, benchmarks));
      return file;
    },
    (why) => [`The report cannot be written beside ${place}: ${why}.`, 'Copy the folder to where you may write.'],
  );
}

/** @param {{startedAt: string, suite: string}} run */
function folderName({ startedAt, suite }) {
  return `${startedAt.slice(0, 19).replaceAll(':', '-')}Z-${suite.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}`;
}

/**
 * @param {string} out
 * @param {string} name
 * @returns {Promise<string>} a folder that was not there before
 */
async function createFolder(out, name) {
  await mkdir(out, { recursive: true });
  for (let number = 1; ; number++) {
    const folder = path.join(out, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * @param {string} folder
 * @param {unknown} error
 * @returns {Promise<never>}
 */
async function removeAndRethrow(folder, error) {
  await rm(folder, { recursive: true, force: true });
  throw error;
}

/**
 * Nobody ever sees a part of the file.
 *
 * @param {string} file
 * @param {string} text
 */
async function writeWhole(file, text) {
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
 * @param {string} folder
 * @param {Result} result
 */
async function writeHistograms(folder, { benchmarks }) {
  const histograms = path.join(folder, 'histograms');
  await mkdir(histograms);
  for (const { name, cases } of benchmarks) {
    for (const one of cases) {
      await writeFile(path.join(histograms, `${name}.${one.id}.hgrm`), percentileDistribution(one));
      await writeFile(path.join(histograms, `${name}.${one.id}.hlog`), histogramLog(one));
    }
  }
}

/**
 * @param {string} folder
 * @param {ReadonlyMap<string, readonly string[]>} logs
 */
async function writeLogs(folder, logs) {
  if (logs.size === 0) return;
  await mkdir(path.join(folder, 'logs'));
  for (const [id, lines] of logs) {
    await writeFile(path.join(folder, 'logs', `${id}.log`), lines.map((line) => `${line}\n`).join(''));
  }
}

/**
 * Only ever replaces a link: a file or folder of that name is somebody's.
 *
 * @param {string} folder
 */
async function pointLatestTo(folder) {
  const latest = path.join(path.dirname(folder), 'latest');
  const there = await lstat(latest).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  });
  if (there && !there.isSymbolicLink()) return;
  const temporary = `${latest}.${process.pid}.tmp`;
  try {
    await symlink(path.basename(folder), temporary);
    await rename(temporary, latest);
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
async function orUserError(work, say) {
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
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}
