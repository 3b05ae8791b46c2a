/** Reads deployments: asks the Sentinels, the nodes that they name, and the nodes that those name. It only reads. */
import { setTimeout as delay } from 'node:timers/promises';
import { badInput, messageOf, UserError } from '../errors.js';
import { parseInfo } from '../resp/info.js';
import { formatAddress, readAddress } from '../stacks/address.js';
import { loginFor } from '../stacks/redis/control.js';
import { explainRefusal } from '../stacks/redis/external/refusal.js';
import { AWAY, majority } from '../stacks/redis/observe.js';
import { MOST_CLIENTS, openReader, PROMOTION, SETTINGS } from './commands.js';
import { nodeOf, recordsOf, sentinelUsers, silentNode, silentSentinel, viewOf } from './parse.js';
import { isKnown, Unknown } from './unknown.js';

/**
 * @import { Address, Credentials } from '../stacks/types.js'
 * @import { Reader, Trace } from './commands.js'
 * @import { Follower } from './parse.js'
 * @import { Deployment, CheckedNode, Sentinel, SentinelView } from './types.js'
 *
 * @typedef {Object} ReadOptions
 * @property {Credentials} credentials
 * @property {readonly string[]} [masterNames] default: every name that the Sentinels watch
 * @property {boolean} [onlyInfo] of the nodes nothing but INFO
 * @property {Trace} [trace]
 * @property {number} [sampleMs] between the two INFOs of a node
 *
 * @typedef {{sentinel: Sentinel, names: readonly string[], views: Map<string, SentinelView>}} Interview names: of all primaries that it watches
 */

/** No deployment has more Sentinels or nodes; a hostile one names them without end. */
const MOST_SERVERS = 50;
const SAMPLE_MS = 1000;
/** Of a node that is asked for INFO alone. @type {Reader} */
const NO_READER = { ask: async () => new Unknown('--only info leaves it out'), close() {} };

/**
 * @param {readonly Address[]} given Sentinels
 * @param {ReadOptions} reading
 * @returns {Promise<Deployment[]>} one for each name
 * @throws {UserError} no Sentinel answers, or none watches the name
 */
export async function readDeployments(given, reading) {
  const interviews = await interviewAll(given, reading);
  const answered = interviews.filter(({ sentinel }) => sentinel.why === null);
  if (answered.length === 0) {
    const [{ sentinel }] = interviews;
    throw new UserError(
      `No Sentinel answers: ${interviews.map(({ sentinel: { id, why } }) => `${id} (${why})`).join(', ')}.`,
      remedyFor(sentinel),
    );
  }
  const watched = [...new Set(answered.flatMap((each) => each.names))].sort();
  const names = reading.masterNames ?? watched;
  const absent = names.find((name) => !watched.includes(name));
  if (absent !== undefined || names.length === 0)
    throw badInput(
      absent === undefined
        ? 'These Sentinels watch no primary.'
        : `No Sentinel watches a primary called ${absent}; they watch ${watched.join(', ') || 'none'}.`,
      'Give one of the names they watch with --master-name, or other Sentinels.',
    );
  return Promise.all(names.map((name) => readDeployment(name, interviews, reading)));
}

/** @param {Sentinel} sentinel that did not answer */
function remedyFor({ why }) {
  return /not a Sentinel/.test(why ?? '')
    ? 'Give the port of a Sentinel (usually 26379), not that of a Redis node.'
    : 'Check the address, the user, the password and TLS, and that no firewall blocks this machine.';
}

/**
 * Asks those that were given, those that they name, and so on.
 * @param {readonly Address[]} given
 * @param {ReadOptions} reading
 * @returns {Promise<Interview[]>} each Sentinel once
 */
async function interviewAll(given, reading) {
  /** @type {Map<string, Interview>} by address */
  const found = new Map();
  let todo = given.map((address) => ({ address, namedBy: 'you' }));
  while (todo.length > 0) {
    const asked = await Promise.all(todo.map(({ address, namedBy }) => interview(address, namedBy, reading)));
    for (const each of asked) found.set(each.sentinel.id, each);
    const seen = () => new Set([...found.values()].map(({ sentinel }) => sentinel.runId).filter(Boolean));
    const named = asked.flatMap(({ sentinel, views }) =>
      [...views.values()].flatMap(({ peers }) => peers.map((peer) => ({ ...peer, namedBy: sentinel.id }))),
    );
    const fresh = new Map(
      named.filter(({ id, runId }) => !found.has(id) && !seen().has(runId)).map((peer) => [peer.id, peer]),
    );
    todo = [...fresh.values()]
      .slice(0, MOST_SERVERS - found.size)
      .map(({ id, namedBy }) => ({ address: addressOf(id), namedBy }));
  }
  // The user and a peer may call one Sentinel by different addresses.
  const byRunId = new Map([...found.values()].map((each) => [each.sentinel.runId || each.sentinel.id, each]));
  return [...byRunId.values()];
}

/** @param {string} id `host:port` */
function addressOf(id) {
  const at = id.lastIndexOf(':');
  return readAddress(id.slice(0, at), id.slice(at + 1));
}

/** @param {Address} address @param {string} namedBy @param {ReadOptions} reading @returns {Promise<Interview>} */
async function interview(address, namedBy, { credentials, masterNames, trace = () => {} }) {
  try {
    const reader = await openReader(address, loginFor(credentials, 'sentinel'), { trace, namedBy });
    try {
      const [info, runId, masters] = await Promise.all([
        reader.ask('INFO'),
        reader.ask('SENTINEL', 'MYID'),
        reader.ask('SENTINEL', 'MASTERS').then(recordsOf),
      ]);
      const server = isKnown(info) ? parseInfo(String(info)) : {};
      const wanted = masters.filter(({ name }) => masterNames?.includes(name) ?? true);
      const views = await Promise.all(
        wanted.map(async (master) => /** @type {const} */ ([master.name, await viewIn(reader, master)])),
      );
      return {
        sentinel: {
          ...silentSentinel(address, ''),
          why: null,
          runId: isKnown(runId) ? String(runId) : '',
          version: server.valkey_version ?? server.redis_version ?? '',
          tilt: server.sentinel_tilt === '1',
        },
        names: masters.map(({ name }) => name),
        views: new Map(views),
      };
    } finally {
      reader.close();
    }
  } catch (error) {
    return { sentinel: silentSentinel(address, reasonOf(error, credentials)), names: [], views: new Map() };
  }
}

/** @param {unknown} error @param {Credentials} credentials @returns {string} why a server could not be read */
function reasonOf(error, { tls }) {
  if (error instanceof UserError) return error.message;
  const plain = Object.assign(new Error(messageOf(error)), { code: /** @type {any} */ (error).code });
  return explainRefusal(plain, { tls }).what;
}

/**
 * @param {Reader} reader of a Sentinel
 * @param {Record<string, string>} master
 */
async function viewIn(reader, master) {
  const [replicas, peers, quorum] = await Promise.all([
    reader.ask('SENTINEL', 'REPLICAS', master.name).then(recordsOf),
    reader.ask('SENTINEL', 'SENTINELS', master.name).then(recordsOf),
    reader.ask('SENTINEL', 'CKQUORUM', master.name),
  ]);
  const isNo = quorum instanceof Unknown && /NOQUORUM/.test(quorum.why);
  return viewOf(master, { replicas, peers, canDecide: isNo ? false : isKnown(quorum) ? true : quorum });
}

/**
 * @param {string} masterName
 * @param {readonly Interview[]} interviews
 * @param {ReadOptions} reading
 * @returns {Promise<Deployment>}
 */
async function readDeployment(masterName, interviews, reading) {
  const sentinels = interviews.map(({ sentinel, views }) => ({ ...sentinel, view: views.get(masterName) ?? null }));
  const named = sentinels.flatMap(({ id, view }) =>
    view === null
      ? []
      : [view.primary, ...view.replicas.map((replica) => replica.id)].map((node) => ({
          address: addressOf(node),
          namedBy: id,
        })),
  );
  const reached = new Set(
    sentinels.flatMap(({ view }) =>
      [...(view?.peers ?? []), ...(view?.replicas ?? [])].filter(isUp).map(({ id }) => id),
    ),
  );
  const heard = (/** @type {{id: string, why: string | null}} */ { id, why }) => why !== null && reached.has(id);
  const nodes = (await readNodes(named, reading)).map((node) => ({ ...node, heard: heard(node) }));
  const agreed = majority(sentinels.flatMap(({ view }) => (view === null ? [] : addressOf(view.primary))));
  const primary = agreed && nodes.find((node) => [node.id, ...node.aliases].includes(formatAddress(agreed)));
  return {
    masterName,
    readAt: new Date().toISOString(),
    sentinels: sentinels.map((one) => ({ ...one, heard: heard(one) })),
    nodes: withLag(nodes, primary ?? null),
    primary: primary?.id ?? null,
  };
}

/** @param {{flags: readonly string[]}} known */
const isUp = ({ flags }) => !flags.some((flag) => AWAY.includes(flag));

/**
 * @param {readonly {address: Address, namedBy: string}[]} named
 * @param {ReadOptions} reading
 * @returns {Promise<CheckedNode[]>} each once, also if it is known by several addresses
 */
async function readNodes(named, reading) {
  /** @type {Map<string, CheckedNode>} by address */
  const found = new Map();
  /** Seconds, by address. @type {Map<string, number>} */
  const heard = new Map();
  let todo = named;
  while (todo.length > 0) {
    const fresh = new Map(
      todo
        .filter(({ address }) => !found.has(formatAddress(address)))
        .map((each) => [formatAddress(each.address), each]),
    );
    const read = await Promise.all(
      [...fresh.values()].slice(0, MOST_SERVERS - found.size).map((each) => readNode(each, reading)),
    );
    for (const { node } of read) found.set(node.id, node);
    for (const { followers } of read)
      for (const each of followers) heard.set(formatAddress(each.address), each.ackSeconds);
    todo = read.flatMap(({ node, followers }) => followers.map(({ address }) => ({ address, namedBy: node.id })));
  }
  return joined([...found.values()].map((node) => ({ ...node, ackSeconds: heard.get(node.id) ?? null })));
}

/**
 * @param {readonly CheckedNode[]} nodes
 * @returns {CheckedNode[]} one for each run id, with its other addresses; `follows` is an id
 */
function joined(nodes) {
  /** @type {Map<string, CheckedNode>} */
  const once = new Map();
  for (const node of nodes) {
    const same = once.get(node.runId || node.id);
    once.set(node.runId || node.id, same ? { ...same, aliases: [...same.aliases, node.id] } : node);
  }
  const all = [...once.values()];
  const idOf = (/** @type {string} */ name) =>
    all.find((each) => [each.id, ...each.aliases].includes(name))?.id ?? name;
  return all.map((node) => ({
    ...node,
    follows: node.follows && idOf(node.follows),
    followers: node.followers.map(idOf),
  }));
}

/** @param {CheckedNode[]} nodes @param {CheckedNode | null} primary */
function withLag(nodes, primary) {
  return nodes.map((node) => ({
    ...node,
    lagBytes:
      primary !== null && node.role === 'replica' && node.follows === primary.id
        ? Math.max(0, primary.offset - node.offset)
        : null,
  }));
}

/**
 * @param {{address: Address, namedBy: string}} where
 * @param {ReadOptions} reading
 * @returns {Promise<{node: CheckedNode, followers: Follower[]}>}
 */
async function readNode(
  { address, namedBy },
  { credentials, trace = () => {}, onlyInfo = false, sampleMs = SAMPLE_MS },
) {
  const login = loginFor(credentials, 'redis');
  try {
    const reader = await openReader(address, login, { trace, namedBy });
    try {
      const began = performance.now();
      const info = await reader.ask('INFO');
      if (info instanceof Unknown) throw new Error(`${info.why}, which needs the permission ${info.allow || '+info'}`);
      const more = await moreOf(onlyInfo ? NO_READER : reader, parseInfo(String(info)));
      await delay(Math.max(0, sampleMs - (performance.now() - began)));
      const later = await reader.ask('INFO');
      const seconds = (performance.now() - began) / 1000;
      return nodeOf(
        address,
        { info, later: isKnown(later) ? later : info, seconds, ...more },
        { login: login.password !== undefined },
      );
    } finally {
      reader.close();
    }
  } catch (error) {
    return { node: silentNode(address, reasonOf(error, credentials)), followers: [] };
  }
}

/**
 * @param {Reader} reader of a node
 * @param {Readonly<Record<string, string>>} info
 */
async function moreOf(reader, info) {
  const [config, commands, latency, clients] = await Promise.all([
    settingsIn(reader, info),
    reader.ask('COMMAND', 'INFO', ...PROMOTION),
    reader.ask('LATENCY', 'HISTOGRAM'),
    clientsIn(reader, Number(info.connected_clients)),
  ]);
  return {
    config,
    commands,
    latency,
    clients,
    deniedToSentinel: isKnown(clients) ? await denialsIn(reader, sentinelUsers(clients)) : clients,
  };
}

/**
 * @param {Reader} reader
 * @param {Readonly<Record<string, string>>} info
 * @returns {Promise<Record<string, unknown>>} reply by name
 */
async function settingsIn(reader, { redis_version: version = '0' }) {
  // Several names in one command need Redis 7.
  if (Number(version.split('.')[0]) >= 7) {
    const reply = await reader.ask('CONFIG', 'GET', ...SETTINGS);
    return Object.fromEntries(SETTINGS.map((name) => [name, reply]));
  }
  return Object.fromEntries(
    await Promise.all(SETTINGS.map(async (name) => [name, await reader.ask('CONFIG', 'GET', name)])),
  );
}

/**
 * CLIENT LIST takes 15 ms in a server with 5,000 clients. Of many clients the youngest are looked at.
 * @param {Reader} reader
 * @param {number} count as INFO says
 */
export async function clientsIn(reader, count) {
  if (count <= MOST_CLIENTS) return reader.ask('CLIENT', 'LIST');
  const own = await reader.ask('CLIENT', 'ID');
  if (own instanceof Unknown) return own;
  const ids = Array.from({ length: Math.min(MOST_CLIENTS, Number(own)) }, (_, index) => String(Number(own) - index));
  return reader.ask('CLIENT', 'LIST', 'ID', ...ids);
}

/** What a Sentinel sends to promote a replica. @type {readonly string[][]} */
const STEPS = [
  ['SLAVEOF', 'NO', 'ONE'],
  ['CONFIG', 'REWRITE'],
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['MULTI'],
  ['EXEC'],
];

/**
 * @param {Reader} reader
 * @param {readonly string[]} users of Sentinels
 * @returns {Promise<readonly string[] | Unknown>}
 */
async function denialsIn(reader, users) {
  /** @type {string[]} */
  const denied = [];
  for (const user of users.filter((name) => name !== 'default').slice(0, 2)) {
    for (const step of STEPS) {
      const reply = await reader.ask('ACL', 'DRYRUN', user, ...step);
      if (reply instanceof Unknown) return reply;
      if (String(reply) !== 'OK') denied.push(step.join(' '));
    }
  }
  return denied;
}
