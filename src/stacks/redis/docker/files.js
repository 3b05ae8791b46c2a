import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExitStatus, UserError } from '../../../errors.js';
import { filesOf, makeFilesFolder, redisNodes, removeFilesFolder } from '../../files-folder.js';
import { listRecords, ownerLives, removeRecord, writeRecord } from '../../records.js';

/** @import { Engine } from './engine.js' */

/**
 * Directories of this machine where containers keep their nodes' files, instead of in a volume of the engine's.
 */

/** Where a node has its volume; the same stands in docker-compose.yml. */
const INSIDE = '/data';

/** Whom nodes run as; the same stands in docker-compose.yml. */
const USER_VARIABLE = 'SENTINEL_BENCH_USER';
const DEFAULT_USER = '999:999';

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {string} folder as chosen for it; made here, and removed with the project
 * @returns {Promise<string>} a file for Compose, beside docker-compose.yml, by which the Redis nodes keep their files there
 * @throws {import('../../../errors.js').UserError} the folder cannot be made
 */
export async function placeFiles(engine, project, folder) {
  const rootless = await isRootless(engine);
  const user = nodeUser();
  writeRecord('files', project, folder);
  makeFilesFolder(folder);
  const services = redisNodes().map(({ id }) => {
    const own = filesOf(folder, id);
    // Compose fills in what follows a dollar sign.
    const source = own.replaceAll('$', '$$$$');
    // There root in a container is the user who runs the engine.
    const runsAs = rootless ? '0:0' : giveTo(own, user);
    return [id, { user: runsAs, volumes: [{ type: 'bind', source, target: INSIDE }] }];
  });
  const file = join(folder, 'compose.json');
  writeFileSync(file, JSON.stringify({ services: Object.fromEntries(services) }), { mode: 0o600 });
  return file;
}

/**
 * @returns {{uid: number, gid: number}} that nodes run as
 * @throws {UserError} the environment names no such user
 */
function nodeUser() {
  const text = process.env[USER_VARIABLE] || DEFAULT_USER;
  const [, uid, gid = uid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new UserError(
    `${USER_VARIABLE} is '${text}', which is not the number of a user and of a group.`,
    `Set it to something like ${DEFAULT_USER}, or unset it.`,
    ExitStatus.badInput,
  );
}

/**
 * Whoever writes there must be us, or we could not remove what was written. Only root can remove what is somebody else's, and
 * gives it away: no node runs as root.
 *
 * @param {string} folder just made
 * @param {{uid: number, gid: number}} user
 * @returns {string} who owns it then, as Compose wants it
 */
function giveTo(folder, { uid, gid }) {
  if (process.getuid?.() === 0) {
    try {
      chownSync(folder, uid, gid);
    } catch (error) {
      // A file server that takes nobody for root has given it an owner of its own choice.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') throw error;
    }
  }
  const owner = statSync(folder);
  return `${owner.uid}:${owner.gid}`;
}

/**
 * @param {Engine} engine
 * @returns {Promise<boolean>}
 */
async function isRootless(engine) {
  const { SecurityOptions: options } = /** @type {{SecurityOptions?: string[]}} */ (await engine.info());
  return options?.some((option) => option.includes('name=rootless')) ?? false;
}

/**
 * Idempotent. To be called when the project's containers are gone.
 *
 * @param {string} project
 * @throws {import('../../../errors.js').UserError} something of it stays
 */
export function removeFiles(project) {
  for (const { name, folder } of listRecords('files')) {
    if (name !== project) continue;
    removeFilesFolder(folder);
    removeRecord('files', project);
  }
}

/** @returns {string[]} projects whose files were placed by processes that are gone; some may be up */
export function projectsWithFiles() {
  return listRecords('files').flatMap((record) => (ownerLives(record) ? [] : [record.name]));
}
