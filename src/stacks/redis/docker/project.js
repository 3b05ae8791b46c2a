import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../../../errors.js';
import { startTimeOf } from '../../processes.js';
import { runCompose } from './command.js';
import { removeFiles } from './files.js';

/** @import { Engine } from './engine.js' */

/**
 * Compose projects of ours: what they are called, whose they are, and how they end.
 */

/** As in docker-compose.yml. */
const NAME = 'sentinel-bench';

/** What {@link newProject} makes. A container has the labels of its image, too, so a label alone says nothing of a project. */
const OWN_PROJECT = /^sentinel-bench-\d+-[a-z0-9]*$/;

const OwnerSchema = z.object({
  pid: z.number().int().positive(),
  startTime: z.string().nullable(),
  host: z.string(),
  uid: z.number().int().optional(),
});

const PROJECT_LABEL = 'com.docker.compose.project';
const OWNER_LABEL = 'sentinel-bench.owner';

/** What may be up beside the six nodes. As in docker-compose.yml. */
export const PROFILES = Object.freeze(['shaping', 'tunnel'].flatMap((name) => ['--profile', name]));

const DOWN_DEADLINE_MS = 60_000;
const GONE_DEADLINE_MS = 60_000;
const POLL_MS = 50;

/**
 * @returns {string} the project of `up` and, by Compose's own rules, of a plain `docker compose up`. Never touched by runs
 *   that start a stack of their own.
 */
export function sharedProject() {
  return process.env.COMPOSE_PROJECT_NAME || NAME;
}

/** @returns {string} a project that nobody else has */
export function newProject() {
  return `${NAME}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
}

/**
 * The owner label of a stack that ends with this process. A pid alone identifies nothing: it is reused, and another
 * container's may be the same.
 *
 * @returns {string}
 */
export function ownerLabel() {
  return JSON.stringify({
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    host: hostname(),
    uid: process.getuid?.(),
  });
}

/**
 * @param {string} label
 * @returns {boolean} it names a process of this host that is gone, and of which this user can know it
 */
export function ownerIsDead(label) {
  const owner = parseOwner(label);
  if (owner === null || owner.host !== hostname()) return false;
  // Some systems hide the processes of other users, which would seem gone.
  const own = process.getuid?.();
  return (own === 0 || owner.uid === own) && startTimeOf(owner.pid) !== owner.startTime;
}

/**
 * @param {string} label
 * @returns {z.infer<typeof OwnerSchema> | null} null: it is not one of ours
 */
function parseOwner(label) {
  try {
    return OwnerSchema.parse(JSON.parse(label));
  } catch {
    return null;
  }
}

/**
 * @param {Engine} engine
 * @returns {Promise<string[]>} projects of ours whose owner died and left them
 */
export async function abandonedProjects(engine) {
  const { containers, networks, volumes } = await listLabelled(engine, OWNER_LABEL);
  /** @type {Set<string>} */
  const projects = new Set();
  for (const { Labels: labels = {} } of [...containers, ...networks, ...volumes]) {
    const project = labels[PROJECT_LABEL];
    // The label is empty on stacks that are meant to stay.
    if (OWN_PROJECT.test(project) && labels[OWNER_LABEL] && ownerIsDead(labels[OWNER_LABEL])) projects.add(project);
  }
  return [...projects];
}

/**
 * Takes a project down: containers, volumes, files, networks. Idempotent. The nodes are killed: there is nothing to save.
 *
 * @param {Engine} engine
 * @param {string} project
 * @throws {UserError} when something of it stays
 */
export async function removeProject(engine, project) {
  const deadline = performance.now() + GONE_DEADLINE_MS;
  for (;;) {
    const down = await runCompose(project, [...PROFILES, 'down', '--timeout', '0', '--volumes', '--remove-orphans'], {
      timeoutMs: DOWN_DEADLINE_MS,
    });
    // An abandoned `up` may have asked for one more container than `down` saw.
    const left = await whatIsLeft(engine, project);
    if (left.length === 0) return removeFiles(project);
    if (performance.now() >= deadline) {
      throw new UserError(
        `The stack ${project} could not be taken down: ${left.join(', ')} is left.`,
        `Run \`docker compose --project-name ${project} down --volumes\` and look at what it says.`,
        undefined,
        { detail: down.stderr.trim() },
      );
    }
    await delay(POLL_MS);
  }
}

/**
 * @param {Engine} engine
 * @param {string} project
 * @returns {Promise<string[]>} names of its containers, networks and volumes
 */
export async function whatIsLeft(engine, project) {
  const { containers, networks, volumes } = await listLabelled(engine, `${PROJECT_LABEL}=${project}`);
  return [
    ...containers.map((each) => each.Names[0].replace(/^\//, '')),
    ...[...networks, ...volumes].map((each) => each.Name),
  ];
}

/**
 * @param {Engine} engine
 * @param {string} label
 */
async function listLabelled(engine, label) {
  const filters = { label: [label] };
  const [containers, networks, { Volumes }] = await Promise.all([
    engine.listContainers({ all: true, filters }),
    engine.listNetworks({ filters }),
    engine.listVolumes({ filters: JSON.stringify(filters) }),
  ]);
  return { containers, networks, volumes: Volumes ?? [] };
}
