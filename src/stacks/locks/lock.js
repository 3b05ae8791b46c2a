/**
 * Locks between the processes of this user on this machine. A lock ends with its process, however that ends.
 *
 * A lock is a directory with one file, whose name identifies the holder. Every step is a rename, in which only one of several processes
 * succeeds: a prepared directory takes the free place, the file of a dead holder becomes the next holder's, and the directory is moved
 * away at the end.
 * @typedef {z.infer<typeof HolderSchema>} Holder of a lock, as shown to others
 * @typedef {{command: string, brief?: boolean}} Purpose command: line, without secrets; brief: held for two minutes at most, so others wait
 * @typedef {{release: () => void}} Lock release: idempotent
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { codeOf, UserError } from '../../errors.js';
import { hasEnded, linkOf, textOf } from '../hosts/processes.js';
import { nameOfParts, partsOfName, thisOwner } from '../records/owners.js';
import { isStateThere, makeStateFolder, stateFolder } from '../records/records.js';
import { problem, text } from '../texts.js';

const LONGEST_COMMAND = 300;

/** One line of plain text, because others see it. */
const line = (/** @type {number} */ longest) => z.string().regex(RegExp(`^[ -~]{0,${longest}}$`));

const HolderSchema = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  pid: z.number().int().positive(),
  startTime: line(64).nullable(),
  host: line(255),
  /** One boot of one system and its pid namespace: only there does the pid identify the process. */
  system: z.string().regex(/^[0-9a-f]{16}$/),
  since: z.iso.datetime(),
  command: line(LONGEST_COMMAND),
  brief: z.boolean(),
});

/** The longest wait for a brief holder: two minutes until containers run, one until their stack is ready. */
const PATIENCE_MS = 200_000;
const TELL_AFTER_MS = 1000;
const POLL_MS = 50;

/** Holders may come and go between our looks. */
const MOST_ATTEMPTS = 100;

export class InUse extends UserError {
  name = 'InUse';
}

/** @param {Purpose} purpose @returns {Holder} this process */
export function thisHolder({ command, brief = false }) {
  return {
    id: randomBytes(8).toString('hex'),
    ...thisOwner(),
    system: thisSystem(),
    since: new Date().toISOString(),
    command: command
      .replaceAll('…', '...')
      .replace(/[^ -~]/g, '?')
      .slice(0, LONGEST_COMMAND),
    brief,
  };
}

/** @param {string} json @returns null: not valid */
export function parseHolder(json) {
  try {
    return HolderSchema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** It has ended, or is this process, which has no other run on the stack. @param {Holder | null} holder null: not valid */
export function isLeftover(holder) {
  return holder !== null && (isDead(holder) || (holder.system === thisSystem() && holder.pid === process.pid));
}

/** @param {Pick<Holder, 'system' | 'pid' | 'startTime'>} holder @returns it is known to have ended; false also if this is unknown here */
function isDead({ system, pid, startTime }) {
  return system === thisSystem() && hasEnded(pid, startTime);
}

/** @param {string} what the beginning of the sentence @param {Holder | null} holder null: not valid @returns without the full stop */
export function inUseBy(what, holder) {
  if (holder === null) return text('in-use-by-another', { what });
  const since = holder.since.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
  const host = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return text('in-use-by', { what, since, pid: holder.pid, host, command: holder.command });
}

/**
 * @param {string} name of the lock @param {Holder} holder this process
 * @returns {Lock | {heldBy: Holder | null}} heldBy: another process has it; null: unknown which
 * @throws {UserError} the folder of locks cannot be written
 */
export function tryLock(name, holder) {
  return usingFolder(() => {
    const place = placeOf(name);
    const file = fileNameOf(holder);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const held = heldAt(place);
      if (held && !held.dead) return { heldBy: held.holder };
      if (held ? succeed(place, held.file, file, holder) : takeFree(place, file, holder)) return lockAt(place, file);
    }
    return { heldBy: null };
  });
}

/** @param {string} name @returns null: no living process has it @throws {UserError} the folder of locks cannot be read */
export function holderOf(name) {
  const held = usingFolder(() => heldAt(placeOf(name)));
  return held === null || held.dead ? null : { heldBy: held.holder };
}

/**
 * Waits while a brief holder has the lock.
 * @template {object} T @param {() => T | {heldBy: Holder | null} | Promise<T | {heldBy: Holder | null}>} attempt
 * @param {{refuse: (held: any) => InUse, tell?: (line: string) => void, signal?: AbortSignal}} options
 * @throws {InUse} another process has it for longer
 */
export async function untilFree(attempt, { refuse, tell = () => {}, signal }) {
  const begins = performance.now();
  let hasTold = false;
  for (;;) {
    signal?.throwIfAborted();
    const outcome = await attempt();
    if (!('heldBy' in outcome)) return outcome;
    const waited = performance.now() - begins;
    if (!outcome.heldBy?.brief || waited > PATIENCE_MS) throw refuse(outcome);
    if (!hasTold && waited > TELL_AFTER_MS) {
      tell(`Waiting for process ${outcome.heldBy.pid} (${outcome.heldBy.command}).`);
      hasTold = true;
    }
    await delay(POLL_MS);
  }
}

/** Removes what dead processes left of locks. @throws {UserError} it may not write */
export function sweepLocks() {
  usingFolder(() => {
    if (!isStateThere('locks')) return;
    const holder = thisHolder({ command: 'sentinel-bench', brief: true });
    const file = fileNameOf(holder);
    for (const name of list(stateFolder('locks'))) {
      const place = join(stateFolder('locks'), name);
      const held = heldAt(place);
      if (held?.dead && succeed(place, held.file, file, holder)) lockAt(place, file).release();
    }
  });
}

/** @param {string} place @param {string} file @param {Holder} holder @returns it was free */
function takeFree(place, file, holder) {
  const made = mkdtempSync(join(lockFolder(), 'new-'));
  try {
    writeHolder(made, file, holder);
    renameSync(made, place);
    return true;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} place @param {string} dead file @param {string} file @param {Holder} holder @returns nobody was quicker */
function succeed(place, dead, file, holder) {
  try {
    renameSync(join(place, dead), join(place, file));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  writeHolder(place, file, holder);
  return true;
}

/** @param {string} place @param {string} file @param {Holder} holder */
function writeHolder(place, file, holder) {
  writeFileSync(join(place, file), JSON.stringify(holder), { mode: 0o600 });
}

/** @param {string} place @param {string} file of this process, in it @returns {Lock} */
function lockAt(place, file) {
  return {
    release() {
      try {
        // The directory is still ours, unless the folder was removed: only a dead holder is succeeded.
        if (!list(place).includes(file)) return;
        const removed = join(lockFolder(), `old-${randomBytes(8).toString('hex')}`);
        renameSync(place, removed);
        rmSync(removed, { recursive: true, force: true });
      } catch {
        // The lock ends with this process anyway.
      }
    },
  };
}

/** @param {string} place @returns null: it is free */
function heldAt(place) {
  const file = list(place).find((name) => FILE_NAME.test(name));
  if (file === undefined) return null;
  const [pid, startTime, system, id] = partsOfName(file);
  const dead = isDead({ pid: Number(pid), startTime: startTime || null, system });
  try {
    const holder = parseHolder(readFileSync(join(place, file), 'utf8'));
    // A process that has just succeeded a dead holder has not written its record yet.
    return { file, dead, holder: holder?.id === id ? holder : null };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

const FILE_NAME = /^\d+\.[^.]*\.[0-9a-f]{16}\.[0-9a-f]{16}$/;

/** @param {Holder} holder */
function fileNameOf({ pid, startTime, system, id }) {
  return nameOfParts([pid, startTime ?? '', system, id]);
}

/** @param {string} name */
function placeOf(name) {
  // Machines and containers may share the folder, and each start of a container is a system of its own.
  return join(stateFolder('locks'), digest([hostname(), processSpace(), name]).slice(0, 32));
}

/** @param {string[]} parts */
function digest(parts) {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function lockFolder() {
  makeStateFolder('locks');
  return stateFolder('locks');
}

function thisSystem() {
  const boot = textOf('/proc/sys/kernel/random/boot_id') || hostname();
  return digest([boot, processSpace()]).slice(0, 16);
}

/** The pid namespace: a container has its own. */
function processSpace() {
  return (linkOf('/proc/self/ns/pid') ?? '').replace(/\D/g, '');
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** @template T @param {() => T} work */
function usingFolder(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw problem('locks-folder', { folder: stateFolder('locks'), code: codeOf(error) }, { cause: error });
  }
}
