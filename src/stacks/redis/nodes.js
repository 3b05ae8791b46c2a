/** The nodes of a Redis stack on any host: their configurations, and how they start. */
import { askOnce, nodeOf } from '../ask.js';
import { problem } from '../texts.js';
import { foreignLine, nodeConf, settingLines } from './conf.js';
import { connectControl } from './control.js';
import { FIRST_PRIMARY, kindOf, MASTER_NAME } from './topology.js';

/**
 * @import { Between, Host, Nodes, Place } from '../hosts/host.js'
 * @import { Address } from '../types.js'
 * @import { Settings } from './conf.js'
 * @typedef {Host & Required<Pick<Host, 'read'>>} ReadableHost
 * @typedef {Object} RedisNodes
 * @property {(id: string) => string | Promise<string>} program with which a node starts
 * @property {{name: string, version: string}} server what these programs are
 * @property {readonly ({id: string} & Address)[]} [nodes] of the stack; default: those of the host
 * @property {Pick<Between, 'ports' | 'sourceOf'>} [between]
 * @property {(id: string) => Settings} [settingsOf] of a Redis node, instead of those of the template
 * @property {readonly string[]} [sentinelLines] further lines for each Sentinel
 * @property {boolean} [everywhere] Redis nodes listen at every address of their machine
 * @property {string} [password] of Redis nodes
 * @property {(id: string) => number | undefined} [groupOf] see `Program.gid`
 */

const ANSWER_DEADLINE_MS = 30_000;
const CONF = 'node.conf';
/** The same as we wrote it: nodes write down their changes of role in the other. */
const OWN_CONF = 'own.conf';

/** @param {ReadableHost} host @param {RedisNodes} redis @returns {Nodes} */
export function redisNodes(host, redis) {
  const { program, password, groupOf } = redis;
  const placeOf = (/** @type {string} */ id) => nodeOf(host, id);

  /** @type {Nodes['start']} */
  async function start(id, signal) {
    const sentinel = kindOf(id) === 'sentinel';
    const login = sentinel || password === undefined ? {} : { password };
    await host.start(id, {
      command: [await program(id), `${placeOf(id).folder}/${CONF}`, ...(sentinel ? ['--sentinel'] : [])],
      gid: groupOf?.(id),
      deadlineMs: ANSWER_DEADLINE_MS,
      signal,
      // Another server may have the port.
      async isUp() {
        const asked = askOnce(connectControl(placeOf(id), login), (control) => control.info('server'));
        const answering = await asked.then(({ process_id: pid }) => Number(pid)).catch(() => null);
        return answering !== null && answering === (await host.process(id))?.pid;
      },
    });
  }

  return {
    async prepare(id) {
      const text = confOf(placeOf(id), redis, host);
      await host.write(id, CONF, text);
      await host.write(id, OWN_CONF, text);
    },
    start,
    async startAgain(id) {
      const [text, ownText] = [await host.read(id, CONF), await host.read(id, OWN_CONF)];
      const line = foreignLine(text, { ownText, dir: placeOf(id).data });
      if (line !== null) throw problem('foreign-line', { id, line: JSON.stringify(line) });
      await start(id);
    },
  };
}

/** @param {Place} place of a node @param {RedisNodes} redis @param {Pick<Host, 'nodes'>} host @returns {string} its configuration */
function confOf(place, redis, host) {
  const { nodes = host.nodes, between: { ports } = {}, sentinelLines = [], password } = redis;
  const { id, data, port } = place;
  const settings = redis.settingsOf?.(id) ?? {};

  /** @param {string} each id of a node @returns {Address} as its peers reach it */
  function announced(each) {
    const { host: name, port: own } = nodeOf({ nodes }, each);
    return { host: name, port: ports?.get(each) ?? own };
  }

  const at = announced(id);
  return nodeConf(id, {
    dir: data,
    port,
    nodes: nodes.map((node) => node.id),
    announced,
    // A primary of a Redis Cluster follows no node.
    follows: id !== FIRST_PRIMARY && settings['cluster-enabled'] !== 'yes',
    ofSentinel: [
      ...bindLines(place, redis),
      ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
      ...sentinelLines,
    ],
    ofRedis: [
      ...(ports ? [`replica-announce-ip ${at.host}`, `replica-announce-port ${at.port}`] : []),
      ...bindLines(place, redis),
      ...(password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`]),
      ...settingLines(settings),
    ],
  });
}

/** @param {Place} place of a node @param {RedisNodes} redis @returns {string[]} settings that make it dial from the address by which others know it */
function bindLines({ id, host: name }, { between, everywhere, server }) {
  const source = between?.sourceOf?.(id);
  if (source === undefined) return [`bind ${name}`];
  if (everywhere && kindOf(id) === 'redis') return ['bind 0.0.0.0', `bind-source-addr ${source}`];
  // Redis 6.2 dials from the first address it listens on.
  if (server.name === 'redis' && server.version.startsWith('6.'))
    return [`bind ${[...new Set([source, name])].join(' ')}`];
  return [`bind ${name}`, `bind-source-addr ${source}`];
}
