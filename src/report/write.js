/**
 * Writes the folder of a run, and reports. A file appears whole or not at all, and never replaces a file that somebody else wrote.
 */

import { access, constants, lstat, mkdir, open, rename, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, messageOf, UserError } from '../errors.js';
import { makeFolders, readRegularFile } from '../files.js';
import { histogramLog, percentileDistribution } from '../result/export-hdr.js';
import { jsonPath, RESULT_FILE } from '../result/read.js';
import { ResultSchema } from '../result/schema.js';
import { cleaned } from '../untrusted.js';
import { makeReport } from './document.js';

/**
 * @import { Report } from './document.js'
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 * @import { core } from 'zod'
 */

/** @typedef {readonly Suite[]} Suites */

/** Holds what was measured when that does not keep to the schema. */
const UNCHECKED_FILE = 'result.unchecked.json';

/**
 * @typedef {Object} Saved
 * @property {string | null} folder of the run; null: no disk took the result, so that it has to be printed
 * @property {boolean} valid it keeps to the schema, and a report can be made of it
 * @property {UserError | null} problem to be thrown once everything else is done; null: it is where it was asked to be
 */

/**
 * Saves what was measured, before anything is made of it. The file appears complete or not at all; what is there already is left alone.
 * Never rejects because of what was measured or because a disk is full.
 *
 * @param {Result} result
 * @param {Object} options
 * @param {string} options.out where the run's folder is made; made itself when missing
 * @param {string} [options.folder] one made by {@link createRunFolder}, instead of a new one
 * @param {readonly (() => string)[]} [options.instead] where the run's folder is made when `out` takes nothing, the best first
 * @returns {Promise<Saved>}
 */
export async function saveResult(result, { out, folder: made, instead = [] }) {
  const { data, error } = ResultSchema.safeParse(result);
  const name = data ? RESULT_FILE : UNCHECKED_FILE;
  const text = `${readableJson(data ?? result)}\n`;
  const places = [
    () => saveIn(made, result, out, name, text),
    ...instead.map((place) => () => saveIn(undefined, result, place(), name, text)),
  ];
  /** @type {unknown} */
  let refusal = null;
  let folder = null;
  for (const save of places) {
    try {
      folder = await save();
      break;
    } catch (failure) {
      if (codeOf(failure) === undefined) throw failure;
      refusal ??= failure;
    }
  }
  const where = folder === null ? 'standard output' : path.join(folder, name);
  if (error) return { folder, valid: false, problem: invalid(error.issues[0], where) };
  return { folder, valid: true, problem: refusal === null ? null : notSaved(out, refusal, folder, where) };
}

/**
 * @param {string | undefined} made the run's folder, if there is one
 * @param {Result} result
 * @param {string} out
 * @param {string} name
 * @param {string} text
 * @returns {Promise<string>} the run's folder
 */
async function saveIn(made, result, out, name, text) {
  const folder = made ?? (await createFolder(out, folderName(result)));
  try {
    await writeWhole(path.join(folder, name), text, { sync: true });
    return folder;
  } catch (error) {
    // What is in it already is worth keeping.
    await rmdir(folder).catch(() => {});
    throw error;
  }
}

/**
 * @param {core.$ZodIssue} issue
 * @param {string} where the figures are
 */
function invalid({ path: place, message }, where) {
  return new UserError(
    `What was measured does not keep to its own schema at ${jsonPath(place)} (${message.replace(/\.$/, '')}); the raw figures are in ${where}, and no report was made.`,
    'Report this with that file: either sentinel-bench has a defect, or a server said what none can.',
  );
}

/**
 * @param {string} out
 * @param {unknown} error
 * @param {string | null} folder
 * @param {string} where the result is
 */
function notSaved(out, error, folder, where) {
  return new UserError(
    `The results cannot be written to ${out}: ${whyOf(error)}; they are ${folder === null ? 'printed on' : 'in'} ${where}.`,
    'Make room, or choose another folder with --out.',
    undefined,
    { cause: error },
  );
}

/**
 * What is made of a result, beside it.
 *
 * @param {Result} result that is saved and keeps to the schema
 * @param {Suites} suites
 * @param {{folder: string, logs?: ReadonlyMap<string, readonly string[]>}} options folder: the run's; logs: last log lines by node,
 *   written when there are any
 * @throws {UserError} exit status 3: the files cannot be written, or not made; the result stays
 */
export async function writeReport(result, suites, { folder, logs = new Map() }) {
  const file = path.join(folder, RESULT_FILE);
  const report = orDefect(file, () => makeReport(result, suites));
  await orUserError(
    async () => {
      await writeDocument(folder, 'report', report);
      await writeHistograms(folder, result);
      await writeLogs(folder, logs);
      await pointLatestTo(folder);
    },
    (why) => [
      `The results are in ${file}, but not everything beside it could be written: ${why}.`,
      `Make room, then write the report again with: sentinel-bench report ${folder}`,
    ],
  );
}

/**
 * @template T
 * @param {string} file of the result
 * @param {() => T} show makes something of the result
 * @returns {T}
 * @throws {UserError} exit status 3: it cannot; the result stays
 */
export function orDefect(file, show) {
  try {
    return show();
  } catch (error) {
    throw new UserError(
      `The results are in ${file}, but they cannot be shown: ${messageOf(error).replace(/\.$/, '')}.`,
      'This is a defect of sentinel-bench; report it with that file.',
      ExitStatus.environment,
      { cause: error, detail: error instanceof Error ? error.stack : undefined },
    );
  }
}

/** Lists whose items have one line each: a run has thousands of them. */
const ROWS = new Set(['rounds', 'audit', 'marks', 'writers']);
const LINE_WIDTH = 120;

/**
 * JSON with two spaces of indent, except for what fits on a line, rows of numbers, and the items of {@link ROWS}.
 *
 * @param {unknown} value
 * @param {string} [indent]
 * @param {string} [key] the name of the value
 * @returns {string}
 */
export function readableJson(value, indent = '', key = '') {
  const text = JSON.stringify(value);
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain || text.length + indent.length <= LINE_WIDTH || /^\[[^[{"]*\]$/.test(text)) return text;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each) => (ROWS.has(key) ? JSON.stringify(each) : readableJson(each, inner)))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${JSON.stringify(name)}: ${readableJson(each, inner, name)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => `${inner}${line}`).join(',\n')}\n${indent}${close}`;
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
      makeFolders(out);
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
 * @param {Suites} suites
 * @param {string} place the run's folder, or its result.json
 * @returns {Promise<string>} where the report is
 * @throws {UserError} exit status 2: a file of its name is somebody's; 3: it cannot be written
 */
export async function renderReport(result, suites, place) {
  return orUserError(
    async () => {
      const folder = (await stat(place)).isDirectory() ? place : path.dirname(place);
      // Beside a result.json under another name anything may lie.
      for (const name of ['report.md', 'details.md', 'report.html'])
        await checkOwn(path.join(folder, name), 'Move it away, or copy the result to a folder of its own.');
      await writeDocument(folder, 'report', makeReport(result, suites));
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
  makeFolders(out);
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
    await writeFile(path.join(folder, 'logs', `${id}.log`), lines.map((line) => `${cleaned(line)}\n`).join(''));
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
