/**
 * Writing a run's folder.
 */
import { access, constants, lstat, mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOwn, codeOf, orUserError, writeDocument, writeWhole } from './documents.js';
import { histogramLog, percentileDistribution } from './hdr-files.js';
import { makeReport } from './report.js';
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
  const text = `${readableJson(ResultSchema.parse(result))}\n`;
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
      await writeDocument(folder, 'report', makeReport(result, benchmarks));
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
 * Indented, but for rows of numbers: the course of a trial has thousands of them.
 *
 * @param {unknown} document
 * @returns {string}
 */
function readableJson(document) {
  // A line break within a text is written as \n, so what spans lines here is an array.
  return JSON.stringify(document, null, 2).replace(
    /\[\n\s+(?:(?:-?[\d.e+-]+|null),?\s+)+\]/g,
    (row) => `[${row.slice(1, -1).trim().replace(/\s+/g, ' ')}]`,
  );
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
 * Makes the report again beside the result.json it is made from.
 *
 * @param {Result} result
 * @param {Presentations} benchmarks
 * @param {string} place the run's folder, or its result.json
 * @returns {Promise<string>} where the report is
 * @throws {UserError} exit status 2: a file of its name is somebody's; 3: it cannot be written
 */
export async function renderReport(result, benchmarks, place) {
  return orUserError(
    async () => {
      const folder = (await stat(place)).isDirectory() ? place : path.dirname(place);
      // Beside a result.json under another name anything may lie.
      for (const name of ['report.md', 'report.html'])
        await checkOwn(path.join(folder, name), 'Move it away, or copy the result to a folder of its own.');
      await writeDocument(folder, 'report', makeReport(result, benchmarks));
      return path.join(folder, 'report.html');
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
