/** Reads deployments: asks the Sentinels, the nodes that they name, and the nodes that those name. It only reads. */
import { setTimeout as delay } from 'node:timers/promises';
import { badInput, messageOf, UserError } from '../errors.js';
import { parseInfo } from '../resp/info.js';
import { formatAddress, readAddress } from '../stacks/address.js';
import { loginFor } from '../stacks/redis/control.js';
import { explainRefusal } from '../stacks/redis/external/refusal.js';
import { AWAY, majority } from '../stacks/redis/observe.js';
import { MOST_CLIENTS, PROMOTION, SETTINGS, withReader } from './commands.js';
import { nodeOf, recordsOf, sentinelUsers, silentNode, silentSentinel, viewOf } from './parse.js';
import { isKnown, Unknown } from './unknown.js';

/**
 * @import { Address, Credentials } from '../stacks/types.js' @import { Reader, Trace } from './commands.js'
 * @import { Follower } from './parse.js' @import { Deployment, CheckedNode, Sentinel, SentinelView } from './types.js'
 * @typedef {{credentials: Credentials, masterNames?: readonly string[], onlyInfo?: boolean, trace?: Trace, sampleMs?: number}} ReadOptions
 *   masterNames: default: every name that the Sentinels watch; onlyInfo: of nodes nothing but INFO; sampleMs: between the two INFOs of a node
 * @typedef {{address: Address, namedBy: string, runId?: string}} Named
 * @typedef {{sentinel: Sentinel, names: readonly string[], views: Map<string, SentinelView>}} Interview names: of all primaries that it watches
 */

/** No deployment has more Sentinels or nodes; a hostile one names them without end. */
const MOST_SERVERS = 50;
const SAMPLE_MS = 1000;
/** Of a node that is asked for INFO alone. @type {Reader} */
const NO_READER = { ask: async () => new Unknown('--only info leaves it out') };

/**
 * @param {readonly Address[]} given Sentinels @param {ReadOptions} reading @returns {Promise<Deployment[]>} one for each name
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
  const remedy = 'Give one of the names they watch with --master-name, or other Sentinels.';
  if (names.length === 0) throw badInput('These Sentinels watch no primary.', remedy);
  const absent = names.find((name) => !watched.includes(name));
  const others = watched.join(', ') || 'none';
  if (absent !== undefined)
    throw badInput(`No Sentinel watches a primary called ${absent}; they watch ${others}.`, remedy);
  return Promise.all(names.map((name) => readDeployment(name, interviews, reading)));
}

/** @param {Sentinel} sentinel that did not answer */
function remedyFor({ why }) {
  return /not a Sentinel/.test(why ?? '')
    ? 'Give the port of a Sentinel (usually 26379), not that of a Redis node.'
    : 'Check the address, the user, the password and TLS, and that no firewall blocks this machine.';
}

/**
 * Visits the servers that are named, those that they name, and so on.
 * @template T @param {readonly Named[]} first @param {(one: Named) => Promise<T>} visit @param {(visited: T) => Named[]} named
 * @param {(one: Named, visited: readonly T[]) => boolean} [isKnownAs] by another address @returns {Promise<T[]>} one for each address
 */
async function visitAll(first, visit, named, isKnownAs = () => false) {
  /** @type {Map<string, T>} by address */
  const found = new Map();
  for (let todo = first; todo.length > 0; ) {
    const visited = [...found.values()];
    const byAddress = new Map(todo.map((each) => [formatAddress(each.address), each]));
    const fresh = [...byAddress].filter(([id, each]) => !found.has(id) && !isKnownAs(each, visited));
    const batch = fresh.slice(0, MOST_SERVERS - found.size);
    const all = await Promise.all(batch.map(async ([id, each]) => /** @type {const} */ ([id, await visit(each)])));
    for (const [id, one] of all) found.set(id, one);
    todo = all.flatMap(([, one]) => named(one));
  }
  return [...found.values()];
}

/** @param {readonly Address[]} given @param {ReadOptions} reading @returns {Promise<Interview[]>} each Sentinel once */
async function interviewAll(given, reading) {
  const found = await visitAll(
    given.map((address) => ({ address, namedBy: 'you' })),
    (named) => interview(named, reading),
    ({ sentinel, views }) =>
      [...views.values()].flatMap(({ peers }) =>
        peers.map(({ id, runId }) => ({ address: addressOf(id), runId, namedBy: sentinel.id })),
      ),
    ({ runId = '' }, visited) => runId !== '' && visited.some(({ sentinel }) => sentinel.runId === runId),
  );
  // The user and a peer may call one Sentinel by different addresses.
  return [...new Map(found.map((each) => [each.sentinel.runId || each.sentinel.id, each])).values()];
}

/** @param {string} id `host:port` */
function addressOf(id) {
  const at = id.lastIndexOf(':');
  return readAddress(id.slice(0, at), id.slice(at + 1));
}

/** @param {Named} named @param {ReadOptions} reading @returns {Promise<Interview>} */
async function interview({ address, namedBy }, { credentials, masterNames, trace = () => {} }) {
  try {
    return await withReader(address, loginFor(credentials, 'sentinel'), { trace, namedBy }, async (reader) => {
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
    });
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

/** @param {Reader} reader of a Sentinel @param {Record<string, string>} master */
async function viewIn(reader, master) {
  const [replicas, peers, quorum] = await Promise.all([
    reader.ask('SENTINEL', 'REPLICAS', master.name).then(recordsOf),
    reader.ask('SENTINEL', 'SENTINELS', master.name).then(recordsOf),
    reader.ask('SENTINEL', 'CKQUORUM', master.name),
  ]);
  const isNo = quorum instanceof Unknown && /NOQUORUM/.test(quorum.why);
  return viewOf(master, { replicas, peers, canDecide: isNo ? false : isKnown(quorum) ? true : quorum });
}

/** @param {string} masterName @param {readonly Interview[]} interviews @param {ReadOptions} reading @returns {Promise<Deployment>} */
async function readDeployment(masterName, interviews, reading) {
  const sentinels = interviews.map(({ sentinel, views }) => ({ ...sentinel, view: views.get(masterName) ?? null }));
  const views = sentinels.flatMap(({ id, view }) => (view === null ? [] : { ...view, namedBy: id }));
  const named = views.flatMap(({ primary, replicas, namedBy }) =>
    [primary, ...replicas.map(({ id }) => id)].map((id) => ({ address: addressOf(id), namedBy })),
  );
  const reached = new Set(
    views.flatMap(({ peers, replicas }) => [...peers, ...replicas].filter(isUp).map(({ id }) => id)),
  );
  const heard = (/** @type {{id: string, why: string | null}} */ { id, why }) => why !== null && reached.has(id);
  const nodes = (await readNodes(named, reading)).map((node) => ({ ...node, heard: heard(node) }));
  const agreed = majority(views.map((view) => addressOf(view.primary)));
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

/** Each once, also if it is known by several addresses. @param {readonly Named[]} named @param {ReadOptions} reading */
async function readNodes(named, reading) {
  const read = await visitAll(
    named,
    (each) => readNode(each, reading),
    ({ node, followers }) => followers.map(({ address }) => ({ address, namedBy: node.id })),
  );
  const heard = new Map(
    read.flatMap(({ followers }) => followers.map((each) => [formatAddress(each.address), each.ackSeconds])),
  );
  return joined(read.map(({ node }) => ({ ...node, ackSeconds: heard.get(node.id) ?? null })));
}

/** @param {readonly CheckedNode[]} nodes @returns {CheckedNode[]} one for each run id, with its other addresses; `follows` is an id */
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
  return nodes.map((node) => {
    const isCopy = primary !== null && node.role === 'replica' && node.follows === primary.id;
    return { ...node, lagBytes: isCopy ? Math.max(0, primary.offset - node.offset) : null };
  });
}

/** @param {Named} named @param {ReadOptions} reading @returns {Promise<{node: CheckedNode, followers: Follower[]}>} */
async function readNode(
  { address, namedBy },
  { credentials, trace = () => {}, onlyInfo = false, sampleMs = SAMPLE_MS },
) {
  const login = loginFor(credentials, 'redis');
  try {
    return await withReader(address, login, { trace, namedBy }, async (reader) => {
      const began = performance.now();
      const info = await reader.ask('INFO');
      if (info instanceof Unknown) throw new Error(`${info.why}, which needs the permission ${info.allow || '+info'}`);
      const more = await moreOf(onlyInfo ? NO_READER : reader, parseInfo(String(info)));
      await delay(Math.max(0, sampleMs - (performance.now() - began)));
      const asked = await reader.ask('INFO');
      const seconds = (performance.now() - began) / 1000;
      const later = isKnown(asked) ? asked : info;
      return nodeOf(address, { info, later, seconds, ...more }, { login: login.password !== undefined });
    });
  } catch (error) {
    return { node: silentNode(address, reasonOf(error, credentials)), followers: [] };
  }
}

/** @param {Reader} reader of a node @param {Readonly<Record<string, string>>} info */
async function moreOf(reader, info) {
  const [config, commands, latency, clients] = await Promise.all([
    settingsIn(reader, info),
    reader.ask('COMMAND', 'INFO', ...PROMOTION),
    reader.ask('LATENCY', 'HISTOGRAM'),
    clientsIn(reader, Number(info.connected_clients)),
  ]);
  const deniedToSentinel = isKnown(clients) ? await denialsIn(reader, sentinelUsers(clients)) : clients;
  return { config, commands, latency, clients, deniedToSentinel };
}

/** @param {Reader} reader @param {Readonly<Record<string, string>>} info @returns {Promise<Record<string, unknown>>} reply by name */
async function settingsIn(reader, { redis_version: version = '0' }) {
  // Several names in one command need Redis 7.
  const all = Number.parseInt(version, 10) >= 7 ? reader.ask('CONFIG', 'GET', ...SETTINGS) : null;
  const replies = SETTINGS.map(async (name) => [name, await (all ?? reader.ask('CONFIG', 'GET', name))]);
  return Object.fromEntries(await Promise.all(replies));
}

/** CLIENT LIST takes 15 ms with 5,000 clients, so of many the youngest are listed. @param {Reader} reader @param {number} count of INFO */
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

/** @param {Reader} reader @param {readonly string[]} users of Sentinels @returns {Promise<readonly string[] | Unknown>} */
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
