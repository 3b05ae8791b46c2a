import { UserError } from '../../errors.js';
import { nodeOf } from '../ask.js';
import { backendOn, NOTHING_USED, nodesOn } from '../hosts/host.js';
import { problem, text } from '../texts.js';
import { refusedSetting } from './conf.js';
import { openMembers, redial, serverOf } from './members.js';
import { redisNodes } from './nodes.js';
import { openShards, SHARD_SETTINGS, SHARDS } from './shards.js';
import { OWN_ABILITIES, redisStack } from './stack.js';
import { FIRST_PRIMARY, kindOf, MASTER_NAME, whatStarts } from './topology.js';

/** @import { Host, Nodes, Site } from '../hosts/host.js' */
/** @import { Access, Ability, DatabaseOptions, NodeHost, Stack, StackOptions } from '../types.js' */
/** @import { Members } from './members.js' */
/** @import { ReadableHost, RedisNodes } from './nodes.js' */
/** @typedef {Site & {more?: {can: readonly Ability[], access: Partial<Access>}}} RedisSite more: what it has beside what every stack has */

/** On a busy machine a Sentinel may be stopped for 2 s, and is then in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;
const LOG_LINES = 8;

/** Another process took a port after we found it free. */
export class PortLostError extends Error {}

/**
 * Starts nodes whose configurations we write. @param {RedisSite & {host: ReadableHost}} site whose host has the places of all nodes
 * @param {{name: string, version: string, path: string}} server
 * @param {Partial<StackOptions> & Pick<RedisNodes, 'everywhere' | 'sentinelLines'>} options
 * @returns {Promise<Stack>} as {@link bringUp} does
 */
export async function bringUpRedis(site, server, { everywhere, sentinelLines, ...options }) {
  const { host, between } = site;
  const { tell = () => {}, settings, shards, servers = [] } = options;
  /** Nodes that have changed their server. @type {Map<string, string>} */
  const changed = new Map();
  // The Sentinels of a Redis Cluster do not start, so their ports are free for the cluster bus.
  const busPorts = shards && new Map(SHARDS.map((id) => [id, nodeOf(host, id.replace('redis', 'sentinel')).port]));
  const nodes = redisNodes(host, {
    program: (id) => changed.get(id) ?? server.path,
    server,
    between,
    everywhere,
    sentinelLines,
    settingsOf: (id) => ({
      ...settings,
      ...(busPorts && { ...SHARD_SETTINGS, 'cluster-port': String(busPorts.get(id)) }),
    }),
  });
  tell(`Starting ${server.name} ${server.version}: ${whatStarts(options)}.`);
  const stack = await bringUp(site, nodes, { ...options, version: server.version, busPorts });
  if (!site.ours) return stack;
  /** @type {Required<NodeHost>['changeServer']} */
  function changeServer(id, wanted) {
    const other = servers.find((each) => each.id === wanted);
    if (!other) throw new RangeError(`no server of this run is called ${wanted}`);
    changed.set(id, other.path);
  }
  return { ...stack, host: { ...stack.host, changeServer } };
}

/**
 * @param {RedisSite} site @param {Nodes} nodes of the site
 * @param {DatabaseOptions & {version?: string, busPorts?: ReadonlyMap<string, number>, signal?: AbortSignal}} options version: of the server,
 *   if it does not say it; busPorts: see `openShards` @returns {Promise<Stack>} it is ready
 * @throws {PortLostError} a node has lost its port @throws {UserError} it does not become ready. Its nodes are left as they are
 */
export async function bringUp(site, nodes, { shards, settings, signal, version, busPorts }) {
  const { host } = site;
  const members = membersOf(site, shards, busPorts);

  async function launch(/** @type {string} */ id) {
    await nodes.prepare(id);
    try {
      await nodes.start(id, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw (await host.process(id)) === null ? await prematureEnd(host, id, { settings, error }) : error;
    }
  }

  try {
    const ids = host.nodes.map(({ id }) => id).filter((id) => !shards || SHARDS.includes(id));
    // The primary first: a replica that does not find it tries again only a second later. Sentinels last: if another server took a
    // node's port, they would make it a replica of ours.
    const replicas = ids.filter((id) => kindOf(id) === 'redis' && id !== FIRST_PRIMARY);
    const sentinels = ids.filter((id) => kindOf(id) === 'sentinel');
    for (const group of [[FIRST_PRIMARY], replicas, sentinels]) await Promise.all(group.map(launch));
    await members.ready({ deadlineMs: READY_DEADLINE_MS, signal });
    const server = await members.server();
    return await stackOf(site, members, { ...server, version: server.version ?? version ?? null }, nodes);
  } catch (error) {
    members.close();
    throw error;
  }
}

/**
 * @param {RedisSite} site of a stack that was started before, perhaps by another process @param {Nodes} nodes of the site
 * @param {Stack['about']['server']} [server] that it runs; default: as the first node that answers says
 * @returns {Promise<Stack>} it may be unhealthy
 */
export async function openRedis(site, nodes, server) {
  const members = membersOf(site);
  return stackOf(site, members, server ?? (await anyServer(members)), nodes);
}

/** @param {Members} members may lack a primary @returns {Promise<Stack['about']['server']>} */
function anyServer({ observer: { nodes, ask } }) {
  const redis = nodes.filter(({ kind }) => kind === 'redis');
  const answers = redis.map(({ id }) => ask(id, (control) => control.info('server')));
  return Promise.any(answers).then(serverOf, () => ({ name: 'unknown', version: null }));
}

/** @param {Host} host @param {string} id @param {{settings: DatabaseOptions['settings'], error: unknown}} options error: of its start */
async function prematureEnd(host, id, { settings, error }) {
  const { port, folder } = nodeOf(host, id);
  const log = await host.logs(id, LOG_LINES);
  if (log.some((line) => line.includes('Address already in use')))
    return new PortLostError(`Port ${port} was taken by another process just before ${id} started`);
  const refused = refusedSetting(log, settings);
  if (refused || error instanceof UserError) return refused ?? error;
  const why = log.every((line) => line === '') ? text('no-log', { folder }) : text('see-log-lines');
  return problem('ended-too-soon', { id, why }, { detail: log.join('\n') });
}

/** @param {RedisSite} site @param {boolean} [shards] its nodes form a Redis Cluster @param {ReadonlyMap<string, number>} [busPorts] */
function membersOf({ host, between }, shards, busPorts) {
  const nodes = nodesOn(host, between.ports);
  if (shards) return openShards(nodes, { busPorts, logs: host.logs });
  return openMembers(nodes, { masterName: MASTER_NAME, logs: host.logs });
}

/**
 * @param {RedisSite} site @param {Members} members @param {Stack['about']['server']} server @param {Nodes} nodes @returns {Promise<Stack>}
 */
function stackOf({ host, between, why, ours, more }, members, server, { startAgain }) {
  const { nodes, ask } = members.observer;
  // A short question, because its reply counts in what the node sent.
  const sections = host.used ? ['stats'] : ['stats', 'cpu', 'memory'];
  const backend = backendOn(host, between, {
    ...{ nodes, ours, why, server, startAgain },
    async onJoined(id) {
      const { kind, address } = nodeOf({ nodes }, id);
      if (kind === 'redis') await redial(address);
    },
    async used(id) {
      const info = await ask(id, (control) => control.info(...sections));
      return {
        ...NOTHING_USED,
        networkInBytes: Number(info.total_net_input_bytes),
        networkOutBytes: Number(info.total_net_output_bytes),
        cpuSeconds: Number(info.used_cpu_sys) + Number(info.used_cpu_user),
        memoryBytes: Number(info.used_memory_rss),
      };
    },
  });
  const can = [...backend.can, ...OWN_ABILITIES, ...(more?.can ?? [])];
  return redisStack({ ...backend, can }, members, more?.access);
}
