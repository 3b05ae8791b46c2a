/**
 * Finding the runs below a folder.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, UserError } from '../../errors.js';
import { readResult } from '../../result/read.js';
import { slim } from './history.js';

/** @import { Run } from './history.js' */

const RESULT_FILE = 'result.json';

/**
 * Reads each `result.json` below the folder, and each `*.json` in the folder itself: stored baselines. Symbolic links are not followed, so
 * that `latest` counts once; neither does a copy of a run count again.
 *
 * @param {string} folder
 * @param {(problem: string) => void} tell of each file that is left out, one sentence
 * @returns {Promise<{runs: Run[], leftOut: number}>} runs: at least one
 * @throws {UserError} exit status 2: there is no such folder, or no run in it
 */
export async function readRuns(folder, tell) {
  const files = await findFiles(folder, tell);
  /** @type {Map<string, Run>} */
  const runs = new Map();
  let leftOut = 0;
  // One after the other: a result may have megabytes, of which little is kept.
  for (const file of files) {
    try {
      const result = slim(await readResult(file));
      const key = [result.startedAt, result.seed, result.command].join(' ');
      if (!runs.has(key)) runs.set(key, { name: nameOf(folder, file), result });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      leftOut++;
      tell(`left out: ${error.message}`);
    }
  }
  if (runs.size === 0) {
    throw new UserError(
      files.length === 0
        ? `There is no run in ${folder}.`
        : `None of the ${files.length} files in ${folder} can be read.`,
      'Name a folder that has the folders of runs in it, such as results.',
      ExitStatus.badInput,
    );
  }
  return { runs: [...runs.values()], leftOut };
}

/**
 * @param {string} top
 * @param {(problem: string) => void} tell of each folder below it that cannot be read, one sentence
 * @returns {Promise<string[]>}
 */
async function findFiles(top, tell) {
  /** @type {string[]} */
  const files = [];
  const folders = [top];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await list(folder).catch((error) => {
      if (folder === top || !(error instanceof UserError)) throw error;
      tell(`left out: ${error.message}`);
      return [];
    });
    const isRun = entries.some((entry) => entry.isFile() && entry.name === RESULT_FILE);
    for (const entry of entries) {
      const place = path.join(folder, entry.name);
      const isStored = folder === top && entry.name.endsWith('.json') && !entry.name.endsWith('.schema.json');
      if (entry.isFile() && (entry.name === RESULT_FILE || isStored)) files.push(place);
      // A run's folder has no others in it.
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
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UserError(
      code === 'ENOENT' ? `There is no ${folder}.` : `${folder} cannot be read as a folder (${code}).`,
      'Name a folder that has the folders of runs in it, such as results.',
      ExitStatus.badInput,
      { cause: error },
    );
  }
}

/**
 * @param {string} folder
 * @param {string} file
 */
function nameOf(folder, file) {
  const relative = path.relative(folder, file);
  if (path.basename(file) !== RESULT_FILE) return relative;
  return path.dirname(relative) === '.' ? path.basename(path.resolve(folder)) : path.dirname(relative);
}
