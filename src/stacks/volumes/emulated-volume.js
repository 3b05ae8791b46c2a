/** An emulated volume: nbdkit serves `disk` through a filter, nbdfuse shows that as the file `served/disk`, and a loop device as a disk. */
/** @import { VolumeOptions } from './volume.js' */
/** @import { EmulatedKind } from './volume-kinds.js' */
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../hosts/processes.js';
import { problem } from '../texts.js';
import { impossible, MOUNTED, makeVolume, openToNodes, run, SERVED, startDaemon } from './volume.js';

export const DISK = 'disk';

/** The smallest useful ext4, journal included. */
const LEAST_BYTES = 64 * 2 ** 20;
const JOURNAL_MIB = 16;

/**
 * @param {EmulatedKind} kind
 * @param {VolumeOptions & {parameters: readonly string[], bytes: number}} options parameters: of nbdkit's filter; bytes: its size
 * @throws {UserError} there can be none here; nothing is left behind then
 */
export function startVolume(kind, { parameters, bytes, directory, signal, tell }) {
  if (bytes < LEAST_BYTES) throw problem('volume-too-small', { noun: kind.noun, mib: LEAST_BYTES / 2 ** 20 });
  const build = async (/** @type {string} */ folder) => {
    await format(folder, Math.floor(bytes));
    await attach(folder, kind, { parameters, signal });
  };
  return makeVolume(kind, { build, directory, signal, tell });
}

async function format(/** @type {string} */ folder, /** @type {number} */ bytes) {
  const disk = join(folder, DISK);
  writeFileSync(disk, '', { mode: 0o600 });
  truncateSync(disk, bytes);
  // Made before its writes pass the filter, and with few inodes: Redis needs no thousands of inode tables.
  const features = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
  const made = await run('mkfs.ext4', [
    ...['-q', '-F', '-m', '0', '-i', '262144'],
    ...['-J', `size=${JOURNAL_MIB}`, '-E', features, disk],
  ]);
  if (made.status !== 0) throw impossible(folder, 'mkfs.ext4', made.output);
}

/**
 * @param {string} folder of a volume that is not attached @param {EmulatedKind} kind
 * @param {{parameters: readonly string[], signal?: AbortSignal}} options
 */
export async function attach(folder, { filter }, { parameters, signal }) {
  const socket = 'socket';
  const pidFiles = { nbdkit: 'nbdkit.pid', nbdfuse: 'nbdfuse.pid' };
  // Daemons that were killed leave them.
  for (const name of [socket, ...Object.values(pidFiles)]) rmSync(join(folder, name), { force: true });
  // Each daemon writes its pid file once it is ready.
  const hasPidFile = (/** @type {string} */ name) => textOf(join(folder, name)) !== '';
  await startDaemon(folder, 'nbdkit', {
    args: [
      ...['nbdkit', '--foreground', '--unix', socket, '--pidfile', pidFiles.nbdkit, `--filter=${filter}`, 'file', DISK],
      ...parameters,
    ],
    isReady: () => hasPidFile(pidFiles.nbdkit),
    signal,
  });
  await startDaemon(folder, 'nbdfuse', {
    args: ['nbdfuse', '-P', pidFiles.nbdfuse, join(SERVED, DISK), '--unix', socket],
    isReady: () => hasPidFile(pidFiles.nbdfuse),
    signal,
  });
  signal?.throwIfAborted();

  // noinit_itable: ext4 would otherwise write inode tables in the background, in the middle of a round.
  const options = 'loop,noatime,noinit_itable,errors=remount-ro';
  const mounted = await run('mount', ['-t', 'ext4', '-o', options, join(folder, SERVED, DISK), join(folder, MOUNTED)]);
  if (mounted.status !== 0) throw impossible(folder, 'mount', mounted.output);
  openToNodes(folder);
  signal?.throwIfAborted();
}
