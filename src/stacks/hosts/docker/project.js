/** Our Compose projects: their names, their owners, their files and how they end. */
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { nullIf } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { makeFilesFolder, removeFilesFolder } from '../../records/files-folder.js';
import { OwnerSchema, ownerLives, thisOwner } from '../../records/owners.js';
import { listRecords, removeRecord, writeRecord } from '../../records/records.js';
import { REDIS_NODES } from '../../redis/topology.js';
import { problem } from '../../texts.js';
import { recoverVolumes } from '../../volumes/volume.js';
import { KINDS } from '../../volumes/volume-kinds.js';
import { engineOrNull, runCompose, SERVER_IMAGES } from './engine.js';
import { removeRules } from './groups.js';

/** @import { Disks } from '../../volumes/disks.js' */
/** @import { Engine, NodeImages } from './engine.js' */

const NAME = 'sentinel-bench';

/** Names from {@link newProject}. Containers inherit labels from their image, so a label alone does not identify a project. */
const OWN_PROJECT = /^sentinel-bench-\d+-[a-z0-9]*$/;

const OwnerLabel = OwnerSchema.extend({ uid: z.int().optional() });

const PROJECT_LABEL = 'com.docker.compose.project';
const OWNER_LABEL = 'sentinel-bench.owner';

/** The profiles of services that may run with or instead of the usual six nodes, as in docker-compose.yml. */
export const PROFILES = Object.freeze(['shaping', 'mariadb', 'larger'].flatMap((name) => ['--profile', name]));

const DOWN_DEADLINE_MS = 60_000;
const GONE_DEADLINE_MS = 60_000;
const POLL_MS = 50;

/** That of `up` and, by Compose's own rules, of a plain `docker compose up`. Runs that start their own stack never touch it. */
export function sharedProject() {
  return process.env.COMPOSE_PROJECT_NAME || NAME;
}

export function newProject() {
  return `${NAME}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
}

/** Of a stack that ends with this process. A pid alone does not identify one: it is reused, and another container may have the same. */
export function ownerLabel() {
  return JSON.stringify({ ...thisOwner(), uid: process.getuid?.() });
}

/** @param {string} label @returns it names a process of this host that has ended, and that this user would see */
function ownerIsDead(label) {
  try {
    const owner = OwnerLabel.parse(JSON.parse(label));
    // Some systems hide the processes of other users, which then seem to have ended.
    return [0, owner.uid].includes(process.getuid?.()) && !ownerLives(owner);
  } catch {
    return false;
  }
}

/** @param {Engine} engine @returns our projects whose owner has ended and left them */
async function abandonedProjects(engine) {
  const { containers, networks, volumes } = await listLabelled(engine, OWNER_LABEL);
  const projects = /** @type {Set<string>} */ (new Set());
  for (const { Labels: labels = {} } of [...containers, ...networks, ...volumes]) {
    const project = labels[PROJECT_LABEL];
    // The label is empty on stacks that are meant to stay.
    if (OWN_PROJECT.test(project) && labels[OWNER_LABEL] && ownerIsDead(labels[OWNER_LABEL])) projects.add(project);
  }
  return [...projects];
}

/** Takes down all of a project at once. Idempotent. @param {Engine} engine @param {string} project @throws {UserError} a part is left */
export async function removeProject(engine, project) {
  // First, because only its networks say which rules are its own.
  await removeRules(engine, project);
  let complaint = '';
  let left = /** @type {string[]} */ ([]);
  const isGone = async () => {
    await removeOneByOne(engine, project);
    const down = await runCompose(project, [...PROFILES, 'down', '--timeout', '0', '--volumes', '--remove-orphans'], {
      timeoutMs: DOWN_DEADLINE_MS,
    });
    complaint = down.stderr.trim();
    // An abandoned `up` may have asked for one more container than `down` saw.
    left = await whatIsLeft(engine, project);
    return left.length === 0;
  };
  if (await waitFor(isGone, { deadlineMs: GONE_DEADLINE_MS, pollMs: POLL_MS })) return removeFiles(project);
  throw problem('stack-left', { project, left }, { detail: complaint });
}

/** The first version that does not deadlock when two containers of one network end at the same moment (moby/moby#46661). */
const ENDS_TOGETHER = '20.10.27';

/** For an engine that must not end containers together, as Compose does. @param {Engine} engine @param {string} project */
async function removeOneByOne(engine, project) {
  const { Version: version } = await engine.version();
  if (version.localeCompare(ENDS_TOGETHER, 'en', { numeric: true }) >= 0) return;
  const { containers } = await listLabelled(engine, `${PROJECT_LABEL}=${project}`);
  for (const { Id } of containers) {
    try {
      await engine.getContainer(Id).remove({ force: true, v: true });
    } catch (error) {
      // Another process removes it, or it is gone.
      if (![404, 409].includes(/** @type {{statusCode?: number}} */ (error).statusCode ?? 0)) throw error;
    }
  }
}

/** @param {Engine} engine @param {string} project @returns names of its containers, networks and volumes */
export async function whatIsLeft(engine, project) {
  const { containers, networks, volumes } = await listLabelled(engine, `${PROJECT_LABEL}=${project}`);
  return [
    ...containers.map((each) => each.Names[0].replace(/^\//, '')),
    ...[...networks, ...volumes].map((each) => each.Name),
  ];
}

async function listLabelled(/** @type {Engine} */ engine, /** @type {string} */ label) {
  const filters = { label: [label] };
  const [containers, networks, { Volumes }] = await Promise.all([
    engine.listContainers({ all: true, filters }),
    engine.listNetworks({ filters }),
    engine.listVolumes({ filters: JSON.stringify(filters) }),
  ]);
  return { containers, networks, volumes: Volumes ?? [] };
}

const USER_VARIABLE = 'SENTINEL_BENCH_USER';
const DEFAULT_USER = '999:999';

/**
 * Makes a folder of this machine where the Redis nodes keep their files, instead of in a volume of the engine.
 * @param {Engine} engine @param {string} project @param {string} folder from `chooseFilesFolder`; removed with the project
 * @returns a Compose file, to be used after docker-compose.yml @throws {UserError} the folder cannot be made
 */
export async function placeFiles(engine, project, folder) {
  const { SecurityOptions: options } = /** @type {{SecurityOptions?: string[]}} */ (await engine.info());
  const rootless = options?.some((option) => option.includes('name=rootless'));
  const user = nodeUser();
  writeRecord('files', project, folder);
  makeFilesFolder(folder);
  const services = REDIS_NODES.map(({ id }) => {
    const files = join(folder, id);
    // In a rootless engine, root in a container is the user who runs the engine.
    const runsAs = rootless ? '0:0' : giveTo(files, user);
    return [id, { user: runsAs, volumes: [bindOf(files, SERVER_IMAGES.folder)] }];
  });
  return writeComposeFile(folder, Object.fromEntries(services));
}

/** Has nodes keep their files on disks. @param {Disks} disks @param {NodeImages} images of the nodes @returns Compose files, there */
export function placeDisks({ list }, { folder: inside }) {
  return list.map(({ id, disk: { folder, path } }) =>
    writeComposeFile(folder, { [id]: { volumes: [bindOf(path, inside)] } }),
  );
}

/** @param {string} path on this machine @param {string} target in the container */
function bindOf(path, target) {
  // Compose substitutes what follows a dollar sign.
  return { type: 'bind', source: path.replaceAll('$', '$$$$'), target };
}

/** @param {string} folder where to write it @param {Record<string, unknown>} services @returns its path */
function writeComposeFile(folder, services) {
  const file = join(folder, 'compose.json');
  writeFileSync(file, JSON.stringify({ services }), { mode: 0o600 });
  return file;
}

/** @returns the user that nodes run as */
function nodeUser() {
  const text = process.env[USER_VARIABLE] || DEFAULT_USER;
  const [, uid, gid = uid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw problem('node-user', { variable: USER_VARIABLE, text, usual: DEFAULT_USER });
}

/**
 * Nodes must write as our own user, or we could not remove their files. Only root can remove the files of others, so root gives the folder
 * to the nodes' user: no node runs as root.
 * @param {string} folder just made @param {{uid: number, gid: number}} user @returns its owner after that, in Compose's form
 */
function giveTo(folder, { uid, gid }) {
  // A file server that does not trust root has chosen an owner itself.
  if (process.getuid?.() === 0) nullIf(['EPERM'], () => chownSync(folder, uid, gid));
  const owner = statSync(folder);
  return `${owner.uid}:${owner.gid}`;
}

/** Removes the project's folder of files. Idempotent; to be called when its containers are gone. @param {string} project */
function removeFiles(project) {
  for (const { name, folder } of listRecords('files')) {
    if (name !== project) continue;
    removeFilesFolder(folder);
    removeRecord('files', project);
  }
}

/** Removes the stacks that dead processes left, and their disks, but none that `up` started. @param {(line: string) => void} [tell] */
export async function recoverDocker(tell = () => {}) {
  const engine = await engineOrNull();
  if (engine) await removeAbandoned(engine, tell);
}

/** @param {Engine} engine @param {(line: string) => void} tell */
export async function removeAbandoned(engine, tell) {
  for (const project of await abandonedProjects(engine)) {
    await removeProject(engine, project);
    tell(`Removed the containers and networks of ${project}, whose process is gone.`);
  }
  for (const { name: project, owner } of listRecords('files')) {
    // A stack that `up` started stays. A stack that ended in another way left its files.
    const isUp = ownerLives(owner) || (await whatIsLeft(engine, project)).length > 0;
    if (!isUp) await removeProject(engine, project);
  }
  // Last, because the nodes kept their files there.
  await recoverVolumes(tell, [KINDS.contained]);
}
