/** Starts a Redis stack on any host, or opens one that runs there. */
import { nodeOf } from '../ask.js';
import { backendOn, NOTHING_USED, nodesOn } from '../host.js';
import { problem, text } from '../texts.js';
import { refusedSetting } from './conf.js';
import { openMembers, redial } from './members.js';
import { redisNodes } from './nodes.js';
import { openShards, SHARD_SETTINGS, SHARDS } from './shards.js';
import { OWN_ABILITIES, redisStack } from './stack.js';
import { FIRST_PRIMARY, kindOf, MASTER_NAME, whatStarts } from './topology.js';

/**
 * @import { Between, Host, Nodes } from '../host.js'
 * @import { Access, Ability, NodeHost, Stack, StackOptions } from '../types.js'
 * @import { Members } from './members.js'
 * @import { RedisNodes } from './nodes.js'
 *
 * @typedef {Object} Site of a stack
 * @property {Host} host
 * @property {Between} between its nodes
 * @property {string} why one sentence: why it runs there
 * @property {boolean} ours see `StackFacts`
 * @property {{can: readonly Ability[], access: Partial<Access>}} [more] what it has beside what every stack has
 */

/** On a busy machine a Sentinel may be stopped for 2 s, and is then in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;
const LOG_LINES = 8;

/** Another process took a port after we found it free. */
export class PortLostError extends Error {}

/**
 * @param {Site} site whose host has the places of all nodes
 * @param {{name: string, version: string, path: string}} server
 * @param {Partial<StackOptions> & Pick<RedisNodes, 'everywhere' | 'sentinelLines'>} options
 * @returns {Promise<Stack>} it is ready
 * @throws {PortLostError} a node has lost its port
 * @throws {UserError} it does not become ready. Its nodes are left as they are
 */
export async function bringUpRedis(site, server, { everywhere, sentinelLines, ...options }) {
  const { host, between } = site;
  const { tell = () => {}, signal, settings, shards = false, servers = [] } = options;
  const members = membersOf(site, shards);
  /** Nodes that have changed their server. @type {Map<string, string>} */
  const changed = new Map();
  const nodes = redisNodes(host, {
    program: (id) => changed.get(id) ?? server.path,
    server,
    between,
    everywhere,
    sentinelLines,
    settingsOf: (id) => ({
      ...settings,
      ...(shards && { ...SHARD_SETTINGS, 'cluster-port': String(busPortOf(host, id)) }),
    }),
  });

  /** @param {string} id */
  async function launch(id) {
    await nodes.prepare(id);
    try {
      await nodes.start(id, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw (await host.process(id)) === null ? await prematureEnd(host, id, settings) : error;
    }
  }

  try {
    tell(`Starting ${server.name} ${server.version}: ${whatStarts(options)}.`);
    const ids = host.nodes.map(({ id }) => id).filter((id) => !shards || SHARDS.includes(id));
    // The primary first: a replica that does not find it tries again only a second later. Sentinels last: if another server took a
    // node's port, they would make it a replica of ours.
    const replicas = ids.filter((id) => kindOf(id) === 'redis' && id !== FIRST_PRIMARY);
    const sentinels = ids.filter((id) => kindOf(id) === 'sentinel');
    for (const group of [[FIRST_PRIMARY], replicas, sentinels]) await Promise.all(group.map(launch));
    await members.ready({ deadlineMs: READY_DEADLINE_MS, signal });
    const { name, version } = await members.server();
    return await stackOf(site, members, { name, version: version ?? server.version }, nodes, {
      ...(site.ours && {
        changeServer(id, wanted) {
          const other = servers.find((each) => each.id === wanted);
          if (!other) throw new RangeError(`no server of this run is called ${wanted}`);
          changed.set(id, other.path);
        },
      }),
    });
  } catch (error) {
    members.close();
    throw error;
  }
}

/**
 * @param {Site} site of a stack that was started before, perhaps by another process
 * @param {{name: string, version: string}} server that it runs
 * @param {RedisNodes['program']} program
 * @returns {Promise<Stack>} it may be unhealthy
 */
export function openRedis(site, server, program) {
  const { name, version } = server;
  return stackOf(site, membersOf(site, false), { name, version }, redisNodes(site.host, { program, server }));
}

/** @param {Host} host @param {string} id @param {StackOptions['settings']} settings */
async function prematureEnd(host, id, settings) {
  const { port, folder } = nodeOf(host, id);
  const log = await host.logs(id, LOG_LINES);
  if (log.some((line) => line.includes('Address already in use')))
    return new PortLostError(`Port ${port} was taken by another process just before ${id} started`);
  const why = log.every((line) => line === '') ? text('no-log', { folder }) : text('see-log-lines');
  return refusedSetting(log, settings) ?? problem('ended-too-soon', { id, why }, { detail: log.join('\n') });
}

/**
 * @param {Site} site
 * @param {boolean} shards its nodes form a Redis Cluster. Its Sentinels do not start, so their ports are free for the cluster bus
 */
function membersOf({ host, between }, shards) {
  const nodes = nodesOn(host, between.ports);
  if (!shards) return openMembers(nodes, { masterName: MASTER_NAME, logs: host.logs });
  return openShards(nodes, { busPorts: new Map(nodes.map(({ id }) => [id, busPortOf(host, id)])), logs: host.logs });
}

/** @param {Host} host @param {string} id of a node of a Redis Cluster @returns {number} the port at which its peers reach it */
function busPortOf(host, id) {
  return nodeOf(host, id.replace('redis', 'sentinel')).port;
}

/**
 * @param {Site} site
 * @param {Members} members
 * @param {Stack['about']['server']} server
 * @param {Nodes} nodes
 * @param {Pick<NodeHost, 'changeServer'>} [ofHost]
 * @returns {Promise<Stack>}
 */
function stackOf({ host, between, why, ours, more }, members, server, { startAgain }, ofHost) {
  const { nodes, ask } = members.observer;
  // A short question, because its reply counts in what the node sent.
  const sections = host.used ? ['stats'] : ['stats', 'cpu', 'memory'];
  const backend = backendOn(
    host,
    between,
    { nodes, ours, why, server },
    {
      startAgain,
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
    },
  );
  const can = [...backend.can, ...OWN_ABILITIES, ...(more?.can ?? [])];
  return redisStack({ ...backend, can, host: { ...backend.host, ...ofHost } }, members, { access: more?.access });
}
