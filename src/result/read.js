/**
 * Reads a result, which may be from another version, damaged, or hostile.
 * @import { ZodType } from 'zod'
 * @import { BenchmarkResult, Result, ResultInParts } from './schema.js'
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { badInput, codeOf, messageOf, UserError } from '../errors.js';
import { readRegularFile } from '../files.js';
import { isHistogram } from '../stats/histogram.js';
import { MIB } from '../units.js';
import { cleanDocument, cleanLine } from '../untrusted.js';
import { convertResult } from './earlier/convert.js';
import { mostDocumentBytes, whyTooMuch } from './limits.js';
import { benchmarkSchemaOf, SCHEMAS, schemaOf } from './schema.js';
import { benchmarkSpans } from './spans.js';

export const RESULT_FILE = 'result.json';
/** The same, compressed by gzip. A run's folder has one of the two. */
export const PACKED_FILE = `${RESULT_FILE}.gz`;

/** @type {Readonly<Record<string, (file: string) => string>>} */
const WHY_NOT = Object.freeze({
  ENOENT: (file) => `There is no ${file}.`,
  ENOTDIR: (file) => `There is no ${file}.`,
  EISDIR: (file) => `${file} is a folder, not a file.`,
  ENOTFILE: (file) => `${file} is not a regular file, but a pipe, a device or a socket.`,
  EACCES: (file) => `${file} may not be read by you (EACCES).`,
});

/**
 * @param {string} place a run's folder, or its result.json, which may be compressed (result.json.gz)
 * @param {ZodType<Result>} schema with what suites add @returns {Promise<Result>} validated; its texts are safe to show
 * @throws {UserError} exit status 2: no such file, or no result that this version can read
 */
export async function readResult(place, schema) {
  return whole(await readResultInParts(place, schema));
}

/**
 * For programs that look at one benchmark after the other, and keep little of it.
 * @param {string} place as for {@link readResult} @param {ZodType<Result>} schema with what suites add
 * @returns {Promise<ResultInParts>} its benchmarks are read and validated each time they are iterated, which throws a UserError like this
 * @throws {UserError} exit status 2: no such file, or no result that this version can read
 */
export async function readResultInParts(place, schema) {
  const { file, bytes } = await load(place);
  const spans = benchmarkSpans(bytes);
  if (spans === null) {
    checkSize(file, [bytes]);
    return checkedResult(file, parse(file, bytes), schema);
  }
  const { list } = spans;
  const rest = Buffer.concat([bytes.subarray(0, list.from), bytes.subarray(list.to)]);
  const items = spans.items.map(({ from, to }) => bytes.subarray(from, to));
  checkSize(file, [rest, ...items]);
  return inParts(file, parse(file, bytes, rest), schema, {
    *[Symbol.iterator]() {
      for (const item of items) yield parse(file, bytes, item);
    },
  });
}

/** @param {ResultInParts} result @returns {Result} */
export function whole(result) {
  return { ...result, benchmarks: [...result.benchmarks] };
}

/**
 * @param {string} file where it is from, for errors @param {unknown} parsed from JSON @param {ZodType<Result>} schema with what suites add
 * @returns {Result} validated; its texts are safe to show @throws {UserError} exit status 2: no result that this version can read
 */
export function checkedResult(file, parsed, schema) {
  const { benchmarks } = /** @type {{benchmarks?: unknown}} */ (parsed ?? {});
  if (!Array.isArray(benchmarks)) return checkedPart(file, ofThisVersion(file, parsed), { schema, at: [] });
  return whole(inParts(file, parsed, schema, benchmarks));
}

/**
 * Validates one benchmark after the other, which takes little memory.
 * @param {string} file @param {unknown} parsed without benchmarks @param {ZodType<Result>} schema @param {Iterable<unknown>} benchmarks @returns {ResultInParts}
 */
function inParts(file, parsed, schema, benchmarks) {
  const withBenchmarks = (/** @type {unknown[]} */ some) =>
    /** @type {{benchmarks: unknown[]}} */ (
      ofThisVersion(file, { .../** @type {object} */ (parsed), benchmarks: some })
    );
  const ofBenchmark = benchmarkSchemaOf(schema);
  const rest = checkedPart(file, withBenchmarks([]), { schema, at: [] });
  return {
    ...rest,
    benchmarks: {
      *[Symbol.iterator]() {
        let index = 0;
        for (const benchmark of benchmarks) {
          const at = ['benchmarks', index++];
          const one = checkedPart(file, withBenchmarks([benchmark]).benchmarks[0], { schema: ofBenchmark, at });
          for (const { where, text } of histogramsOf(one))
            if (!isHistogram(text)) throw damaged(file, [...at, ...where], 'the histogram is invalid or incomplete');
          yield one;
        }
      },
    },
  };
}

/**
 * @template T @param {string} file for errors @param {unknown} document
 * @param {{schema: ZodType<T>, at: PropertyKey[]}} part at: where it is in the whole document @returns {T}
 */
function checkedPart(file, document, { schema, at }) {
  // The schema lists each fault of each item, which takes gigabytes for a long list of wrong ones.
  const first = schema.safeParse(beginning(document));
  const { data, error } = first.error ? first : schema.safeParse(document);
  if (error) throw damaged(file, [...at, ...error.issues[0].path], error.issues[0].message, error);
  return cleanDocument(data);
}

/** Items of each list that are validated before the others. */
const FIRST_ITEMS = 20;

/** @param {unknown} value JSON @returns {unknown} with the first items of each list */
function beginning(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, FIRST_ITEMS).map(beginning);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, beginning(each)]));
}

/** @param {BenchmarkResult} benchmark @returns {{where: PropertyKey[], text: string}[]} */
function histogramsOf({ cases }) {
  return cases.flatMap(({ rounds }, one) =>
    rounds.flatMap(({ histogram, openLoop }, round) => {
      const where = ['cases', one, 'rounds', round];
      const { serviceHistogram, latenessHistogram } = openLoop ?? {};
      const texts = { histogram, serviceHistogram, latenessHistogram };
      const place = (/** @type {string} */ name) => [...where, ...(name === 'histogram' ? [] : ['openLoop']), name];
      return Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : { where: place(name), text }));
    }),
  );
}

/** @param {string} place */
async function load(place) {
  let file = place;
  try {
    if ((await stat(place)).isDirectory()) file = await resultFileIn(place);
    return { file, bytes: await readBytes(file) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (codeOf(error) === 'EFBIG') throw tooMuch(file, TOO_LARGE(), error);
    throw badInput(
      WHY_NOT[codeOf(error)]?.(file) ?? `${file} cannot be read (${codeOf(error)}).`,
      `Name the folder of a run, such as results/latest, or its ${RESULT_FILE}.`,
      { cause: error },
    );
  }
}

/** @param {string} folder @returns {Promise<string>} its result.json; the compressed one if there is only that */
async function resultFileIn(folder) {
  const names = await readdir(folder);
  return path.join(folder, !names.includes(RESULT_FILE) && names.includes(PACKED_FILE) ? PACKED_FILE : RESULT_FILE);
}

/** @param {string} file path or name @returns {boolean} whether a run has its result in a file of this name */
export function isResultFile(file) {
  return [RESULT_FILE, PACKED_FILE].includes(path.basename(file));
}

/** @param {string} file @returns {Promise<Buffer>} unpacked */
async function readBytes(file) {
  const stored = await readRegularFile(file, { mostBytes: mostDocumentBytes() });
  return file.endsWith('.gz') ? unpack(file, stored) : stored;
}

/** @param {string} file @param {readonly Buffer[]} parts that are parsed one after the other @throws {UserError} one is too large or too deep */
function checkSize(file, parts) {
  for (const part of parts) {
    const why = whyTooMuch(part);
    if (why !== null) throw tooMuch(file, why);
  }
}

const CUT_OFF = 'It was cut off or changed; restore it, or run the benchmark again.';
const TOO_LARGE = () => `has more than ${mostDocumentBytes() / MIB} MiB`;

/** @param {string} file @param {string} why as a predicate @param {unknown} [cause] */
function tooMuch(file, why, cause) {
  return badInput(
    `${file} ${why}, which is too much for a result.`,
    `If a run of yours wrote it, add --max-size ${Math.ceil(mostDocumentBytes() / MIB) * 4}m; reading takes about ten times as much memory.`,
    { cause },
  );
}

/** @param {string} file @param {Buffer} bytes @returns {Promise<Buffer>} of a limited size, because a few bytes can unpack to any number */
function unpack(file, bytes) {
  return promisify(gunzip)(bytes, { maxOutputLength: mostDocumentBytes() }).catch((error) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooMuch(file, TOO_LARGE(), error);
    throw badInput(`${file} cannot be unpacked by gzip.`, CUT_OFF, { cause: error });
  });
}

/** @param {string} file @param {Buffer} bytes of the whole file @param {Buffer} [part] what is parsed of it; default: all @returns {unknown} */
function parse(file, bytes, part = bytes) {
  // Some editors add a byte order mark.
  const text = part.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') throw badInput(`${file} is empty.`, 'The run that wrote it did not finish; run it again.');
  try {
    return JSON.parse(text);
  } catch (error) {
    // The place of the fault counts in the whole file.
    if (part !== bytes) return parse(file, bytes);
    throw badInput(`${file} is not whole JSON: ${cleanLine(messageOf(error))}.`, CUT_OFF, { cause: error });
  }
}

/**
 * @param {string} file @param {unknown} document @returns {unknown} the document, converted if it has an earlier version
 * @throws {UserError} it is no result, or one of a later version
 */
function ofThisVersion(file, document) {
  const expected = schemaOf({ schema: SCHEMAS.result });
  const schema = schemaOf(document);
  const remedy = `Name the folder of a run, or its ${RESULT_FILE}.`;
  if (schema === null || expected === null) throw badInput(`${file} is not a result of sentinel-bench.`, remedy);
  if (schema.id === expected.id) return document;
  if (schema.name !== expected.name)
    throw badInput(
      `${file} is a document of sentinel-bench, but not a run's result: its schema is ${schema.id}.`,
      remedy,
    );
  if (schema.version > 0 && schema.version < expected.version) return convertResult(document, SCHEMAS.result);
  throw badInput(
    `${file} has version ${schema.version} of the result's schema; this sentinel-bench reads versions 1 to ${expected.version}.`,
    `Read it with the ${schema.version > expected.version ? 'newer' : 'older'} sentinel-bench that wrote it.`,
  );
}

/** @param {PropertyKey[]} parts of a place in a document @returns {string} such as `benchmarks[0].cases[1].rounds` */
export function jsonPath(parts) {
  const text = parts
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      // Names of settings and errors may contain any character.
      return /^[\w-]+$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`;
    })
    .join('');
  return text === '' ? 'its top level' : text.replace(/^\./, '');
}

/** @param {string} file @param {PropertyKey[]} where @param {string} message @param {unknown} [cause] */
function damaged(file, where, message, cause) {
  return badInput(
    `${file} is damaged at ${jsonPath(where)}: ${message.replace(/\.?$/, '.')}`,
    'Restore the file from where it was written, or run the benchmark again.',
    { cause },
  );
}
