/**
 * The folder `audit` of a run. It has, for each writer of each trial, its ledger (on disk before any node is read) and the readings of the
 * nodes. From these the audit can be repeated at any time.
 *
 * A file is one line of JSON, then bytes. The line has the length and a digest of the bytes, so a damaged file is noticed.
 */
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { endianness } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { badInput, UserError } from '../errors.js';
import { makeFolders, readRegularFile, syncFolder, writeWhole } from '../files.js';
import { convertAuditFacts } from '../result/earlier/convert.js';
import { AuditDocument } from '../result/failure-schema.js';
import { cleanDocument } from '../untrusted.js';
import { openLedger } from './ledger.js';

/**
 * @import { Ledger } from './ledger.js'
 * @import { Readings, WriterFacts } from './verdict.js'
 */

const NEWLINE = 0x0a;
/** The most that Node reads at once; a ledger of a million writes has about ten megabytes. */
const MOST_BYTES = 2 ** 31 - 1;
const TOOL = 'sentinel-bench';
const VERSION = 1;

/**
 * The file is on disk when the promise resolves. No reader ever sees a part of it.
 * @param {string} file its folder is made if it is missing
 * @param {string} kind what it is, such as `ledger`
 * @param {Record<string, unknown>} header @param {Buffer} bytes
 * @throws {UserError} exit status 3: it cannot be written
 */
async function writeAuditFile(file, kind, header, bytes) {
  const first = {
    format: `${TOOL}/${kind}@${VERSION}`,
    bytes: bytes.length,
    sha256: digest(bytes),
    endianness: endianness(),
    ...header,
  };
  await writeDurably(file, kind, [Buffer.from(`${JSON.stringify(first)}\n`), bytes]);
}

/**
 * The file is on disk when the promise resolves.
 * @param {string} file its folder is made if it is missing
 * @param {string} kind what it is, such as `ledger`
 * @param {Buffer[]} pieces
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function writeDurably(file, kind, pieces) {
  const folder = path.dirname(file);
  try {
    makeFolders(folder);
    await writeWhole(file, pieces, { sync: true });
    await syncFolder(folder);
  } catch (error) {
    const { code, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
    // Only errors of the system: a defect of this program is not for the user to solve.
    if (syscall === undefined) throw error;
    const message = `The ${kind} of the audit cannot be written to ${file} (${code}).`;
    throw new UserError(message, 'Make room, or choose another folder with --out.', { cause: error });
  }
}

/**
 * @param {string} file @param {string} kind
 * @returns {Promise<{header: Record<string, unknown>, bytes: ArrayBuffer}>} `bytes`: a copy
 * @throws {UserError} exit status 2: it cannot be read, is damaged, or has another kind or version
 */
async function readAuditFile(file, kind) {
  const content = await readRegularFile(file, { mostBytes: MOST_BYTES }).catch((error) => {
    const what = error.code === 'ENOTFILE' ? 'is not a regular file' : `cannot be read (${error.code})`;
    throw damaged(file, what, error);
  });
  return parseAuditFile(content, file, kind);
}

/** @param {Buffer} content @param {string} file where it is from, for errors @param {string} kind */
function parseAuditFile(content, file, kind) {
  const newline = content.indexOf(NEWLINE);
  const header = cleanDocument(parseHeader(content.subarray(0, Math.max(0, newline))));
  const version = new RegExp(`^${TOOL}/${kind}@(\\d+)$`).exec(String(header?.format))?.[1];
  if (!header || version === undefined) throw damaged(file, `is not a ${kind} of sentinel-bench`);
  if (Number(version) !== VERSION) {
    throw badInput(
      `${file} has version ${version} of the format; this sentinel-bench reads version ${VERSION}.`,
      'Read it with the sentinel-bench that wrote it.',
    );
  }
  const length = content.length - newline - 1;
  if (length !== header.bytes) throw damaged(file, `has ${length} bytes of content where ${header.bytes} were written`);
  const bytes = content.buffer.slice(content.byteOffset + newline + 1, content.byteOffset + content.length);
  if (digest(Buffer.from(bytes)) !== header.sha256) throw damaged(file, 'was changed since it was written');
  if (header.endianness !== endianness()) throw damaged(file, 'was written by a machine with another byte order');
  return { header, bytes: /** @type {ArrayBuffer} */ (bytes) };
}

/** @param {string} file @param {string} what is wrong with it @param {unknown} [cause] */
function damaged(file, what, cause) {
  const remedy = 'Restore the folder from where it was written, or run the benchmark again.';
  return badInput(`${file} ${what}.`, remedy, { cause });
}

/** @param {Buffer} bytes */
function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @param {Buffer} line @returns {Record<string, unknown> | null} null: no JSON object */
function parseHeader(line) {
  try {
    const header = JSON.parse(line.toString());
    return typeof header === 'object' ? header : null;
  } catch {
    return null;
  }
}

/**
 * @typedef {Pick<WriterFacts, 'case' | 'round' | 'writer'> & {benchmark: string}} WriterName one writer of one trial
 *
 * @typedef {Object} SavedWriter one writer of one trial, read from its files
 * @property {string} name of the files, without the extension
 * @property {string} benchmark
 * @property {WriterFacts} facts
 * @property {Ledger} ledger with a capacity of `facts.writes`
 * @property {Readings | null} readings null: the nodes were not read, or the readings were not written
 */

const FOLDER = 'audit';
const LEDGER = 'ledger';
const READINGS = 'readings';

/** Infinity is null in JSON. */
const endless = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.POSITIVE_INFINITY);

const Writer = z.object({
  benchmark: z.string(),
  ...AuditDocument.pick({
    case: true,
    round: true,
    writer: true,
    errors: true,
    firstError: true,
    moves: true,
    library: true,
  }).shape,
  writes: z.number().int().nonnegative(),
  rate: z.number().positive(),
  appends: z.boolean().optional(),
  waits: z.boolean(),
  faultFromMs: endless,
  faultToMs: endless,
});

const Held = z.object({ id: z.string(), surplus: z.number().int().nonnegative(), primary: z.boolean() });

const HeldByNodes = z.object({
  writes: z.number().int().nonnegative(),
  primaryId: z.string(),
  nodes: z.array(Held),
  former: Held.extend({ keys: z.number().int().nonnegative() }).nullable(),
});

/**
 * The ledger is on disk when the promise resolves. Await it before the nodes are read.
 * @param {string} folder of the run
 * @param {WriterFacts & {benchmark: string}} facts @param {Ledger} ledger complete
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function saveLedger(folder, facts, ledger) {
  const { writes } = facts;
  const { ticks, states, nodes, waited, flags, capacity } = ledger;
  if (writes > capacity) throw new RangeError(`a ledger of ${capacity} writes cannot hold ${writes}`);
  const bytes = Buffer.concat(
    [ticks, states, nodes, waited, flags].map((part) =>
      Buffer.from(part.buffer, part.byteOffset, writes * part.BYTES_PER_ELEMENT),
    ),
  );
  await writeAuditFile(fileOf(folder, facts, LEDGER), LEDGER, headerOf(facts), bytes);
}

/** @param {WriterFacts & {benchmark: string}} facts further fields are ignored */
function headerOf(facts) {
  const fields = /** @type {(keyof typeof facts)[]} */ (Object.keys(Writer.shape));
  return Object.fromEntries(fields.map((field) => [field, facts[field]]));
}

/** Removes the files of a writer whose trial does not count. @param {string} folder of the run @param {WriterName} facts */
export async function removeWriter(folder, facts) {
  // A ledger alone can be read; readings alone cannot.
  for (const kind of [READINGS, LEDGER]) await rm(fileOf(folder, facts, kind), { force: true });
}

/**
 * @param {string} folder of the run
 * @param {Pick<WriterFacts, 'case' | 'round' | 'writer' | 'writes'> & {benchmark: string}} facts @param {Readings} found
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function saveReadings(folder, facts, { readings, primaryId, former = null }) {
  const header = {
    writes: facts.writes,
    primaryId,
    nodes: [...readings].map(([id, { surplus, primary }]) => ({ id, surplus, primary })),
    former: former && {
      id: former.id,
      surplus: former.reading.surplus,
      primary: former.reading.primary,
      keys: former.reading.found.length,
    },
  };
  const found = [...readings.values(), ...(former ? [former.reading] : [])].map((reading) => reading.found);
  await writeAuditFile(fileOf(folder, facts, READINGS), READINGS, header, Buffer.concat(found));
}

/**
 * @param {string} folder of a run
 * @returns {Promise<string[]>} names of the files, for {@link loadWriter}; empty: the run has no audit
 * @throws {UserError} exit status 2: there are readings without their ledger
 */
export async function listWriters(folder) {
  const place = path.join(folder, FOLDER);
  const files = await readdir(place).catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code)) return [];
    throw damaged(place, `cannot be read (${error.code})`, error);
  });
  const named = (/** @type {string} */ kind) =>
    files.filter((file) => file.endsWith(`.${kind}`)).map((file) => file.slice(0, -kind.length - 1));
  const names = new Set(named(LEDGER));
  const alone = named(READINGS).find((name) => !names.has(name));
  if (alone !== undefined) throw damaged(path.join(place, `${alone}.${LEDGER}`), 'is missing');
  return [...names].sort();
}

/**
 * @param {string} folder of a run
 * @param {string} name one of {@link listWriters}
 * @returns {Promise<SavedWriter>}
 * @throws {UserError} exit status 2: a file is damaged
 */
export async function loadWriter(folder, name) {
  const file = path.join(folder, FOLDER, `${name}.${LEDGER}`);
  const saved = ledgerOf(await readAuditFile(file, LEDGER), file, name);
  return { name, ...saved, readings: await loadReadings(folder, name, saved.facts.writes) };
}

/**
 * @param {{header: Record<string, unknown>, bytes: ArrayBuffer}} content @param {string} file where it is from, for errors
 * @param {string} name that it has to have
 */
function ledgerOf({ header, bytes }, file, name) {
  const { benchmark, ...facts } = parse(file, Writer, header);
  if (nameOf({ benchmark, ...facts }) !== name)
    throw damaged(file, `is the ledger of ${nameOf({ benchmark, ...facts })}`);
  const ledger = openLedger(bytes);
  if (ledger.capacity !== facts.writes) throw damaged(file, `is not a ledger of ${facts.writes} writes`);
  const { benchmark: convertedName, ...converted } = convertAuditFacts({ benchmark, ...facts });
  return { benchmark: convertedName, facts: converted, ledger };
}

/**
 * @param {Buffer} content of a ledger's file that came from elsewhere
 * @param {WriterName} which it has to be
 * @returns {Ledger} with a capacity of its writes
 * @throws {UserError} exit status 2: it is damaged, or another one
 */
export function ledgerIn(content, which) {
  const name = nameOf(which);
  return ledgerOf(parseAuditFile(content, name, LEDGER), name, name).ledger;
}

/**
 * Puts a ledger that came from elsewhere where {@link saveLedger} would; a ledger that is there stays. On disk when it resolves.
 * @param {string} folder of the run
 * @param {Buffer} content of its file
 * @param {WriterName} which it has to be
 * @returns {Promise<boolean>} false: it was there
 * @throws {UserError} exit status 2: it is damaged, or another one; 3: it cannot be written
 */
export async function placeLedger(folder, content, which) {
  ledgerIn(content, which);
  if ((await listWriters(folder)).includes(nameOf(which))) return false;
  await writeDurably(fileOf(folder, which, LEDGER), LEDGER, [content]);
  return true;
}

/** @param {string} folder @param {string} name @param {number} writes */
async function loadReadings(folder, name, writes) {
  const place = path.join(folder, FOLDER);
  const base = `${name}.${READINGS}`;
  if (!(await readdir(place)).includes(base)) return null;
  const file = path.join(place, base);
  const { header, bytes } = await readAuditFile(file, READINGS);
  const { primaryId, nodes, former, writes: keys } = parse(file, HeldByNodes, header);
  if (keys !== writes) throw damaged(file, `has ${keys} writes, but its ledger has ${writes}`);
  if (bytes.byteLength !== nodes.length * writes + (former?.keys ?? 0))
    throw damaged(file, 'does not match the nodes that it names');
  if (!nodes.some(({ id }) => id === primaryId)) throw damaged(file, `lacks the reading of ${primaryId}`);
  return {
    primaryId,
    readings: new Map(
      nodes.map(({ id, surplus, primary }, index) => [
        id,
        { found: new Uint8Array(bytes, index * writes, writes), surplus, primary },
      ]),
    ),
    former: former && {
      id: former.id,
      reading: {
        found: new Uint8Array(bytes, nodes.length * writes, former.keys),
        surplus: former.surplus,
        primary: former.primary,
      },
    },
  };
}

/** @param {string} folder of the run @param {WriterName} which */
export function ledgerFile(folder, which) {
  return fileOf(folder, which, LEDGER);
}

/** @param {string} folder @param {WriterName} facts @param {string} kind */
function fileOf(folder, facts, kind) {
  return path.join(folder, FOLDER, `${nameOf(facts)}.${kind}`);
}

/** Ids of cases are unique within their benchmark only. @param {WriterName} facts */
function nameOf({ benchmark, case: id, round, writer }) {
  return `${benchmark}.${id}-${round}-${encodeURIComponent(writer)}`;
}

/** @template {z.ZodType} T @param {string} file @param {T} schema @param {unknown} header */
function parse(file, schema, header) {
  const { data, error } = schema.safeParse(header);
  if (error) throw damaged(file, `is damaged at ${error.issues[0].path.join('.')}: ${error.issues[0].message}`, error);
  return data;
}
