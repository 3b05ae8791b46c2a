/**
 * Locks between the processes of this user on this machine. A lock ends with its process, however that ends.
 * A lock is a symbolic link whose target is its holder, as JSON: the system makes one with its target, or not at all. Who succeeds a dead
 * holder is decided by one more lock, which only one process has and which then takes the place of the first.
 * @typedef {z.infer<typeof HolderSchema>} Holder of a lock, as shown to others
 * @typedef {{command?: string, brief?: boolean}} Purpose command: line, without secrets; brief: held for two minutes at most, so others wait
 * @typedef {{release: () => void}} Lock release: idempotent
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { codeOf, nullIf, UserError } from '../../errors.js';
import { hasEnded, linkOf, textOf } from '../hosts/processes.js';
import { thisOwner } from '../records/owners.js';
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
export function thisHolder({ command = 'sentinel-bench', brief = false }) {
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

/** @param {string | null} json @returns null: not valid */
export function parseHolder(json) {
  try {
    return HolderSchema.parse(JSON.parse(String(json)));
  } catch {
    return null;
  }
}

/** It has ended, or is this process, which has no other run on the stack. @param {Holder | null} holder null: not valid */
export function isLeftover(holder) {
  return isDead(holder) || (holder?.system === thisSystem() && holder.pid === process.pid);
}

/** @param {Holder | null} holder @returns it is known to have ended; false also if this is unknown here */
const isDead = (holder) => holder?.system === thisSystem() && hasEnded(holder.pid, holder.startTime);

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
    makeStateFolder('locks');
    return take(placeOf(name), holder);
  });
}

/** @param {string} name @returns null: no living process has it */
export function holderOf(name) {
  const held = linkOf(placeOf(name));
  const holder = parseHolder(held);
  return held === null || isDead(holder) ? null : { heldBy: holder };
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
    const holder = thisHolder({ brief: true });
    for (const name of readdirSync(stateFolder('locks'))) {
      const place = join(stateFolder('locks'), name);
      if (!isDead(parseHolder(linkOf(place)))) continue;
      const lock = take(place, holder);
      if ('release' in lock) lock.release();
    }
  });
}

/** @param {string} place @param {Holder} holder this process @returns {ReturnType<typeof tryLock>} */
function take(place, holder) {
  const own = JSON.stringify(holder);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    if (nullIf(['EEXIST'], () => symlinkSync(own, place)) !== null) return lockAt(place, own);
    const held = linkOf(place);
    // It was released just now.
    if (held === null) continue;
    const former = parseHolder(held);
    if (former === null || !isDead(former)) return { heldBy: former };
    const succession = `${place}.${former.id}`;
    const heir = take(succession, holder);
    if ('heldBy' in heir) return heir;
    if (linkOf(place) === held) {
      renameSync(succession, place);
      return lockAt(place, own);
    }
    heir.release();
  }
  return { heldBy: null };
}

/** @param {string} place @param {string} own the link of this process there @returns {Lock} */
function lockAt(place, own) {
  return {
    release() {
      try {
        // Only a dead holder is succeeded, but somebody may have removed the folder.
        if (linkOf(place) === own) unlinkSync(place);
      } catch {
        // The lock ends with this process anyway.
      }
    },
  };
}

function placeOf(/** @type {string} */ name) {
  // Machines and containers may share the folder, and each start of a container is a system of its own.
  return join(stateFolder('locks'), `${digest([hostname(), processSpace(), name]).slice(0, 32)}.lock`);
}

/** @param {string[]} parts */
const digest = (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

function thisSystem() {
  const boot = textOf('/proc/sys/kernel/random/boot_id') || hostname();
  return digest([boot, processSpace()]).slice(0, 16);
}

/** The pid namespace: a container has its own. */
const processSpace = () => (linkOf('/proc/self/ns/pid') ?? '').replace(/\D/g, '');

/** @template T @param {() => T} work */
function usingFolder(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw problem('locks-folder', { folder: stateFolder('locks'), code: codeOf(error) }, { cause: error });
  }
}
