/**
 * The storage classes of a run: where stacks of our own may keep their nodes' files.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { checkStorage, filesystemOf } from '../measure/storage.js';
import { temporaryFolder } from '../private-files.js';
import { recover } from '../stacks/index.js';
import { slowVolumePossible, startSlowVolume } from '../stacks/slow-volume.js';

/** @import { StorageClass } from './types.js' */

/**
 * @typedef {StorageClass & {how: string}} Storage `how`: what it is, without a path
 *
 * @typedef {Object} StorageOptions
 * @property {readonly {label: string, path: string}[]} [dataDirs] of the user
 * @property {number} slowVolumeMs what each write to the emulated volume takes; 0: leave it out
 * @property {AbortSignal} [signal]
 * @property {(line: string) => void} [tell]
 *
 * @typedef {Object} Storages
 * @property {Storage[]} storages the default one first, then the user's, then the emulated one where it is possible
 * @property {string | null} unavailable why there is no emulated one; null: there is, or it was not asked for
 * @property {() => Promise<void>} close idempotent: removes what was made. No stack may have its files there any more
 */

export const DEFAULT_STORAGE_LABEL = 'tmp';
export const SLOW_STORAGE_LABEL = 'slow';

/** For temporary files that outlive a restart of the machine, so not in memory. */
const ON_DISK = '/var/tmp';

/** It takes no room before it is written to. */
const MOST_SLOW_BYTES = 64 * 2 ** 30;
/** Of what is free where the volume's file is. */
const SLOW_SHARE = 0.5;

/**
 * @param {StorageOptions} options
 * @returns {Promise<Storages>}
 * @throws {import('../errors.js').UserError} a directory of the user's cannot be used; nothing is left behind then
 */
export async function openStorages({ dataDirs = [], slowVolumeMs, signal, tell = () => {} }) {
  for (const { label, path } of dataDirs) await checkStorage({ label, path }, 0);
  // A dead run's nodes may still keep files on its slow volume.
  await recover(tell);
  const directory = temporary();
  /** @type {Storage[]} */
  const storages = [
    { label: DEFAULT_STORAGE_LABEL, path: directory, emulated: false, how: 'the directory for temporary files' },
    ...dataDirs.map((each) => ({ ...each, emulated: false, how: 'a directory that the user named' })),
  ];
  if (slowVolumeMs === 0) return { storages, unavailable: null, close: async () => {} };
  const { ok, reason } = await slowVolumePossible();
  if (!ok) return { storages, unavailable: reason, close: async () => {} };
  try {
    const bytes = await slowBytes(directory);
    const slow = await startSlowVolume({ writeDelayMs: slowVolumeMs, bytes, directory, signal, tell });
    const emulated = { label: SLOW_STORAGE_LABEL, path: slow.path, emulated: true, how: slow.how };
    return { storages: [...storages, emulated], unavailable: null, close: slow.close };
  } catch (error) {
    // What looked possible is not: the other classes can be compared all the same.
    if (!(error instanceof UserError) || signal?.aborted) throw error;
    return { storages, unavailable: `${error.message} ${error.remedy}`, close: async () => {} };
  }
}

/** @returns {string} on a disk, if there is such a one: a file system in memory tells nothing of persistence */
function temporary() {
  const named = temporaryFolder();
  const inMemory = ['tmpfs', 'ramfs'].includes(filesystemOf(named));
  return inMemory && existsSync(ON_DISK) && !['tmpfs', 'ramfs'].includes(filesystemOf(ON_DISK)) ? ON_DISK : named;
}

/** @param {string} directory */
async function slowBytes(directory) {
  const { bavail, bsize } = await statfs(directory);
  return Math.min(MOST_SLOW_BYTES, Math.floor(bavail * bsize * SLOW_SHARE));
}
