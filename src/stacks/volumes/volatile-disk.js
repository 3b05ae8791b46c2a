/**
 * A disk with a volatile cache whose power can be cut: nbdkit's cache filter holds writes until they are flushed. A power cut kills nbdkit
 * with its cache, so that only flushed blocks are left. Power loss is modelled for the disk; the memory of the kernel is not lost, but
 * the file system is unmounted without a way to the disk.
 * @import { VolumeOptions } from './volume.js'
 * @typedef {Awaited<ReturnType<typeof startVolatileDisk>>} VolatileDisk
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors.js';
import { runTool } from '../../programs.js';
import { text } from '../texts.js';
import { attach, startVolume } from './emulated-volume.js';
import { detach, impossible, killDaemons, run, whyNoVolume } from './volume.js';
import { KINDS } from './volume-kinds.js';

const BYTES = 4 * 2 ** 30;

/** @returns why there can be no such disk here, and the remedy, in one sentence; null: there can be one */
export const whyNoVolatileDisk = () => whyNoVolume(KINDS.volatile);

/**
 * @param {Omit<VolumeOptions, 'directory'> & {kind?: 'volatile' | 'contained' | 'agent', cache?: 'writeback' | 'writethrough' | 'unsafe'}}
 *   [options] kind: contained: of a container; agent: of an agent's node; cache: the others are wrong models, for tests of the self-test
 * @throws {UserError} there can be none here; nothing is left behind then
 */
export async function startVolatileDisk({ cache = 'writeback', kind: name = 'volatile', ...options } = {}) {
  const kind = KINDS[name];
  // nbdkit confirms a write as soon as it is in its cache; a flush waits until the cache is written.
  const parameters = [`cache=${cache}`];
  const { folder, path, close } = await startVolume(kind, { ...options, parameters, bytes: BYTES });
  let powered = true;
  return {
    folder,
    path,
    /** What was written until now survives a power cut. */
    async flush() {
      const synced = await run('sync', ['--file-system', path]);
      if (synced.status !== 0) throw impossible(folder, 'sync', synced.output);
    },
    /** Idempotent. @param {() => Promise<void>} endUsers called as the cache is killed; it ends the processes that use the disk */
    async cutPower(endUsers) {
      if (!powered) return;
      powered = false;
      killDaemons(folder);
      await endUsers();
      await detach(folder);
    },
    async restorePower() {
      if (powered) return;
      // A power cut that was interrupted may have left something.
      await detach(folder);
      await attach(folder, kind, { parameters });
      powered = true;
    },
    fill: () => fill(path),
    async free() {
      rmSync(join(path, FILLER), { recursive: true, force: true });
    },
    close,
  };
}

const FILLER = 'filler';

/** Allocates blocks without writing them, in ever smaller files, because the room is in pieces. @param {string} path of a file system */
async function fill(path) {
  const folder = join(path, FILLER);
  mkdirSync(folder, { recursive: true });
  const { bsize, bfree } = statfsSync(path);
  for (let blocks = bfree, file = 0; blocks >= 1; file++) {
    const { status } = await run('fallocate', ['--length', String(blocks * bsize), join(folder, String(file))]);
    // A file that could not be made whole keeps what it got.
    if (status !== 0 || statfsSync(path).bfree < blocks) blocks = Math.floor(blocks / 2);
  }
}

/**
 * The self-test of the model: a synced block survives a power cut, and one that was confirmed without a sync does not.
 * @param {{start?: typeof startVolatileDisk, signal?: AbortSignal}} [options] start: for tests @returns in two sentences; null: it holds
 */
export async function whyModelFails({ start = startVolatileDisk, signal } = {}) {
  const missing = await whyNoVolatileDisk();
  if (missing !== null) return missing;
  try {
    let what = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { synced, unsynced } = await survivors(start, signal);
      if (synced && !unsynced) return null;
      what = synced ? 'a block that was never synced survived' : 'a synced block was lost';
      if (!synced) break;
    }
    return text('self-test-failed', { what, remedy: text('update-nbdkit') });
  } catch (error) {
    signal?.throwIfAborted();
    const remedy = error instanceof UserError ? error.remedy : 'Look at the kernel’s log.';
    return text('self-test-failed', { what: error, remedy });
  }
}

const BLOCK = 4096;
/** If the machine stalls for seconds, the file system itself flushes the disk. */
const ATTEMPTS = 3;
const [BEFORE, AFTER] = ['a', 'b'].map((letter) => Buffer.alloc(BLOCK, letter));

/** @param {typeof startVolatileDisk} start @param {AbortSignal} [signal] */
async function survivors(start, signal) {
  const disk = await start({ signal });
  try {
    const file = join(disk.path, 'self-test');
    writeFileSync(file, Buffer.concat([BEFORE, BEFORE]), { flush: true });
    writeFileSync(file, AFTER, { flag: 'r+', flush: true });
    // Past the kernel's memory to the disk, which confirms it; only the disk's cache has it then.
    const target = [`of=${file}`, `bs=${BLOCK}`, 'seek=1', 'count=1', 'oflag=direct', 'conv=notrunc'];
    await runTool(['dd', ...target], AFTER);
    await disk.cutPower(async () => {});
    await disk.restorePower();
    const found = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    return {
      synced: found.subarray(0, BLOCK).equals(AFTER),
      unsynced: !found.subarray(BLOCK, 2 * BLOCK).equals(BEFORE),
    };
  } finally {
    await disk.close();
  }
}
