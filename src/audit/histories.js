/**
 * The folder `histories` of a run: what worked beside the writers of a trial recorded, one operation a line, compressed.
 * @typedef {{benchmark: string, case: string, round: number}} TrialName
 * @typedef {TrialName & {name: string}} HistoryName name: the workload or reader that recorded it; fits a file name
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { badInput } from '../errors.js';
import { MOST_BYTES, readRegularFile } from '../files.js';
import { writeDurably } from './files.js';

const FOLDER = 'histories';

/**
 * @param {string} folder of the run @param {HistoryName} which @param {readonly object[]} lines
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function saveHistory(folder, which, lines) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeDurably(path.join(folder, FOLDER, fileName(which)), 'history', [await promisify(gzip)(text)]);
}

/** Removes the histories of a trial that does not count. @param {string} folder of the run @param {TrialName} which */
export async function removeHistories(folder, which) {
  for (const file of await filesIn(folder))
    if (file.startsWith(fileStart(which))) await rm(path.join(folder, FOLDER, file), { force: true });
}

/**
 * @param {string} folder of the run @param {HistoryName} which @returns {Promise<any[] | null>} null: it is not there
 * @throws {UserError} exit status 2: it is damaged
 */
export async function readHistory(folder, which) {
  if (!(await filesIn(folder)).includes(fileName(which))) return null;
  const file = path.join(folder, FOLDER, fileName(which));
  try {
    const content = await readRegularFile(file, { mostBytes: MOST_BYTES });
    const text = String(await promisify(gunzip)(content, { maxOutputLength: MOST_BYTES }));
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  } catch (cause) {
    const remedy = 'Restore the folder from where it was written, or run the benchmark again.';
    throw badInput(`${file} is damaged.`, remedy, { cause });
  }
}

/** @param {string} folder of the run */
async function filesIn(folder) {
  return readdir(path.join(folder, FOLDER)).catch(() => /** @type {string[]} */ ([]));
}

/** @param {TrialName} which */
function fileStart({ benchmark, case: id, round }) {
  return `${benchmark}.${id}-${round}-`;
}

/** @param {HistoryName} which */
function fileName(which) {
  return `${fileStart(which)}${which.name}.jsonl.gz`;
}
