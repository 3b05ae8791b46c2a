/**
 * The storage classes of a run: the places where our stacks may keep the files of their nodes.
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
 * @typedef {StorageClass & {how: string}} Storage `how`: a description without a path
 *
 * @typedef {Object} StorageOptions
 * @property {readonly {label: string, path: string}[]} [dataDirs] of the user
 * @property {number} slowVolumeMs delay of each write to the emulated volume; 0: no such volume
 * @property {AbortSignal} [signal]
 * @property {(line: string) => void} [tell]
 *
 * @typedef {Object} Storages
 * @property {Storage[]} storages the default one first, then the user's, then the emulated one if it is possible
 * @property {string | null} unavailable why there is no emulated one; null: there is one, or it was not asked for
 * @property {() => Promise<void>} close removes what was made; idempotent. No stack may have its files there then
 */

export const DEFAULT_STORAGE_LABEL = 'tmp';
export const SLOW_STORAGE_LABEL = 'slow';

/** Temporary files here outlive a restart of the machine, so they are on a disk. */
const ON_DISK = '/var/tmp';

/** The file of the volume is sparse: it takes no room until it is written. */
const MOST_SLOW_BYTES = 64 * 2 ** 30;
/** Of the free room where the volume's file is. */
const SLOW_SHARE = 0.5;

/**
 * @param {StorageOptions} options
 * @returns {Promise<Storages>}
 * @throws {import('../errors.js').UserError} a directory of the user cannot be used; nothing is left behind then
 */
export async function openStorages({ dataDirs = [], slowVolumeMs, signal, tell = () => {} }) {
  for (const { label, path } of dataDirs) await checkStorage({ label, path }, 0);
  // Nodes of a dead run may still have files on its slow volume.
  await recover(tell);
  const directory = temporary();
  /** @type {Storage[]} */
  const storages = [
    { label: DEFAULT_STORAGE_LABEL, path: directory, emulated: false, how: 'the directory for temporary files' },
    ...dataDirs.map((each) => ({ ...each, emulated: false, how: 'a directory named by the user' })),
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
    // The other classes can still be compared.
    if (!(error instanceof UserError) || signal?.aborted) throw error;
    return { storages, unavailable: `${error.message} ${error.remedy}`, close: async () => {} };
  }
}

/** @returns {string} on a disk if possible: a file system in memory says nothing about persistence */
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
