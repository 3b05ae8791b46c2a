/**
 * Writes the folder of a run, and reports. A file appears whole or not at all, and never replaces a file that somebody else wrote.
 * @import { UserError } from '../errors.js' @import { SuiteTerms } from '../facts/index.js' @import { Report } from './document.js'
 * @import { Result } from '../result/schema.js' @import { Suite } from '../run/types.js' @import { ZodType } from 'zod'
 */
import { access, constants, lstat, mkdir, mkdtemp, rename, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeOf, reasonOf } from '../errors.js';
import { factsOf } from '../facts/index.js';
import { FACTS_FILE, factsCsv } from '../facts/render.js';
import { inPieces, makeFolders, readRegularFile, writeWhole } from '../files.js';
import { jsonPath, RESULT_FILE } from '../result/read.js';
import { sentencesIn } from '../sentences.js';
import { percentileDistribution } from '../stats/histogram.js';
import { cleaned } from '../untrusted.js';
import { makeReport } from './document.js';

const { problem } = sentencesIn(new URL('write.yaml', import.meta.url));
/** Has the measured figures if they do not fit the schema. */
const UNCHECKED_FILE = 'result.unchecked.json';

/**
 * Saves the figures before any report is made. Does not reject if the figures are invalid or the disk is full: then they go to a new
 * folder for temporary files, where that is possible.
 * @param {Result} result
 * @param {{schema: ZodType<Result>, out: string, folder?: string}} options schema: with what suites add; out: parent of the run's folder,
 *   created if missing; folder: one made by {@link createRunFolder}, instead of a new one
 * @returns {Promise<{folder: string | null, valid: boolean, problem: UserError | null}>} folder: null: it must be printed; valid: it fits the
 *   schema, so a report can be made; problem: to be thrown at the end; null: the result is where the user wanted it
 */
export async function saveResult(result, { schema, out, folder: made }) {
  const { data, error } = schema.safeParse(result);
  const name = data ? RESULT_FILE : UNCHECKED_FILE;
  const text = `${readableJson(data ?? result)}\n`;
  /** @type {unknown} */
  let refusal = null;
  const refused = (/** @type {NodeJS.ErrnoException} */ failure) => {
    if (failure.code === undefined) throw failure;
    refusal ??= failure;
    return null;
  };
  const folder =
    (await saveIn(made, result, out, name, text).catch(refused)) ??
    // A new folder of our own: other users may write to the folder for temporary files.
    (await mkdtemp(path.join(tmpdir(), 'results-of-sentinel-bench-'))
      .then((place) => saveIn(undefined, result, place, name, text))
      .catch(refused));
  const where = folder === null ? 'standard output' : path.join(folder, name);
  if (error) {
    const [{ path: place, message }] = error.issues;
    const why = message.replace(/\.$/, '');
    return { folder, valid: false, problem: problem('misfit', { place: jsonPath(place), why, where }) };
  }
  if (refusal === null) return { folder, valid: true, problem: null };
  const how = folder === null ? 'printed on' : 'in';
  const values = { out, why: whyOf(refusal), where: `${how} ${where}` };
  return { folder, valid: true, problem: problem('elsewhere', values, { cause: refusal }) };
}

/** @param {string | undefined} made the run's folder @param {Result} result @param {string} out @param {string} name @param {string} text */
async function saveIn(made, result, out, name, text) {
  const folder = made ?? (await createFolder(out, folderName(result)));
  try {
    await writeWhole(path.join(folder, name), text, { sync: true });
    return folder;
  } catch (error) {
    await removeIfEmpty(folder);
    throw error;
  }
}

/**
 * Writes the report, facts, histograms and logs beside a result.
 * @param {Result} result that is saved and valid @param {readonly Suite[]} suites
 * @param {{folder: string, terms?: SuiteTerms, logs?: ReadonlyMap<string, readonly string[]>}} options folder: the run's;
 *   terms: as for {@link factsOf}; logs: last log lines by node, written when there are any
 * @returns {Promise<string | null>} what is where the link `latest` belongs; null: the link leads to this run
 * @throws {UserError} exit status 3: the files cannot be made or written; the result stays
 */
export async function writeReport(result, suites, { folder, terms, logs = new Map() }) {
  const file = path.join(folder, RESULT_FILE);
  const facts = orDefect(file, () => factsOf(result, terms));
  const report = orDefect(file, () => makeReport(result, suites));
  return orUserError(async () => {
    await writeWhole(path.join(folder, FACTS_FILE), inPieces(factsCsv(facts)));
    await writeDocument(folder, 'report', report);
    await writeHistograms(folder, result);
    await writeLogs(folder, logs);
    return pointLatestTo(folder);
  }, ['incomplete', { file, folder }]);
}

/**
 * @template T @param {string} file of the result @param {() => T} show makes a report or text from the result @returns {T}
 * @throws {UserError} exit status 3: `show` failed; the result stays
 */
export function orDefect(file, show) {
  try {
    return show();
  } catch (error) {
    const detail = error instanceof Error ? error.stack : undefined;
    throw problem('defect', { file, why: reasonOf(error) }, { cause: error, detail });
  }
}

/** Lists whose items have one line each: a run has thousands of them. */
const ROWS = new Set(['rounds', 'audit', 'events', 'writers']);
const LINE_WIDTH = 120;

/**
 * JSON with two spaces of indent, except for what fits on a line, rows of numbers, and the items of {@link ROWS}.
 * @param {unknown} value @param {string} [indent] @param {string} [key] the name of the value @returns {string}
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
 * @param {{startedAt: string, suite: string}} run @param {string} out made when missing
 * @returns {Promise<string>} a new folder: `<out>/<UTC time>-<suite>` @throws {UserError} exit status 3: it cannot be made
 */
export function createRunFolder(run, out) {
  return orUserError(() => createFolder(out, folderName(run)), ['unwritable', { out }]);
}

/** @param {string} folder of a run that ended early; it stays if it has files */
export async function removeIfEmpty(folder) {
  await rmdir(folder).catch(() => {});
}

/**
 * Called before a run, so that a long run does not end without a place for its result.
 * @param {string} out created if missing @throws {UserError} exit status 3: no run's folder can be made there
 */
export async function checkWritable(out) {
  await orUserError(async () => {
    makeFolders(out);
    await access(out, constants.W_OK | constants.X_OK);
  }, ['unwritable', { out }]);
}

/**
 * Makes the report of a result.json again, beside it.
 * @param {Result} result @param {readonly Suite[]} suites @param {string} place the run's folder, or its result.json
 * @returns {Promise<string>} where the report is
 * @throws {UserError} exit status 2: would replace a file that sentinel-bench did not write; 3: cannot be written
 */
export async function renderReport(result, suites, place) {
  return orUserError(async () => {
    const folder = (await stat(place)).isDirectory() ? place : path.dirname(place);
    // A folder named by the user may contain any files.
    for (const name of ['report.md', 'details.md', 'report.html']) await checkOwn(path.join(folder, name));
    await writeDocument(folder, 'report', makeReport(result, suites));
    return path.join(folder, 'report.html');
  }, ['unrendered', { place }]);
}

/** @param {{startedAt: string, suite: string}} run */
function folderName({ startedAt, suite }) {
  return `${startedAt.slice(0, 19).replaceAll(':', '-')}Z-${suite.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}`;
}

/** @param {string} out @param {string} name @returns {Promise<string>} a folder that was not there before */
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

/** @param {string} folder @param {Result} result */
async function writeHistograms(folder, { benchmarks }) {
  const histograms = path.join(folder, 'histograms');
  await mkdir(histograms);
  for (const { name, cases } of benchmarks) {
    for (const one of cases) {
      await writeWhole(path.join(histograms, `${name}.${one.id}.hgrm`), percentileDistribution(one));
    }
  }
}

/** @param {string} folder @param {ReadonlyMap<string, readonly string[]>} logs */
async function writeLogs(folder, logs) {
  if (logs.size === 0) return;
  await mkdir(path.join(folder, 'logs'));
  for (const [id, lines] of logs) {
    await writeWhole(path.join(folder, 'logs', `${id}.log`), lines.map((line) => `${cleaned(line)}\n`).join(''));
  }
}

/** Replaces a link only: a file or folder belongs to the user. @param {string} folder @returns {Promise<string | null>} what is in the way; null: nothing */
async function pointLatestTo(folder) {
  const latest = path.join(path.dirname(folder), 'latest');
  const there = await lstat(latest).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  if (there && !there.isSymbolicLink()) return latest;
  const temporary = `${latest}.${process.pid}.tmp`;
  try {
    await symlink(path.basename(folder), temporary);
    await rename(temporary, latest);
    return null;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The beginning of each of our documents: `# sentinel-bench: …` or `<title>sentinel-bench: …`. */
const OWN = /^# sentinel-bench: |<title>sentinel-bench: /m;
const BEGINNING = 4096;

/** @param {string} folder an existing one @param {string} name of the documents, without an extension @param {Report} report */
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

/** @param {string} folder of pictures; its parent may belong to another user @throws {UserError} exit status 2: it is a link to another place */
async function makeOwnFolder(folder) {
  makeFolders(folder);
  if (!(await lstat(folder)).isSymbolicLink()) return;
  throw problem('link', { folder });
}

/** @param {string} file to be replaced @throws {UserError} exit status 2: exists, and sentinel-bench did not write it */
async function checkOwn(file) {
  const text = await readRegularFile(file).catch((error) => {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) !== 'ENOTFILE') throw error;
    return '';
  });
  if (text === null || OWN.test(text.toString('utf8').slice(0, BEGINNING))) return;
  throw problem('foreign', { file });
}

/**
 * @template T @param {() => Promise<T>} work
 * @param {[id: string, data: Record<string, unknown>]} refused in write.yaml, which also gets `why` @returns {Promise<T>}
 */
async function orUserError(work, [id, data]) {
  try {
    return await work();
  } catch (error) {
    // Only refusals of the system: the user cannot mend a defect of this program.
    if (/** @type {NodeJS.ErrnoException} */ (error).syscall === undefined) throw error;
    throw problem(id, { ...data, why: whyOf(error) }, { cause: error });
  }
}

/** @param {unknown} error of the system: `EACCES: permission denied, mkdir '…'` @returns {string} such as `permission denied` */
function whyOf(error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return /^\w+: ([^,]+)/.exec(message)?.[1] ?? String(code);
}
