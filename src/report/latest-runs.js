/**
 * The latest run of each suite below some folders.
 *
 * @import { ZodType } from 'zod'
 * @import { Result } from '../result/schema.js'
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { badInput, UserError } from '../errors.js';
import { readResult } from '../result/read.js';
import { findFiles } from './compare/history.js';

/**
 * @typedef {Object} LatestRun
 * @property {string} folder of the run, as the user would type it
 * @property {Result} result
 */

/**
 * Does not follow symbolic links below the folders, such as `latest`.
 *
 * @param {readonly string[]} places folders with runs at any depth, or files
 * @param {(problem: string) => void} tell gets a sentence for each file left out
 * @param {ZodType<Result>} schema of results
 * @returns {Promise<Map<string, LatestRun>>} suite → its run that began last; at least one
 * @throws {UserError} exit status 2: a place does not exist, or none has a run
 */
export async function latestRuns(places, tell, schema) {
  /** @type {Map<string, LatestRun>} */
  const latest = new Map();
  for await (const run of everyRun(places, tell, schema)) {
    const known = latest.get(run.result.suite);
    if (!known || startOf(run.result) > startOf(known.result)) latest.set(run.result.suite, run);
  }
  if (latest.size > 0) return latest;
  throw noRuns(places);
}

/**
 * @param {readonly string[]} places folders with runs at any depth, or files
 * @param {(problem: string) => void} tell gets a sentence for each file left out
 * @param {ZodType<Result>} schema of results
 * @returns {AsyncGenerator<LatestRun, void>} one in memory at a time
 */
export async function* everyRun(places, tell, schema) {
  for (const place of places) {
    for (const file of await filesIn(place, tell)) {
      const result = await readOrTell(file, tell, schema);
      if (result) yield { folder: path.dirname(file), result };
    }
  }
}

/** @param {readonly string[]} places @returns {UserError} */
export function noRuns(places) {
  return badInput(
    `There is no run in ${places.join(', ')}.`,
    'Measure one with `sentinel-bench run`, or name a folder that contains the folders of runs.',
  );
}

/**
 * @param {string} place
 * @param {(problem: string) => void} tell
 */
async function filesIn(place, tell) {
  const found = await stat(place).catch(() => null);
  return found?.isFile() ? [place] : findFiles(place, tell);
}

/**
 * @param {string} file
 * @param {(problem: string) => void} tell
 * @param {ZodType<Result>} schema
 * @returns {Promise<Result | null>} null: left out
 */
async function readOrTell(file, tell, schema) {
  try {
    return await readResult(file, schema);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    tell(`left out: ${error.message}`);
    return null;
  }
}

/** @param {Result} result */
function startOf({ startedAt }) {
  return Date.parse(startedAt);
}
