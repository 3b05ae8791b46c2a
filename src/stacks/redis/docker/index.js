/** The `docker` backend: a container for each node. Compose starts and removes the stack; the engine's API does the rest. */
import { UserError } from '../../../errors.js';
import { chooseImage, engineOrNull, obtainImage, openEngine, SERVER_IMAGES } from '../../hosts/docker/engine.js';
import { openGroups } from '../../hosts/docker/groups.js';
import { containedNodes, openDockerHost } from '../../hosts/docker/host.js';
import { openNetworks } from '../../hosts/docker/networks.js';
import { findNodes, INNER_PORT, openSite } from '../../hosts/docker/nodes.js';
import * as projects from '../../hosts/docker/project.js';
import { startContainers } from '../../hosts/docker/start.js';
import { linksEnvironment, openLinks, TOXIPROXY_IMAGES } from '../../hosts/docker/toxiproxy.js';
import { chooseFilesFolder } from '../../records/files-folder.js';
import { problem, text } from '../../texts.js';
import { knownLines, settingLines } from '../conf.js';
import { connectControl } from '../control.js';
import { SHARD_SETTINGS, SHARDS } from '../shards.js';
import { bringUp, openRedis } from '../start.js';
import { isUsual, isWhole, kindOf, nodesOf, quorumOf, whatStarts } from '../topology.js';

/** @import { Disks } from '../../volumes/disks.js' */
/** @import { Engine } from '../../hosts/docker/engine.js' */
/** @import { DockerSite } from '../../hosts/docker/nodes.js' */
/** @import { Site } from '../../hosts/host.js' */
/** @import { DatabaseOptions, NetworkOptions, Stack, StackOptions } from '../../types.js' */
/** @typedef {Partial<StackOptions> & {why?: string}} DockerOptions */

const ANSWER_DEADLINE_MS = 30_000;

/**
 * Can Docker start a stack here? Starts and pulls nothing. Takes milliseconds, or up to about 30 s if an engine or a registry is silent.
 * @param {DockerOptions} [options] @returns reason: one sentence
 */
export async function dockerAvailable(options = {}) {
  try {
    const { image, present } = await chooseImage(await openEngine(), options.image);
    return { ok: true, reason: text('docker-works', { image, where: present ? 'is here' : 'can be pulled' }) };
  } catch (error) {
    if (error instanceof UserError) return { ok: false, reason: error.message };
    throw error;
  }
}

/**
 * Starts a stack and waits until it is ready. First removes what dead processes left. @param {DockerOptions} [options]
 * @throws {UserError} no engine, no Compose, no image, a port is taken, or the stack is never ready; everything that was started is removed
 */
export async function startDocker(options = {}) {
  const { tell = () => {}, signal, detached = false, why = text('docker-nodes') } = options;
  nodesOf(options);
  if (options.shards && !isUsual(options)) throw problem('cluster-size');
  if (options.links && !isUsual(options)) throw problem('toxiproxy-size');
  const engine = await openEngine();
  const image = await obtainImage(engine, options.image, options);
  const toxiproxy = options.links ? await obtainImage(engine, undefined, options, TOXIPROXY_IMAGES) : null;
  await projects.removeAbandoned(engine, tell);
  if (detached) await makeRoom(engine, tell);
  signal?.throwIfAborted();

  const project = detached ? projects.sharedProject() : projects.newProject();
  tell(`Starting ${whatStarts(options)} in containers of ${image}.`);
  /** @param {Disks} disks */
  const compose = (disks) => composition(engine, project, { image, toxiproxy, disks }, options);
  return startContainers(engine, project, options, compose, async (disks) => {
    const containers = await openSite(engine, project);
    const site = await siteOf(containers, { ...options, ours: !detached, why, disks });
    return bringUp(site, nodesAt(site), options);
  });
}

/**
 * Finds the stack that `up` or a plain `docker compose up` started. It may be unhealthy.
 * @returns {Promise<Stack | null>} null: no stack, or no usable engine
 */
export async function attachDocker() {
  const engine = await engineOrNull();
  if (!engine || !(await isUp(engine))) return null;
  return openContainers(await openSite(engine, projects.sharedProject()));
}

/** @param {DockerSite} containers that run already @returns {Promise<Stack>} */
export async function openContainers(containers) {
  const site = await siteOf(containers, { ours: false, why: 'A Docker stack is already up.' });
  return openRedis(site, nodesAt(site));
}

/** @param {Engine} engine @returns the shared project has all nodes of a stack */
const isUp = async (engine) => isWhole((await findNodes(engine, projects.sharedProject())).map(({ id }) => id));

/**
 * @param {DockerSite} containers
 * @param {Pick<Site, 'ours' | 'why'> & DatabaseOptions & NetworkOptions & {disks?: Disks, signal?: AbortSignal}} options
 * @returns {Promise<Site>}
 * @throws {UserError} a Redis Cluster whose containers cannot be reached at their own addresses, which its nodes tell to clients
 */
async function siteOf(containers, { ours, why, disks, shards, links, signal }) {
  if (shards && !containers.direct) throw problem('cluster-unreachable');
  const host = openDockerHost(containers, SERVER_IMAGES, disks);
  const toxiproxy = links ? await openLinks(containers, { signal }) : null;
  const groups = shards || links ? null : await openGroups(containers);
  return { host, between: { links: openNetworks(containers, host, toxiproxy), groups }, ours, why };
}

/** @param {Site} site */
const nodesAt = ({ host }) => containedNodes(host, { connect: connectControl, deadlineMs: ANSWER_DEADLINE_MS });

/** Before `up`: refuses if a stack is up, and removes the rest of one. @param {Engine} engine @param {(line: string) => void} tell */
async function makeRoom(engine, tell) {
  if (await isUp(engine)) throw problem('docker-stack-up');
  const left = await projects.whatIsLeft(engine, projects.sharedProject());
  if (left.length === 0) return;
  tell(`Removing the rest of an earlier stack: ${left.join(', ')}.`);
  await projects.removeProject(engine, projects.sharedProject());
}

/**
 * @param {Engine} engine @param {string} project
 * @param {{image: string, toxiproxy: string | null, disks: Disks}} parts toxiproxy: to lie between the nodes; null: nothing does
 * @param {DockerOptions} options @returns {ReturnType<Parameters<typeof startContainers>[3]>}
 */
function composition(engine, project, { image, toxiproxy, disks }, options) {
  const { tell, detached = false, settings, dataDir, shards } = options;
  const nodes = nodesOf(options);
  const lines = settingLines({ ...settings, ...(shards && SHARD_SETTINGS) });
  return {
    place: { useDefaults: detached, nodes, tell },
    services: [...(shards ? SHARDS : nodes.map(({ id }) => id)), ...(toxiproxy ? ['toxiproxy'] : [])],
    files: async () => [
      // A failed attempt removed its own folder.
      ...(dataDir === undefined ? [] : [await projects.placeFiles(engine, project, chooseFilesFolder(dataDir))]),
      ...projects.placeDisks(disks, SERVER_IMAGES),
    ],
    env: (net) => ({
      SENTINEL_BENCH_IMAGE: image,
      ...(!isUsual(options) && sizeEnvironment(nodes, net)),
      ...(shards && { SENTINEL_BENCH_PRIMARY: '' }),
      ...(toxiproxy && linksEnvironment(net, toxiproxy)),
      ...(lines.length > 0 && { SENTINEL_BENCH_SETTINGS: lines.join('\n') }),
      // A health check starts a process in each container. A run polls readiness itself and avoids that noise.
      ...(detached ? {} : { SENTINEL_BENCH_OWNER: projects.ownerLabel(), SENTINEL_BENCH_HEALTH_INTERVAL: '1h' }),
    }),
  };
}

/** The last numbers of the nodes' addresses on `data`, as in docker-compose.yml. */
const FIRST_ADDRESS = { redis: 11, sentinel: 21 };

/** Environment of a Compose stack with an unusual number of nodes. @param {ReturnType<typeof nodesOf>} nodes @param {string} net of their addresses */
function sizeEnvironment(nodes, net) {
  const announced = (/** @type {string} */ id) => {
    const [kind, number] = /** @type {['redis' | 'sentinel', string]} */ (id.split('-'));
    return { host: `${net}.${FIRST_ADDRESS[kind] + Number(number) - 1}`, port: INNER_PORT[kind] };
  };
  const ids = nodes.map(({ id }) => id);
  const sentinels = ids.filter((id) => kindOf(id) === 'sentinel');
  const known = sentinels.map((id) => [
    `SENTINEL_BENCH_KNOWN_${id.split('-')[1]}`,
    knownLines(id, { nodes: ids, announced }).join('\n'),
  ]);
  return { SENTINEL_BENCH_QUORUM: String(quorumOf(sentinels.length)), ...Object.fromEntries(known) };
}
