/**
 * The runs below some folders.
 * @import { ZodType } from 'zod'
 * @import { Result, ResultInParts } from './schema.js'
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { badInput, codeOf, UserError } from '../errors.js';
import { isResultFile, readResultInParts, whole } from './read.js';

const REMEDY = 'Name a folder that contains the folders of runs, such as results.';

/**
 * @template [T=Result]
 * @typedef {{name: string, folder: string, result: T}} StoredRun name: its folder, as seen from the folder that was named; or its file, if
 *   that is not a run’s `result.json`; folder: as the user would type it
 */

/**
 * @template [T=Result]
 * @param {readonly string[]} places folders, or files of runs. Reads each `result.json` (or `result.json.gz`) below the folders, and each
 *   `*.json` in the folders themselves: stored baselines. Does not follow symbolic links such as `latest`, and leaves out copies of a run
 * @param {(problem: string) => void} tell gets a sentence for each file below a folder that is left out
 * @param {ZodType<Result>} schema of results
 * @param {(result: ResultInParts) => T} [take] what is kept of a result, which may have megabytes; default: all
 * @returns {AsyncGenerator<StoredRun<T>, void>} at least one; one in memory at a time
 * @throws {UserError} exit status 2: a place does not exist, a file cannot be read, or there is no run
 */
export async function* everyRun(places, tell, schema, take = /** @type {(result: ResultInParts) => any} */ (whole)) {
  const known = new Set();
  for (const place of places) {
    const isFile = await stat(place)
      .then((found) => found.isFile())
      .catch(() => false);
    for (const file of isFile ? [place] : await findFiles(place, tell)) {
      try {
        const parts = await readResultInParts(file, schema);
        if (known.has(keyOf(parts))) continue;
        const name = nameOf(isFile ? path.dirname(file) : place, file);
        const run = { name, folder: path.dirname(file), result: take(parts) };
        known.add(keyOf(parts));
        yield run;
      } catch (error) {
        if (isFile || !(error instanceof UserError)) throw error;
        tell(`left out: ${error.message}`);
      }
    }
  }
  if (known.size === 0) throw badInput(`There is no run in ${places.join(', ')}.`, REMEDY);
}

/** @template T @param {Parameters<typeof everyRun<T>>} from @returns {Promise<{name: string, result: T}[]>} all of {@link everyRun} */
export async function readRuns(...from) {
  const runs = [];
  for await (const { name, result } of everyRun(...from)) runs.push({ name, result });
  return runs;
}

/** @param {Pick<Result, 'startedAt' | 'seed' | 'command'>} result @returns {string} the same for copies of a run */
function keyOf({ startedAt, seed, command }) {
  return [startedAt, seed, command].join(' ');
}

/** @param {string} top @param {(problem: string) => void} tell gets a sentence for each folder that cannot be read */
export async function findFiles(top, tell) {
  /** @type {string[]} */
  const files = [];
  const folders = [top];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await list(folder).catch((error) => {
      if (folder === top || !(error instanceof UserError)) throw error;
      tell(`left out: ${error.message}`);
      return [];
    });
    const isRun = entries.some((entry) => entry.isFile() && isResultFile(entry.name));
    for (const entry of entries) {
      const place = path.join(folder, entry.name);
      const isStored = folder === top && entry.name.endsWith('.json') && !entry.name.endsWith('.schema.json');
      if (entry.isFile() && (isResultFile(entry.name) || isStored)) files.push(place);
      // A run's folder contains no further runs.
      const isOther = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (entry.isDirectory() && !isOther && (folder === top || !isRun)) folders.push(place);
    }
  }
  return files;
}

/** @param {string} folder */
async function list(folder) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = codeOf(error);
    const what = code === 'ENOENT' ? `There is no ${folder}.` : `${folder} cannot be read as a folder (${code}).`;
    throw badInput(what, REMEDY, { cause: error });
  }
}

/** @param {string} folder that was named @param {string} file in it or below it @returns {string} as in {@link StoredRun} */
function nameOf(folder, file) {
  const relative = path.relative(folder, file);
  if (!isResultFile(file)) return relative;
  return path.dirname(relative) === '.' ? path.basename(path.resolve(folder)) : path.dirname(relative);
}
