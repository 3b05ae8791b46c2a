/**
 * The files of journals: JSON lines, appended and synced one by one. The first line names the stack. Then `{"n": 1, "undo": step}`
 * notes a step to undo, and `{"done": 1}` that it was undone.
 *
 * @typedef {z.infer<typeof HeaderSchema>} Header owner: the process that made the changes; place: where stacks of this backend are looked for, and
 *   the stack is only found there; deployment: external only, how to attach again; machine: of an agent, instead of a deployment
 *
 * @typedef {NonNullable<Header['deployment']>} Deployment endsWithRun: agents had started it for the run; nodes: with their ids at that time; password,
 *   sentinelPassword: one is needed, and is not here; tls: without the client's key; commands: those that undo
 *
 * @typedef {Object} Pending
 * @property {number} n
 * @property {UndoStep} step
 *
 * @typedef {Object} JournalWriter
 * @property {(line: object) => Promise<void>} append resolves when the line is on the disk; lines keep their order
 * @property {() => Promise<void>} close idempotent
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { OWN_KEY } from '../clients/types.js';
import { codeOf, UserError } from '../errors.js';
import { syncFolder } from '../files.js';
import { once } from '../once.js';
import { readOwnFile } from '../private-files.js';
import { UNDOING_ACTIONS, UNDONE_BY_COMMANDS } from '../stacks/actions.js';
import { stillRuns, thisProcess } from '../stacks/processes.js';
import { isStateThere, makeStateFolder, stateFolder } from '../stacks/records.js';

/**
 * @import { Action, BackendName, NodeInfo } from '../stacks/types.js'
 * @import { UndoStep } from './types.js'
 * @import { FileHandle } from 'node:fs/promises'
 */

const VERSION = 1;

const Address = z.object({ host: z.string().min(1), port: z.int().min(1).max(65_535) });
const Settings = z.record(z.string(), z.string());

const HeaderSchema = z.object({
  version: z.literal(VERSION),
  owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable(), host: z.string() }),
  backend: z.enum(['docker', 'local', 'external']),
  identity: z.string(),
  place: z.string(),
  deployment: z
    .object({
      masterName: z.string(),
      endsWithRun: z.literal(true).optional(),
      nodes: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['redis', 'sentinel', 'mariadb']),
          address: Address,
          announced: Address,
        }),
      ),
      keyPrefix: z.string().optional(),
      username: z.string().optional(),
      sentinelUsername: z.string().optional(),
      password: z.boolean(),
      sentinelPassword: z.boolean(),
      tls: z
        .object({
          ca: z.string().optional(),
          serverName: z.string().optional(),
          insecure: z.boolean().optional(),
          clientCertificate: z.boolean(),
        })
        .optional(),
      commands: z.partialRecord(z.enum([...new Set(Object.entries(UNDONE_BY_COMMANDS).flat())]), z.string()).optional(),
    })
    .optional(),
  machine: z.object({ agent: z.string().regex(/^[a-z0-9-]+$/), network: z.string().nullable() }).optional(),
});

/** How a server that somebody else started is started again. */
const StartSchema = z.union([
  z.strictObject({ shell: z.string().min(1).describe('of the command line of the agent') }),
  z.strictObject({
    argv: z.array(z.string()).min(1),
    cwd: z.string().refine(isAbsolute),
    uid: z.int().nonnegative(),
    gid: z.int().nonnegative(),
  }),
]);

/** @typedef {z.infer<typeof StartSchema>} Start */

/** Loose objects: fields that a newer version wrote are kept. */
const StepSchema = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('act'),
    id: z.string(),
    action: z.enum(UNDOING_ACTIONS),
    start: StartSchema.optional(),
    own: z.literal(true).optional(),
  }),
  z.looseObject({ kind: z.literal('slow'), id: z.string().optional() }),
  z.looseObject({
    kind: z.literal('call'),
    id: z.string(),
    command: z.array(z.union([z.string(), z.number()])).min(1),
    withinMs: z.number().positive().optional(),
  }),
  z.looseObject({ kind: z.literal('network') }),
  z.looseObject({ kind: z.literal('heal') }),
  // Any other prefix would remove keys that are not ours.
  z.looseObject({ kind: z.literal('keys'), prefix: z.string().regex(OWN_KEY) }),
  z.looseObject({
    kind: z.literal('config'),
    id: z.string(),
    settings: Settings,
    before: z.object({ runId: z.string(), rewrites: z.number().nullable(), history: z.string() }),
    leaves: z.string().optional(),
  }),
  z.looseObject({ kind: z.enum(['sentinel', 'settings']), id: z.string(), settings: Settings }),
]);

const LineSchema = z.union([z.object({ n: z.int(), undo: StepSchema }), z.object({ done: z.int() })]);

/**
 * @param {Omit<Header, 'version' | 'owner'>} about
 * @returns {Promise<JournalFile & {writer: JournalWriter}>} on the disk with its first line
 * @throws {UserError} the folder cannot be written
 */
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
  return new UserError(
    `The journal of changes to undo cannot be written to ${journalFolder()} (${codeOf(error)}).`,
    'Make that folder writable, or set XDG_STATE_HOME to one that is.',
    { cause: error },
  );
}

/**
 * @param {FileHandle} handle opened for appending
 * @returns {JournalWriter}
 */
function writerOf(handle) {
  /** @type {Promise<void>} */
  let last = Promise.resolve();
  /** @type {unknown} */
  let broken = null;

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
 * @returns {Promise<{header: Header, pending: Pending[]} | null>} pending: oldest first. null: its first line is
 *   incomplete, so nothing had been changed
 * @throws {UserError} it is damaged or of an unknown version
 */
export async function readJournalFile({ path }) {
  const text = readOwnFile(path) ?? '';
  // An incomplete last line was cut off by a crash, before the change that it is about.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole === '') return null;
  try {
    const [first, ...rest] = whole
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const header = HeaderSchema.parse(first);
    const lines = rest.map((line) => LineSchema.parse(line));
    const done = new Set(lines.flatMap((line) => ('done' in line ? line.done : [])));
    const pending = lines.flatMap((line) =>
      'undo' in line && !done.has(line.n) ? [{ n: line.n, step: line.undo }] : [],
    );
    return { header, pending };
  } catch (error) {
    throw new UserError(
      `The journal ${path} of a dead run cannot be understood.`,
      'Read it, undo by hand what it lists, and remove the file; or use the version of sentinel-bench that wrote it.',
      { cause: error },
    );
  }
}

/**
 * @param {JournalFile} file of this process
 * @returns {Promise<JournalWriter>} continues after the last whole line
 */
export async function reopenJournalFile({ path }) {
  const handle = await open(path, 'a', 0o600);
  const bytes = readFileSync(path);
  await handle.truncate(bytes.lastIndexOf('\n') + 1);
  return writerOf(handle);
}

/**
 * The folder of journals. A file's name holds its owner: `<made>-<random>.<pid>.<start time>.<host>.jsonl`. A recovery claims
 * the file of a dead process by renaming it; only one of several recoveries can succeed.
 *
 * @typedef {{pid: number, startTime: string | null, host: string}} JournalHolder a process; several hosts may share the folder
 *
 * @typedef {Object} JournalFile
 * @property {string} path
 * @property {JournalHolder} holder the process that may act on it
 */

const EXTENSION = '.jsonl';

let lastMade = 0;

/** @returns {string} the folder of this user's journals */
export function journalFolder() {
  return stateFolder('undo');
}

/** @returns {JournalFile} for this process; the file does not exist yet */
function newJournalFile() {
  const holder = thisHolder();
  // Two files made within a millisecond keep their order.
  lastMade = Math.max(Date.now(), lastMade + 1);
  const made = `${lastMade.toString(36)}-${randomBytes(6).toString('hex')}`;
  return { path: join(journalFolder(), nameFor(made, holder)), holder };
}

/**
 * @returns {JournalFile[]} of this user, newest first
 * @throws {UserError} the folder cannot be read, or is open to other users
 */
export function listJournalFiles() {
  const folder = journalFolder();
  if (!isStateThere('undo')) return [];
  try {
    return (
      readdirSync(folder)
        .filter((name) => name.endsWith(EXTENSION))
        // By when they were made.
        .sort((a, b) => Number.parseInt(b, 36) - Number.parseInt(a, 36) || b.localeCompare(a))
        .flatMap((name) => {
          const [, pid, startTime, host] = partsOf(name) ?? [];
          // A file that is not ours.
          if (pid === undefined || !/^\d+$/.test(pid) || host === undefined) return [];
          return [{ path: join(folder, name), holder: { pid: Number(pid), startTime: startTime || null, host } }];
        })
    );
  } catch (error) {
    // It was removed since.
    if (codeOf(error) === 'ENOENT') return [];
    throw new UserError(
      `The journals of dead runs cannot be read: ${folder} is not readable (${codeOf(error)}).`,
      'Make that folder readable, or set XDG_STATE_HOME to another.',
      { cause: error },
    );
  }
}

/**
 * @param {JournalFile} file
 * @returns {boolean} the process that may act on it still runs, or that cannot be told from this host
 */
export function holderLives({ holder: { pid, startTime, host } }) {
  if (host !== hostname()) return true;
  return stillRuns({ pid, startTime });
}

/** @param {JournalFile} file @returns {boolean} its holder did not write it */
export function isClaimed({ path, holder }) {
  try {
    const [first] = String(readOwnFile(path)).split('\n', 1);
    return JSON.parse(first).owner.pid !== holder.pid;
  } catch {
    // Removed since, or too new to have its first line: no recovery uses it.
    return false;
  }
}

/**
 * @param {JournalFile} file of a dead process
 * @returns {Promise<JournalFile | null>} claimed by this process; null: another recovery was quicker
 */
export async function claimJournalFile(file) {
  return renameFor(file, thisHolder());
}

/**
 * Gives a claimed file back to its dead holder, for the next recovery.
 * @param {JournalFile} claimed
 * @param {JournalFile} file before it was claimed
 */
export async function releaseJournalFile(claimed, file) {
  await renameFor(claimed, file.holder);
}

/** @param {string} path */
export async function removeJournalFile(path) {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/**
 * @param {JournalFile} file
 * @param {JournalHolder} holder
 * @returns {Promise<JournalFile | null>} null: no file has this name any more
 */
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

/** @returns {JournalHolder} */
function thisHolder() {
  return { ...thisProcess(), host: hostname() };
}

/** @param {string} made @param {JournalHolder} holder */
function nameFor(made, { pid, startTime, host }) {
  // A start time may contain any character on some systems, and dots separate the parts.
  const parts = [made, pid, startTime ?? '', host].map((part) => encodeURIComponent(part).replaceAll('.', '%2E'));
  return parts.join('.') + EXTENSION;
}

/** @param {string} name @returns {string[] | null} null: the name is not ours */
function partsOf(name) {
  try {
    return name.slice(0, -EXTENSION.length).split('.').map(decodeURIComponent);
  } catch {
    return null;
  }
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
