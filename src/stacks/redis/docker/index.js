import { UserError } from '../../../errors.js';
import { flushDisks, NO_DISKS } from '../../disks.js';
import { chooseImage, ensureImage, openEngine, runCompose } from '../../docker/engine.js';
import { startContainers } from '../../docker/host.js';
import { findNodes } from '../../docker/nodes.js';
import { startPlaced } from '../../docker/placement.js';
import * as projects from '../../docker/project.js';
import { engineOrNull, removeAbandoned } from '../../docker/recover.js';
import { chooseFilesFolder } from '../../files-folder.js';
import { problem } from '../../texts.js';
import { knownLines, settingLines } from '../conf.js';
import { serverOf } from '../members.js';
import { SHARD_SETTINGS, SHARDS } from '../shards.js';
import { describeNodes, isUsual, isWhole, nodesOf, noSuchCluster, quorumOf } from '../topology.js';
import { ensureLinksImage, linksEnvironment } from './links.js';
import { becomesReady, openDockerStack, stackOf } from './stack.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Stack, StackOptions } from '../../types.js'
 * @import { Engine, ImageChoice } from '../../docker/engine.js'
 * @import { DockerStack } from './stack.js'
 */

/**
 * The `docker` backend: a container for each node. Compose starts and removes the stack; the engine's API does the rest.
 *
 * @typedef {Partial<StackOptions> & {why?: string}} DockerOptions
 */

/** On a busy machine a Sentinel may be stopped for 2 s, and is then in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;

const WHY = 'A Docker engine answers: each node has its own container.';

/** @param {DockerOptions} options */
function askedImage({ image }) {
  return image ?? process.env.SENTINEL_BENCH_IMAGE;
}

/**
 * Can Docker start a stack here? Starts and pulls nothing. Takes milliseconds, or up to about 30 s if an engine or a registry does not
 * answer.
 * @param {DockerOptions} [options]
 * @returns {Promise<{ok: boolean, reason: string}>} one sentence
 */
export async function dockerAvailable(options = {}) {
  try {
    const { image, present } = await chooseImage(await openEngine(), askedImage(options));
    const where = present ? 'is here' : 'can be pulled';
    return { ok: true, reason: `A Docker engine with Compose answers, and the image ${image} ${where}.` };
  } catch (error) {
    if (error instanceof UserError) return { ok: false, reason: error.message };
    throw error;
  }
}

/**
 * Starts a stack and waits until it is ready. First removes what dead processes left.
 * @param {DockerOptions} [options]
 * @returns {Promise<Stack>}
 * @throws {UserError} no engine, no Compose, no image, a port is taken, or the stack never becomes ready; everything that was
 *   started is removed
 */
export async function startDocker(options = {}) {
  const { tell = () => {}, signal, detached = false, shards = false, links: linked = false, settings } = options;
  checkSize(options);
  const engine = await openEngine();
  const choice = await chooseImage(engine, askedImage(options));
  await ensureImage(choice, { tell, signal });
  const toxiproxy = linked ? await ensureLinksImage(engine, { tell, signal }) : null;
  await removeAbandoned(engine, tell);
  if (detached) await makeRoom(engine, tell);
  signal?.throwIfAborted();

  const project = detached ? projects.sharedProject() : projects.newProject();
  return startContainers(engine, project, { ...options, tell }, async (disks) => {
    const what = shards ? 'a Redis Cluster of three primaries' : describeNodes(sizedNodes(options));
    tell(`Starting ${what} in containers of ${choice.image}.`);
    await composeUp(engine, project, { image: choice.image, toxiproxy, disks }, options);
    const dockerStack = await openDockerStack(engine, project, { shards, linked, signal });
    try {
      await becomesReady(dockerStack, { deadlineMs: READY_DEADLINE_MS, signal, settings });
      await flushDisks(disks);
      const server = await dockerStack.members.server();
      return await stackOf(dockerStack, { ours: !detached, why: options.why ?? WHY, server }, disks);
    } catch (error) {
      dockerStack.members.close();
      throw error;
    }
  });
}

/**
 * Finds the stack that `up` or a plain `docker compose up` started. It may be unhealthy.
 * @param {DockerOptions} [_options]
 * @returns {Promise<Stack | null>} null: no stack, or no usable engine
 */
export async function attachDocker(_options = {}) {
  const engine = await engineOrNull();
  if (!engine || !(await isUp(engine))) return null;
  const dockerStack = await openDockerStack(engine, projects.sharedProject());
  const server = await anyServer(dockerStack);
  return stackOf(dockerStack, { ours: false, why: 'A Docker stack is already up.', server }, NO_DISKS);
}

/** @param {Engine} engine */
async function isUp(engine) {
  return isWhole((await findNodes(engine, projects.sharedProject())).map(({ id }) => id));
}

/** @param {DockerOptions} options */
function sizedNodes({ replicas, sentinelCount }) {
  return nodesOf({ replicas, sentinelCount });
}

/** @param {DockerOptions} options @throws {UserError} no stack can have this size */
function checkSize(options) {
  sizedNodes(options);
  if (isUsual(options)) return;
  if (options.shards) throw noSuchCluster();
  if (options.links) throw problem('toxiproxy-size');
}

/**
 * @param {DockerStack} dockerStack may lack a primary
 * @returns {Promise<{name: string, version: string | null}>} as the first node that answers says
 */
async function anyServer({ host, members: { observer } }) {
  const redis = host.nodes.filter((node) => node.kind === 'redis');
  const answers = redis.map(({ id }) => observer.ask(id, (control) => control.info('server')));
  try {
    return serverOf(await Promise.any(answers));
  } catch (error) {
    if (error instanceof AggregateError) return { name: 'unknown', version: null };
    throw error;
  }
}

/**
 * Before `up`: refuses if a whole stack is up, and removes an incomplete one.
 * @param {Engine} engine
 * @param {(line: string) => void} tell
 */
async function makeRoom(engine, tell) {
  if (await isUp(engine)) throw problem('docker-stack-up');
  const left = await projects.whatIsLeft(engine, projects.sharedProject());
  if (left.length === 0) return;
  tell(`Removing the rest of an earlier stack: ${left.join(', ')}.`);
  await projects.removeProject(engine, projects.sharedProject());
}

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {{image: string, toxiproxy: ImageChoice | null, disks: Disks}} parts toxiproxy: to lie between the nodes; null: nothing does
 * @param {DockerOptions} options
 */
async function composeUp(engine, project, { image, toxiproxy, disks }, options) {
  const { tell, signal, detached, settings, dataDir, shards } = options;
  const nodes = sizedNodes(options);
  const lines = settingLines({ ...settings, ...(shards && SHARD_SETTINGS) });
  const services = [...(shards ? SHARDS : nodes.map(({ id }) => id)), ...(toxiproxy ? ['toxiproxy'] : [])];
  await startPlaced(engine, project, {
    place: { useDefaults: Boolean(detached), nodes, tell },
    signal,
    async up({ env, timeoutMs }) {
      // A failed attempt removed its own folder.
      const placed =
        dataDir === undefined ? [] : [await projects.placeFiles(engine, project, chooseFilesFolder(dataDir))];
      return runCompose(project, ['up', '--detach', '--pull', 'never', ...services], {
        files: [...placed, ...projects.placeDisks(disks)],
        env: {
          ...env,
          SENTINEL_BENCH_IMAGE: image,
          ...(!isUsual(options) && sizeEnvironment(nodes, env.SENTINEL_BENCH_NET)),
          ...(shards && { SENTINEL_BENCH_PRIMARY: '' }),
          ...(toxiproxy && linksEnvironment(env.SENTINEL_BENCH_NET, toxiproxy)),
          ...(lines.length > 0 && { SENTINEL_BENCH_SETTINGS: lines.join('\n') }),
          // A health check starts a process in each container. A run polls readiness itself and avoids that noise.
          ...(detached ? {} : { SENTINEL_BENCH_OWNER: projects.ownerLabel(), SENTINEL_BENCH_HEALTH_INTERVAL: '1h' }),
        },
        signal,
        timeoutMs,
      });
    },
  });
}

/** The last numbers of the nodes' addresses on `data`, as in docker-compose.yml. */
const FIRST_ADDRESS = { redis: 11, sentinel: 21 };
const PORTS = { redis: 6379, sentinel: 26379 };

/**
 * Settings that Sentinels get beforehand in a stack of an unusual size.
 * @param {ReturnType<typeof nodesOf>} nodes
 * @param {string} net the first three numbers of their addresses
 * @returns {Record<string, string>}
 */
function sizeEnvironment(nodes, net) {
  const announced = (/** @type {string} */ id) => {
    const [kind, number] = /** @type {['redis' | 'sentinel', string]} */ (id.split('-'));
    return { host: `${net}.${FIRST_ADDRESS[kind] + Number(number) - 1}`, port: PORTS[kind] };
  };
  const ids = nodes.map(({ id }) => id);
  const sentinels = nodes.filter(({ kind }) => kind === 'sentinel');
  return {
    SENTINEL_BENCH_QUORUM: String(quorumOf(sentinels.length)),
    ...Object.fromEntries(
      sentinels.map(({ id }) => [
        `SENTINEL_BENCH_KNOWN_${id.split('-')[1]}`,
        knownLines(id, { nodes: ids, announced }).join('\n'),
      ]),
    ),
  };
}
