/**
 * The storage classes of a run: the places where our stacks may keep the files of their nodes.
 * @import { StorageClass } from './types.js'
 * @typedef {StorageClass & {how: string}} Storage `how`: a description without a path
 * @typedef {{places?: readonly {label: string, path: string}[], delayMs: number, replicated?: boolean}} StorageChoice places: of the user.
 *   delayMs: of each write to the emulated volume; 0: no such volume. replicated: make a replicated network volume
 */
import { statfs } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { checkStorage } from '../measure/storage.js';
import { onDiskIfPossible, temporaryFolder } from '../private-files.js';
import { recover } from '../stacks/index.js';
import { startReplicatedVolume, whyNoReplicatedVolume } from '../stacks/volumes/replicated-volume.js';
import { startSlowVolume, whyNoSlowVolume } from '../stacks/volumes/slow-volume.js';
import { allEnded } from '../wait.js';
import { notPutBack } from './interruption.js';

export const DEFAULT_STORAGE_LABEL = 'tmp';
const REPLICATED_STORAGE_LABEL = 'gluster';
export const SLOW_STORAGE_LABEL = 'slow';

/** The file of the volume is sparse: it takes no room until it is written. */
const MOST_SLOW_BYTES = 64 * 2 ** 30;
/** The share of the free room, where the volume's file is, that the volume may take. */
const SLOW_SHARE = 0.5;

/**
 * @param {StorageChoice & {signal?: AbortSignal, tell?: (line: string) => void}} options
 * @returns the default storage, the user's, then what is possible of the others; unavailable: why one is missing; close: removes what was made
 * @throws {import('../errors.js').UserError} a directory of the user cannot be used; nothing is left behind then
 */
export async function openStorages({ places = [], delayMs, replicated = false, signal, tell = () => {} }) {
  for (const { label, path } of places) await checkStorage({ label, path }, 0);
  // Nodes of a dead run may still have files on its volumes.
  await recover(tell);
  // A file system in memory says nothing about persistence.
  const directory = onDiskIfPossible(temporaryFolder());
  const how = { directory, signal, tell };
  /** @type {Storage[]} */
  const storages = [
    { label: DEFAULT_STORAGE_LABEL, path: directory, emulated: false, how: 'the directory for temporary files' },
    ...places.map((each) => ({ ...each, emulated: false, how: 'a directory named by the user' })),
  ];
  /** @type {string[]} */
  const missing = [];
  /** @type {{close: () => Promise<void>}[]} */
  const made = [];
  const close = () =>
    allEnded(made.map((volume) => volume.close())).catch((error) => {
      throw notPutBack(error);
    });
  const startSlow = async () => startSlowVolume({ ...how, writeDelayMs: delayMs, bytes: await slowBytes(directory) });
  const wanted = [
    replicated && {
      label: REPLICATED_STORAGE_LABEL,
      emulated: false,
      whyNot: whyNoReplicatedVolume,
      start: () => startReplicatedVolume(how),
    },
    delayMs > 0 && { label: SLOW_STORAGE_LABEL, emulated: true, whyNot: whyNoSlowVolume, start: startSlow },
  ];
  for (const { label, emulated, whyNot, start } of wanted.filter((each) => each !== false)) {
    try {
      const why = await whyNot();
      if (why !== null) missing.push(why);
      else {
        const volume = await start();
        made.push(volume);
        storages.push({ label, emulated, path: volume.path, how: volume.how });
      }
    } catch (error) {
      // Without one class of storage, the others can still be compared.
      if (error instanceof UserError && !signal?.aborted) missing.push(`${error.message} ${error.remedy}`);
      else {
        await close();
        throw error;
      }
    }
  }
  return { storages, unavailable: missing.length === 0 ? null : missing.join(' '), close };
}

/** @param {string} directory */
async function slowBytes(directory) {
  const { bavail, bsize } = await statfs(directory);
  return Math.min(MOST_SLOW_BYTES, Math.floor(bavail * bsize * SLOW_SHARE));
}
