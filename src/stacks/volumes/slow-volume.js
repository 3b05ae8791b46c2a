/** A volume whose writes take a given time, for machines without a network volume: nbdkit delays them. A sync waits for each. */
/** @import { VolumeOptions } from './volume.js' */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from '../texts.js';
import { startVolume } from './emulated-volume.js';
import { whyNoVolume } from './volume.js';
import { KINDS } from './volume-kinds.js';

/** How much nbdfuse writes in the time of one write; measured: a few requests of 128 KiB at a time. */
const BYTES_A_DELAY = 400_000;
/** Memory may hold at most what is written in this time, because unmounting waits for all of it. */
const DIRTY_MS = 3000;
const DIRTY_BYTES = { least: 4 * 2 ** 20, most: 128 * 2 ** 20 };

export const whyNoSlowVolume = () => whyNoVolume(KINDS.slow);

/**
 * @param {VolumeOptions & {writeDelayMs: number, bytes: number}} options writeDelayMs: ≥ 1, whole; bytes: of a sparse file
 * @returns how: what it is, without a path @throws {UserError} there can be none here; nothing is left behind then
 */
export async function startSlowVolume({ writeDelayMs, tell, ...options }) {
  tell?.(`Making a slow volume: each write to it takes ${writeDelayMs} ms.`);
  const parameters = [`wdelay=${writeDelayMs}ms`];
  const { path, close } = await startVolume(KINDS.slow, { ...options, tell, parameters });
  boundDirtyPages(path, writeDelayMs);
  return { path, how: text('slow-volume', { ms: writeDelayMs }), close };
}

/** Bounds what unmounting waits for in memory. Before Linux 6.2 FUSE's limits hold. @param {string} path @param {number} writeDelayMs */
function boundDirtyPages(path, writeDelayMs) {
  const { dev } = statSync(path);
  // As glibc's major() and minor(), for numbers as small as those of loop devices.
  const folder = `/sys/class/bdi/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  const { least, most } = DIRTY_BYTES;
  const bytes = Math.min(most, Math.max(least, Math.round((BYTES_A_DELAY / writeDelayMs) * DIRTY_MS)));
  for (const [name, value] of Object.entries({ strict_limit: 1, max_bytes: bytes })) {
    try {
      writeFileSync(join(folder, name), String(value));
    } catch {
      // An older kernel, or no permission.
    }
  }
}
