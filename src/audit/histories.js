/**
 * The folder `histories` of a run: what worked beside the writers of a trial recorded, one operation a line, compressed. From these its
 * figures can be counted again.
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { badInput } from '../errors.js';
import { MOST_BYTES, readRegularFile } from '../files.js';
import { writeDurably } from './files.js';

const FOLDER = 'histories';
const ENDING = '.jsonl.gz';

/**
 * @typedef {Object} HistoryName
 * @property {string} benchmark
 * @property {string} case
 * @property {number} round
 * @property {string} name of what recorded it; fit for a file name
 */

/**
 * @param {string} folder of the run
 * @param {HistoryName} which @param {readonly object[]} lines
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function saveHistory(folder, which, lines) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const file = path.join(folder, FOLDER, `${fileStart(which)}${which.name}${ENDING}`);
  await writeDurably(file, 'history', [await promisify(gzip)(text)]);
}

/** Removes the histories of a trial that does not count. @param {string} folder of the run @param {Omit<HistoryName, 'name'>} which */
export async function removeHistories(folder, which) {
  for (const file of await filesIn(folder))
    if (file.startsWith(fileStart(which))) await rm(path.join(folder, FOLDER, file), { force: true });
}

/**
 * @param {string} folder of the run
 * @param {HistoryName} which
 * @returns {Promise<any[] | null>} null: it is not there
 * @throws {UserError} exit status 2: it is damaged
 */
export async function readHistory(folder, which) {
  const name = `${fileStart(which)}${which.name}${ENDING}`;
  if (!(await filesIn(folder)).includes(name)) return null;
  const file = path.join(folder, FOLDER, name);
  try {
    const text = String(
      await promisify(gunzip)(await readRegularFile(file, { mostBytes: MOST_BYTES }), { maxOutputLength: MOST_BYTES }),
    );
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch (error) {
    throw badInput(`${file} is damaged.`, 'Restore the folder from where it was written, or run the benchmark again.', {
      cause: error,
    });
  }
}

/** @param {string} folder of the run */
async function filesIn(folder) {
  return readdir(path.join(folder, FOLDER)).catch(() => /** @type {string[]} */ ([]));
}

/** @param {Omit<HistoryName, 'name'>} which */
function fileStart({ benchmark, case: id, round }) {
  return `${benchmark}.${id}-${round}-`;
}
