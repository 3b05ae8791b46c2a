/**
 * The folder `audit` of a run has the ledger of each writer of each trial, written before any node is read, and what was read from the nodes.
 * The audit can be repeated from these files. Each begins with a line of JSON: the length and a digest of the bytes that follow.
 * @import { Ledger } from './ledger.js'
 * @import { NodeReading } from './value.js'
 * @import { Readings, WriterFacts } from './verdict.js'
 * @typedef {Pick<WriterFacts, 'case' | 'round' | 'writer'> & {benchmark: string}} WriterName one writer of one trial
 * @typedef {Object} SavedWriter
 * @property {string} name of the files, without the extension
 * @property {string} benchmark @property {WriterFacts} facts
 * @property {Ledger} ledger with a capacity of `facts.writes`
 * @property {Readings | null} readings null: the nodes were not read, or the readings were not written
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

const NEWLINE = 0x0a;
/** The most that Node reads at once; a ledger of a million writes has about ten megabytes. */
const MOST_BYTES = 2 ** 31 - 1;
const VERSION = 1;
const FOLDER = 'audit';
const LEDGER = 'ledger';
const READINGS = 'readings';

const whole = z.number().int().nonnegative();
/** Infinity is null in JSON. */
const endless = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.POSITIVE_INFINITY);

/** What the first line of a ledger says, beside what that of every file says. */
const Writer = z.object({
  benchmark: z.string(),
  ...AuditDocument.pick({ case: true, round: true, writer: true }).shape,
  ...AuditDocument.pick({ errors: true, firstError: true, moves: true, library: true }).shape,
  writes: whole,
  rate: z.number().positive(),
  appends: z.boolean().optional(),
  waits: z.boolean(),
  faultFromMs: endless,
  faultToMs: endless,
});

const Held = z.object({ id: z.string(), surplus: whole, primary: z.boolean() });

/** The same of readings. */
const HeldByNodes = z.object({
  writes: whole,
  primaryId: z.string(),
  nodes: z.array(Held),
  former: Held.extend({ keys: whole }).nullable(),
});

/**
 * The file is on disk when the promise resolves. No reader ever sees a part of it. @param {string} file its folder is made if it is missing
 * @param {string} kind such as `ledger` @param {Buffer[]} pieces @throws {UserError} exit status 3: it cannot be written
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

/** @param {string} file @param {string} kind @param {Record<string, unknown>} header @param {readonly Uint8Array[]} contents */
async function writeAuditFile(file, kind, header, contents) {
  const bytes = Buffer.concat(contents);
  const format = `sentinel-bench/${kind}@${VERSION}`;
  const first = { format, bytes: bytes.length, sha256: digest(bytes), endianness: endianness(), ...header };
  await writeDurably(file, kind, [Buffer.from(`${JSON.stringify(first)}\n`), bytes]);
}

/**
 * @template {z.ZodType} T @param {string} file @param {string} kind @param {T} schema of the header
 * @returns {Promise<{header: z.infer<T>, bytes: ArrayBuffer}>} bytes: a copy
 * @throws {UserError} exit status 2: it cannot be read, is damaged, or has another kind or version
 */
async function readAuditFile(file, kind, schema) {
  const content = await readRegularFile(file, { mostBytes: MOST_BYTES }).catch((error) => {
    const what = error.code === 'ENOTFILE' ? 'is not a regular file' : `cannot be read (${error.code})`;
    throw damaged(file, what, error);
  });
  return parseAuditFile(content, file, kind, schema);
}

/** @template {z.ZodType} T @param {Buffer} content @param {string} file for errors @param {string} kind @param {T} schema */
function parseAuditFile(content, file, kind, schema) {
  const newline = content.indexOf(NEWLINE);
  const first = cleanDocument(parseHeader(content.subarray(0, Math.max(0, newline))));
  const version = new RegExp(`^sentinel-bench/${kind}@(\\d+)$`).exec(String(first?.format))?.[1];
  if (!first || version === undefined) throw damaged(file, `is not a ${kind} of sentinel-bench`);
  if (Number(version) !== VERSION) {
    const what = `${file} has version ${version} of the format; this sentinel-bench reads version ${VERSION}.`;
    throw badInput(what, 'Read it with the sentinel-bench that wrote it.');
  }
  const bytes = content.buffer.slice(content.byteOffset + newline + 1, content.byteOffset + content.length);
  const { byteLength: length } = bytes;
  if (length !== first.bytes) throw damaged(file, `has ${length} bytes of content where ${first.bytes} were written`);
  if (digest(Buffer.from(bytes)) !== first.sha256) throw damaged(file, 'was changed since it was written');
  if (first.endianness !== endianness()) throw damaged(file, 'was written by a machine with another byte order');
  const { data, error } = schema.safeParse(first);
  if (error) throw damaged(file, `is damaged at ${error.issues[0].path.join('.')}: ${error.issues[0].message}`, error);
  return { header: data, bytes: /** @type {ArrayBuffer} */ (bytes) };
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

/** @param {string} file @param {string} what is wrong with it @param {unknown} [cause] */
function damaged(file, what, cause) {
  const remedy = 'Restore the folder from where it was written, or run the benchmark again.';
  return badInput(`${file} ${what}.`, remedy, { cause });
}

/** @param {Buffer} bytes */
function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Ids of cases are unique within their benchmark only. @param {WriterName} which */
function nameOf({ benchmark, case: id, round, writer }) {
  return `${benchmark}.${id}-${round}-${encodeURIComponent(writer)}`;
}

/** @param {string} folder of the run @param {string} name of the files @param {string} kind */
function fileNamed(folder, name, kind) {
  return path.join(folder, FOLDER, `${name}.${kind}`);
}

/** @param {string} folder of the run @param {WriterName} which */
export function ledgerFile(folder, which) {
  return fileNamed(folder, nameOf(which), LEDGER);
}

/**
 * The ledger is on disk when the promise resolves. Await it before the nodes are read.
 * @param {string} folder of the run @param {WriterFacts & {benchmark: string}} facts further fields are ignored
 * @param {Ledger} ledger complete @throws {UserError} exit status 3: it cannot be written
 */
export async function saveLedger(folder, facts, { ticks, states, nodes, waited, flags, capacity }) {
  const { writes } = facts;
  if (writes > capacity) throw new RangeError(`a ledger of ${capacity} writes cannot hold ${writes}`);
  const fields = /** @type {(keyof typeof facts)[]} */ (Object.keys(Writer.shape));
  const header = Object.fromEntries(fields.map((field) => [field, facts[field]]));
  const parts = [ticks, states, nodes, waited, flags];
  const bytes = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, writes * part.BYTES_PER_ELEMENT));
  await writeAuditFile(ledgerFile(folder, facts), LEDGER, header, bytes);
}

/**
 * @param {string} folder of the run @param {WriterName & Pick<WriterFacts, 'writes'>} facts @param {Readings} found
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function saveReadings(folder, facts, { readings, primaryId, former = null }) {
  /** @param {string} id @param {NodeReading} reading */
  const held = (id, { surplus, primary }) => ({ id, surplus, primary });
  const header = {
    writes: facts.writes,
    primaryId,
    nodes: [...readings].map(([id, reading]) => held(id, reading)),
    former: former && { ...held(former.id, former.reading), keys: former.reading.found.length },
  };
  const found = [...readings.values(), ...(former ? [former.reading] : [])].map((reading) => reading.found);
  await writeAuditFile(fileNamed(folder, nameOf(facts), READINGS), READINGS, header, found);
}

/** Removes the files of a writer whose trial does not count. @param {string} folder of the run @param {WriterName} which */
export async function removeWriter(folder, which) {
  // A ledger alone can be read; readings alone cannot.
  for (const kind of [READINGS, LEDGER]) await rm(fileNamed(folder, nameOf(which), kind), { force: true });
}

/**
 * @param {string} folder of a run @returns {Promise<string[]>} names of the files, for {@link loadWriter}; empty: the run has no audit
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
  if (alone !== undefined) throw damaged(fileNamed(folder, alone, LEDGER), 'is missing');
  return [...names].sort();
}

/**
 * @param {string} folder of a run @param {string} name one of {@link listWriters} @returns {Promise<SavedWriter>}
 * @throws {UserError} exit status 2: a file is damaged
 */
export async function loadWriter(folder, name) {
  const file = fileNamed(folder, name, LEDGER);
  const saved = ledgerOf(await readAuditFile(file, LEDGER, Writer), file, name);
  return { name, ...saved, readings: await loadReadings(folder, name, saved.facts.writes) };
}

/**
 * @param {{header: z.infer<typeof Writer>, bytes: ArrayBuffer}} content @param {string} file where it is from, for errors
 * @param {string} name that it has to have
 */
function ledgerOf({ header, bytes }, file, name) {
  if (nameOf(header) !== name) throw damaged(file, `is the ledger of ${nameOf(header)}`);
  const ledger = openLedger(bytes);
  if (ledger.capacity !== header.writes) throw damaged(file, `is not a ledger of ${header.writes} writes`);
  const { benchmark, ...facts } = convertAuditFacts(header);
  return { benchmark, facts, ledger };
}

/** @param {string} folder @param {string} name @param {number} writes @returns {Promise<Readings | null>} */
async function loadReadings(folder, name, writes) {
  const file = fileNamed(folder, name, READINGS);
  if (!(await readdir(path.dirname(file))).includes(path.basename(file))) return null;
  const { header, bytes } = await readAuditFile(file, READINGS, HeldByNodes);
  const { primaryId, nodes, former } = header;
  if (header.writes !== writes) throw damaged(file, `has ${header.writes} writes, but its ledger has ${writes}`);
  if (bytes.byteLength !== nodes.length * writes + (former?.keys ?? 0))
    throw damaged(file, 'does not match the nodes that it names');
  if (!nodes.some(({ id }) => id === primaryId)) throw damaged(file, `lacks the reading of ${primaryId}`);
  /** @param {z.infer<typeof Held>} held @param {number} index @param {number} keys */
  const readingOf = ({ surplus, primary }, index, keys) => {
    return { found: new Uint8Array(bytes, index * writes, keys), surplus, primary };
  };
  return {
    primaryId,
    readings: new Map(nodes.map((held, index) => [held.id, readingOf(held, index, writes)])),
    former: former && { id: former.id, reading: readingOf(former, nodes.length, former.keys) },
  };
}

/**
 * @param {Buffer} content of a ledger's file that came from elsewhere @param {WriterName} which it has to be
 * @returns {Ledger} with a capacity of its writes @throws {UserError} exit status 2: it is damaged, or another one
 */
export function ledgerIn(content, which) {
  const name = nameOf(which);
  return ledgerOf(parseAuditFile(content, name, LEDGER, Writer), name, name).ledger;
}

/**
 * Puts a ledger that came from elsewhere where {@link saveLedger} would; a ledger that is there stays. On disk when it resolves.
 * @param {string} folder of the run @param {Buffer} content of its file @param {WriterName} which it has to be
 * @returns {Promise<boolean>} false: it was there @throws {UserError} exit status 2: it is damaged, or another one; 3: it cannot be written
 */
export async function placeLedger(folder, content, which) {
  ledgerIn(content, which);
  if ((await listWriters(folder)).includes(nameOf(which))) return false;
  await writeDurably(ledgerFile(folder, which), LEDGER, [content]);
  return true;
}
