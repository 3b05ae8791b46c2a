/**
 * The form of the files of an audit: one line of JSON that says what follows, then bytes. Whoever reads one learns whether it is
 * whole: its length and a digest of the bytes are in that line.
 */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { endianness } from 'node:os';
import path from 'node:path';
import { ExitStatus, UserError } from '../errors.js';
import { makeFolders, readRegularFile } from '../files.js';
import { cleanDocument } from '../untrusted.js';

const NEWLINE = 0x0a;
/** What Node reads at once; a ledger of a million writes has some ten megabytes. */
const MOST_BYTES = 2 ** 31 - 1;
const TOOL = 'sentinel-bench';
const VERSION = 1;

/**
 * Written and on disk when the promise resolves; nobody ever sees a part of it.
 *
 * @param {string} file its folder is made when missing
 * @param {string} kind what it is, such as `ledger`
 * @param {Record<string, unknown>} header
 * @param {Buffer} bytes
 * @throws {UserError} exit status 3: it cannot be written
 */
export async function writeAuditFile(file, kind, header, bytes) {
  const first = {
    format: `${TOOL}/${kind}@${VERSION}`,
    bytes: bytes.length,
    sha256: digest(bytes),
    endianness: endianness(),
    ...header,
  };
  const folder = path.dirname(file);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    makeFolders(folder);
    try {
      await writeThrough(temporary, [Buffer.from(`${JSON.stringify(first)}\n`), bytes]);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  } catch (error) {
    const { code, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
    // Only what the system refused; a defect of this program is not the user's to mend.
    if (syscall === undefined) throw error;
    const message = `The ${kind} of the audit cannot be written to ${file} (${code}).`;
    throw new UserError(message, 'Make room, or choose another folder with --out.', ExitStatus.environment, {
      cause: error,
    });
  }
}

/**
 * @param {string} file
 * @param {string} kind
 * @returns {Promise<{header: Record<string, unknown>, bytes: ArrayBuffer}>} `bytes`: a piece of memory of their own
 * @throws {UserError} exit status 2: it cannot be read, or is not a whole file of this kind and version
 */
export async function readAuditFile(file, kind) {
  const content = await readRegularFile(file, { mostBytes: MOST_BYTES }).catch((error) => {
    const what = error.code === 'ENOTFILE' ? 'is not a regular file' : `cannot be read (${error.code})`;
    throw damaged(file, what, error);
  });
  const newline = content.indexOf(NEWLINE);
  const header = cleanDocument(parseHeader(content.subarray(0, Math.max(0, newline))));
  const version = new RegExp(`^${TOOL}/${kind}@(\\d+)$`).exec(String(header?.format))?.[1];
  if (!header || version === undefined) throw damaged(file, `is not a ${kind} of sentinel-bench`);
  if (Number(version) !== VERSION) {
    throw new UserError(
      `${file} has version ${version} of the format; this sentinel-bench reads version ${VERSION}.`,
      'Read it with the sentinel-bench that wrote it.',
      ExitStatus.badInput,
    );
  }
  const length = content.length - newline - 1;
  if (length !== header.bytes) throw damaged(file, `has ${length} bytes of content where ${header.bytes} were written`);
  const bytes = content.buffer.slice(content.byteOffset + newline + 1, content.byteOffset + content.length);
  if (digest(Buffer.from(bytes)) !== header.sha256) throw damaged(file, 'was changed since it was written');
  if (header.endianness !== endianness()) throw damaged(file, 'was written by a machine with another order of bytes');
  return { header, bytes: /** @type {ArrayBuffer} */ (bytes) };
}

/**
 * @param {string} file
 * @param {string} what is wrong with it
 * @param {unknown} [cause]
 */
export function damaged(file, what, cause) {
  return new UserError(
    `${file} ${what}.`,
    'Restore the folder from where it was written, or run the benchmark again.',
    ExitStatus.badInput,
    { cause },
  );
}

/** @param {Buffer} bytes */
function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * @param {Buffer} line
 * @returns {Record<string, unknown> | null} null: no JSON object
 */
function parseHeader(line) {
  try {
    const header = JSON.parse(line.toString());
    return typeof header === 'object' ? header : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} file
 * @param {Buffer[]} pieces
 */
async function writeThrough(file, pieces) {
  const handle = await open(file, 'w');
  try {
    for (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The name of a new file is on disk only when its folder is.
 *
 * @param {string} folder
 */
async function syncFolder(folder) {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
