/**
 * Reading a result back, whoever wrote it and whatever happened to it since.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ExitStatus, UserError } from '../errors.js';
import { ResultSchema, SCHEMA_ID } from './schema.js';

/** @typedef {import('./schema.js').Result} Result */

const RESULT_FILE = 'result.json';
const [SCHEMA_NAME, SCHEMA_VERSION] = SCHEMA_ID.split('@');

/**
 * @param {string} place a run's folder, or its result.json
 * @returns {Promise<Result>} validated
 * @throws {UserError} exit status 2: there is no such file, or it is no result of this version
 */
export async function readResult(place) {
  const { file, text } = await load(place);
  if (text.trim() === '') throw bad(`${file} is empty.`, 'The run that wrote it did not finish; run it again.');
  const document = parse(file, text);
  checkSchema(file, document);
  const { data, error } = ResultSchema.safeParse(document);
  if (data) return data;
  const [{ path: where, message }] = error.issues;
  throw bad(
    `${file} is damaged at ${jsonPath(where)}: ${message.replace(/\.?$/, '.')}`,
    'Restore the file from where it was written, or run the benchmark again.',
    error,
  );
}

/** @param {string} place */
async function load(place) {
  let file = place;
  try {
    try {
      return { file, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (codeOf(error) !== 'EISDIR') throw error;
      file = path.join(place, RESULT_FILE);
      return { file, text: await readFile(file, 'utf8') };
    }
  } catch (error) {
    throw bad(
      ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
        ? `There is no ${file}.`
        : `${file} cannot be read (${codeOf(error)}).`,
      `Name the folder of a run, such as results/latest, or its ${RESULT_FILE}.`,
      error,
    );
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {unknown}
 */
function parse(file, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    const before = text.slice(0, faultPosition(text, error));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    const what = before.length >= text.trimEnd().length ? 'ends too early' : 'is not JSON';
    throw bad(
      `${file} ${what}, at line ${line}, column ${column}.`,
      'It was cut off or changed; restore it, or run the benchmark again.',
      error,
    );
  }
}

/**
 * @param {string} text
 * @param {unknown} error of parsing it
 * @returns {number} where the text stops being JSON; its length when it ends too early
 */
function faultPosition(text, error) {
  if (!isUnexpectedToken(error)) return Number(/at position (\d+)/.exec(String(error))?.[1] ?? text.length);
  // V8 shows what is around an unexpected token instead of its place: the shortest beginning that has it ends with it.
  let without = 0;
  let having = text.length;
  while (having - without > 1) {
    const middle = (without + having) >> 1;
    if (isUnexpectedToken(parseError(text.slice(0, middle)))) having = middle;
    else without = middle;
  }
  return having - 1;
}

/** @param {string} text */
function parseError(text) {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error;
  }
}

/** @param {unknown} error */
function isUnexpectedToken(error) {
  return error instanceof SyntaxError && error.message.startsWith('Unexpected token');
}

/**
 * @param {string} file
 * @param {unknown} document
 */
function checkSchema(file, document) {
  const id = /** @type {{schema?: unknown} | null} */ (document)?.schema;
  if (id === SCHEMA_ID) return;
  const version = typeof id === 'string' ? new RegExp(`^${SCHEMA_NAME}@(\\d+)$`).exec(id)?.[1] : undefined;
  if (version === undefined) {
    throw bad(`${file} is not a result of sentinel-bench.`, `Name the folder of a run, or its ${RESULT_FILE}.`);
  }
  throw bad(
    `${file} has version ${version} of the result's schema; this sentinel-bench reads version ${SCHEMA_VERSION}.`,
    `Read it with the ${Number(version) > Number(SCHEMA_VERSION) ? 'newer' : 'older'} sentinel-bench that wrote it.`,
  );
}

/** @param {PropertyKey[]} parts */
function jsonPath(parts) {
  const text = parts.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'its top level' : text.replace(/^\./, '');
}

/** @param {unknown} error */
function codeOf(error) {
  return String(/** @type {NodeJS.ErrnoException} */ (error).code);
}

/**
 * @param {string} message
 * @param {string} remedy
 * @param {unknown} [cause]
 */
function bad(message, remedy, cause) {
  return new UserError(message, remedy, ExitStatus.badInput, { cause });
}
