import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { filesOf, makeFilesFolder, redisNodes, removeFilesFolder } from './files-folder.js';
import { listRecords, ownerLives, removeRecord, writeRecord } from './records.js';

/**
 * Directories of this machine where containers keep their nodes' files, instead of in a volume of the engine's.
 *
 * @typedef {import('./docker-engine.js').Engine} Engine
 */

/** Where the image has its volume; the same stands in docker-compose.yml. */
const INSIDE = '/data';

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {string} folder as chosen for it; made here, and removed with the project
 * @returns {Promise<string>} a file for Compose, beside docker-compose.yml, by which the Redis nodes keep their files there
 * @throws {import('../errors.js').UserError} the folder cannot be made
 */
export async function placeFiles(engine, project, folder) {
  const user = await ownerInside(engine);
  writeRecord('files', project, folder);
  makeFilesFolder(folder);
  const services = redisNodes().map(({ id }) => {
    // Compose fills in what follows a dollar sign.
    const source = filesOf(folder, id).replaceAll('$', '$$$$');
    return [id, { ...user, volumes: [{ type: 'bind', source, target: INSIDE }] }];
  });
  const file = join(folder, 'compose.json');
  writeFileSync(file, JSON.stringify({ services: Object.fromEntries(services) }), { mode: 0o600 });
  return file;
}

/**
 * Whoever writes there must be us, or we could not remove what was written.
 *
 * @param {Engine} engine
 * @returns {Promise<{user?: string}>}
 */
async function ownerInside(engine) {
  const { SecurityOptions: options } = /** @type {{SecurityOptions?: string[]}} */ (await engine.info());
  // There root in a container is the user who runs the engine.
  if (options?.some((option) => option.includes('name=rootless'))) return { user: '0:0' };
  const { uid, gid } = userInfo();
  // No numbers: the engine is in a virtual machine that sees to it.
  return uid < 0 ? {} : { user: `${uid}:${gid}` };
}

/**
 * Idempotent. To be called when the project's containers are gone.
 *
 * @param {string} project
 * @throws {import('../errors.js').UserError} something of it stays
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
