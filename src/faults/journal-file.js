/**
 * The files of journals: JSON lines, appended and synced one by one. The first line names the stack. Then `{"n": 1, "undo": step}` notes a
 * step to undo, and `{"done": 1}` that it was undone. A file's name holds its owner: `<made>-<random>.<pid>.<start time>.<host>.jsonl`. A
 * recovery claims the file of a dead process by renaming it; only one of several recoveries can succeed.
 * @typedef {{version: number, owner: Owner, backend: BackendName, identity: string, place: string, deployment?: AttachedDeployment,
 *   machine?: {agent: string, network: string | null}}} Header place: where stacks of this backend are looked for; the stack is only found there;
 *   deployment: external only; machine: of an agent, instead of a deployment
 * @typedef {Object} AttachedDeployment how to attach again
 * @property {string} masterName @property {true} [endsWithRun] agents had started it for the run
 * @property {NodeInfo[]} nodes with their ids at that time @property {string} [keyPrefix]
 * @property {string} [username] @property {string} [sentinelUsername]
 * @property {boolean} password one is needed, and is not here @property {boolean} sentinelPassword likewise
 * @property {{ca?: string, serverName?: string, insecure?: boolean, clientCertificate: boolean}} [tls] without the client's key
 * @property {Record<string, string>} [commands] those that undo
 * @typedef {{n: number, step: UndoStep}} Pending
 * @typedef {{path: string, holder: Owner}} JournalFile holder: the process that may act on it
 * @typedef {{append: (line: object) => Promise<void>, close: () => Promise<void>}} JournalWriter append: resolves when the line is on the
 *   disk; lines keep their order; close: idempotent
 * @import { Owner } from '../stacks/records/owners.js'
 * @import { BackendName, NodeInfo } from '../stacks/types.js'
 * @import { UndoStep } from './types.js'
 * @import { FileHandle } from 'node:fs/promises'
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { OWN_KEY } from '../clients/types.js';
import { codeOf, UserError } from '../errors.js';
import { syncFolder } from '../files.js';
import { once } from '../once.js';
import { readOwnFile } from '../private-files.js';
import { UNDOING_ACTIONS } from '../stacks/actions.js';
import { nameOfParts, OwnerSchema, ownerLives, partsOfName, thisOwner } from '../stacks/records/owners.js';
import { isStateThere, makeStateFolder, stateFolder } from '../stacks/records/records.js';
import { SENTENCES } from './sentences.js';

const VERSION = 1;

const HeaderSchema = z.looseObject({
  version: z.literal(VERSION),
  owner: OwnerSchema,
  backend: z.enum(['docker', 'local', 'external']),
  identity: z.string(),
  place: z.string(),
});

/** A newer version may have steps that this one cannot undo. Any other prefix of keys would remove some that are not ours. */
const StepSchema = z.looseObject({
  kind: z.enum(['act', 'slow', 'call', 'network', 'heal', 'keys', 'config', 'sentinel', 'settings']),
  action: z.enum(UNDOING_ACTIONS).optional(),
  prefix: z.string().regex(OWN_KEY).optional(),
});

const LineSchema = z.union([z.object({ n: z.int(), undo: StepSchema }), z.object({ done: z.int() })]);

/** Its first line is on disk when it resolves. @param {Omit<Header, 'version' | 'owner'>} about @throws {UserError} the folder cannot be written */
export async function createJournalFile(about) {
  const { path, holder } = newJournalFile();
  try {
    await makeJournalFolder();
    const writer = writerOf(await open(path, 'ax', 0o600));
    try {
      await writer.append({ version: VERSION, owner: holder, ...about });
      await syncFolder(dirname(path));
    } catch (error) {
      await writer.close();
      await rm(path, { force: true });
      throw error;
    }
    return { path, holder, writer };
  } catch (error) {
    throw error instanceof UserError ? error : cannotWrite(error);
  }
}

/** @param {unknown} error */
function cannotWrite(error) {
  return SENTENCES.problem('journal-not-written', { folder: journalFolder(), code: codeOf(error) }, { cause: error });
}

/** @param {FileHandle} handle opened for appending @returns {JournalWriter} */
function writerOf(handle) {
  /** @type {Promise<void>} */
  let last = Promise.resolve();
  let broken = /** @type {unknown} */ (null);

  /** @param {object} line */
  async function write(line) {
    if (broken) throw cannotWrite(broken);
    const { size } = await handle.stat();
    try {
      await handle.appendFile(`${JSON.stringify(line)}\n`);
      await handle.sync();
    } catch (error) {
      // Only the last line may be incomplete.
      await handle.truncate(size).catch(() => {
        broken = error;
      });
      throw cannotWrite(error);
    }
  }

  return {
    append(line) {
      const written = last.then(() => write(line));
      last = written.catch(() => {});
      return written;
    },
    close: once(() => last.then(() => handle.close())),
  };
}

/**
 * @param {JournalFile} file
 * @returns {Promise<{header: Header, pending: Pending[]} | null>} pending: oldest first; null: its first line is incomplete, so nothing was
 *   changed @throws {UserError} it is damaged or of an unknown version
 */
export async function readJournalFile({ path }) {
  const text = readOwnFile(path) ?? '';
  // An incomplete last line was cut off by a crash, before the change that it is about.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole === '') return null;
  try {
    const [first, ...rest] = whole.trimEnd().split('\n');
    const header = /** @type {Header} */ (HeaderSchema.parse(JSON.parse(first)));
    const lines = rest.map((line) => LineSchema.parse(JSON.parse(line)));
    const done = new Set(lines.flatMap((line) => ('done' in line ? line.done : [])));
    const pending = lines.flatMap((line) =>
      'undo' in line && !done.has(line.n) ? [{ n: line.n, step: /** @type {UndoStep} */ (line.undo) }] : [],
    );
    return { header, pending };
  } catch (error) {
    throw SENTENCES.problem('journal-not-understood', { path }, { cause: error });
  }
}

/** @param {JournalFile} file of this process @returns {Promise<JournalWriter>} continues after the last whole line */
export async function reopenJournalFile({ path }) {
  const handle = await open(path, 'a', 0o600);
  const bytes = readFileSync(path);
  await handle.truncate(bytes.lastIndexOf('\n') + 1);
  return writerOf(handle);
}

const EXTENSION = '.jsonl';

let lastMade = 0;

/** @returns the folder of this user's journals */
export function journalFolder() {
  return stateFolder('undo');
}

/** @returns {JournalFile} for this process; the file does not exist yet */
function newJournalFile() {
  const holder = thisOwner();
  // Two files made within a millisecond keep their order.
  lastMade = Math.max(Date.now(), lastMade + 1);
  const made = `${lastMade.toString(36)}-${randomBytes(6).toString('hex')}`;
  return { path: join(journalFolder(), nameFor(made, holder)), holder };
}

/** @returns {JournalFile[]} of this user, newest first @throws {UserError} the folder is open to other users */
export function listJournalFiles() {
  if (!isStateThere('undo')) return [];
  const names = readdirSync(journalFolder()).filter((name) => name.endsWith(EXTENSION));
  // By when they were made.
  names.sort((a, b) => Number.parseInt(b, 36) - Number.parseInt(a, 36) || b.localeCompare(a));
  return names.flatMap((name) => {
    const [, pid, startTime, host] = partsOfName(name.slice(0, -EXTENSION.length));
    // A file that is not ours.
    if (pid === undefined || !/^\d+$/.test(pid) || host === undefined) return [];
    const holder = { pid: Number(pid), startTime: startTime || null, host };
    return { path: join(journalFolder(), name), holder };
  });
}

/** @param {JournalFile} file @returns the process that may act on it still runs, or that cannot be told from this host */
export function holderLives({ holder }) {
  return ownerLives(holder);
}

/** @param {JournalFile} file @returns its holder did not write it */
export function isClaimed({ path, holder }) {
  try {
    const [first] = String(readOwnFile(path)).split('\n', 1);
    return JSON.parse(first).owner.pid !== holder.pid;
  } catch {
    // Removed since, or too new to have its first line: no recovery uses it.
    return false;
  }
}

/** @param {JournalFile} file of a dead process @returns {Promise<JournalFile | null>} null: another recovery was quicker */
export const claimJournalFile = (file) => renameFor(file, thisOwner());

/** Gives it back to its dead holder, for the next recovery. @param {JournalFile} claimed @param {JournalFile} file before it was claimed */
export async function releaseJournalFile(claimed, file) {
  await renameFor(claimed, file.holder);
}

/** @param {string} path */
export async function removeJournalFile(path) {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/** @param {JournalFile} file @param {Owner} holder @returns {Promise<JournalFile | null>} null: no file has this name any more */
async function renameFor({ path }, holder) {
  const [made] = basename(path).split('.', 1);
  const renamed = join(dirname(path), nameFor(made, holder));
  try {
    await rename(path, renamed);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  return { path: renamed, holder };
}

/** @param {string} made @param {Owner} holder */
function nameFor(made, { pid, startTime, host }) {
  return nameOfParts([made, pid, startTime ?? '', host]) + EXTENSION;
}

/** @throws {UserError} other users may write to what is there */
export async function makeJournalFolder() {
  const folder = journalFolder();
  const first = makeStateFolder('undo');
  if (first === undefined) return;
  // A new folder is an entry in the folder above it.
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}
