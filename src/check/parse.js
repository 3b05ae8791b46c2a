/** Turns the replies of one server into the plain data of `types.js`. Pure. */
/** @import { Address } from '../stacks/types.js' @import { Known, CheckedNode, Sentinel, SentinelView } from './types.js' */
import { parseInfo } from '../resp/info.js';
import { formatAddress, readAddress } from '../stacks/address.js';
import { serverOf } from '../stacks/redis/members.js';
import { toRecord } from '../stacks/redis/observe.js';
import { cleanLine } from '../untrusted.js';
import { PROMOTION, SETTINGS } from './commands.js';
import { isKnown, Unknown, whenKnown } from './unknown.js';

/**
 * @typedef {{address: Address, online: boolean, ackSeconds: number}} Follower
 * @typedef {Record<'info' | 'later' | 'commands' | 'latency' | 'clients', unknown> & {seconds: number,
 *   config: Readonly<Record<string, unknown>>, deniedToSentinel: readonly string[] | Unknown}} NodeReplies of INFO twice and the seconds
 *   between, COMMAND INFO of {@link PROMOTION}, LATENCY HISTOGRAM, CLIENT LIST; config: of CONFIG GET by name
 */

/** No Redis has more replicas in practice; INFO of a hostile server may. */
const MOST_REPLICAS = 100;
const US_A_MS = 1000;

/** @param {unknown} text */
const number = (text) => (Number.isFinite(Number(text)) ? Number(text) : 0);

/** @param {Address} address @param {string} why @returns {CheckedNode} that did not answer */
export function silentNode(address, why) {
  const unknown = new Unknown(why);
  const config = Object.fromEntries(SETTINGS.map((name) => [name, unknown]));
  const replies = { info: '', later: '', seconds: 0, config, commands: unknown, latency: unknown, clients: unknown };
  const { node } = nodeOf(address, { ...replies, deniedToSentinel: unknown }, { login: false });
  const rest = { minReplicas: unknown, bytesPerSecond: unknown, changesPerSecond: unknown };
  return { ...node, why, role: null, follows: null, ...rest };
}

/** @type {(address: Address, replies: NodeReplies, how: {login: boolean}) => {node: CheckedNode, followers: Follower[]}} */
export function nodeOf(address, replies, { login }) {
  const info = parseInfo(String(replies.info));
  const later = parseInfo(String(replies.later));
  const { seconds } = replies;
  const settings = settingsOf(replies.config);
  const isPrimary = info.role === 'master';
  const offset = number(isPrimary ? later.master_repl_offset : later.slave_repl_offset);
  const rate = (/** @type {string} */ field) =>
    info[field] === undefined || seconds <= 0
      ? new Unknown('INFO was read once')
      : Math.max(0, (number(later[field]) - number(info[field])) / seconds);
  const keyspace = Object.entries(info).filter(([field]) => /^db\d+$/.test(field));
  const { name, version } = serverOf(info);
  const followers = followersOf(info);
  const priority = settings['replica-priority'];
  return {
    followers,
    node: {
      ...{ id: formatAddress(address), address, aliases: [], machine: address.host },
      ...{ why: null, heard: false, lagBytes: null, ackSeconds: null, login },
      runId: info.run_id ?? '',
      server: { name, version: version ?? '' },
      role: isPrimary ? 'primary' : 'replica',
      follows: isPrimary ? null : formatAddress({ host: info.master_host, port: number(info.master_port) }),
      linkUp: info.master_link_status === 'up',
      followers: followers.filter(({ online }) => online).map(({ address: each }) => formatAddress(each)),
      offset,
      settings,
      minReplicas: minReplicasOf(info, settings),
      priority: number(info.slave_priority ?? (isKnown(priority) ? priority : 100)),
      hidden: hiddenOf(replies.commands, replies.config),
      aof: info.aof_enabled === '1',
      hasFile: (info.config_file ?? '') !== '',
      saved: {
        changes: number(later.rdb_changes_since_last_save),
        ok: info.rdb_last_bgsave_status !== 'err' && info.aof_last_write_status !== 'err',
      },
      dataBytes: number(info.used_memory_dataset ?? info.used_memory),
      keys: keyspace.reduce((sum, [, text]) => sum + number(/keys=(\d+)/.exec(text)?.[1]), 0),
      maxmemory: number(info.maxmemory),
      policy: info.maxmemory_policy ?? '',
      backlogBytes: number(info.repl_backlog_size),
      evicted: number(info.evicted_keys),
      bytesPerSecond: isPrimary ? rate('master_repl_offset') : rate('slave_repl_offset'),
      changesPerSecond: rate('rdb_changes_since_last_save'),
      slowestMs: slowestOf(replies.latency),
      forkMs: number(info.latest_fork_usec) / US_A_MS,
      libraries: whenKnown(replies.clients, librariesOf),
      deniedToSentinel: replies.deniedToSentinel,
    },
  };
}

/** @param {Readonly<Record<string, string>>} info of a node @returns {Follower[]} */
function followersOf(info) {
  return Object.entries(info)
    .filter(([field]) => /^slave\d+$/.test(field))
    .slice(0, MOST_REPLICAS)
    .map(([, text]) => {
      const { ip, port, state, lag } = Object.fromEntries(text.split(',').map((pair) => pair.split('=')));
      return { address: readAddress(ip, port), online: state === 'online', ackSeconds: number(lag) };
    });
}

/** @param {NodeReplies['config']} config @returns {Record<string, string | Unknown>} */
function settingsOf(config) {
  return Object.fromEntries(
    SETTINGS.map((name) => {
      const value = whenKnown(config[name], (reply) => toRecord(reply ?? [])[name]);
      return [name, value ?? new Unknown(`the server has no setting ${name}`)];
    }),
  );
}

/**
 * INFO has `min_slaves_good_slaves` only where both settings are above zero. So without CONFIG it is known whether the setting is in force.
 * @param {Readonly<Record<string, string>>} info of a node @param {Readonly<Record<string, string | Unknown>>} settings
 */
function minReplicasOf(info, settings) {
  const [minimum, lag] = [settings['min-replicas-to-write'], settings['min-replicas-max-lag']];
  if (isKnown(minimum)) return isKnown(lag) && number(lag) === 0 ? 0 : number(minimum);
  return info.min_slaves_good_slaves === undefined ? 0 : minimum;
}

/** @param {unknown} commands @param {NodeReplies['config']} config @returns {readonly string[] | Unknown} */
function hiddenOf(commands, config) {
  if (Array.isArray(commands))
    return PROMOTION.filter((_, index) => !Array.isArray(commands[index]) || commands[index].length === 0);
  const isMissing = Object.values(config).some((reply) => reply instanceof Unknown && reply.missing);
  return isMissing ? ['CONFIG'] : /** @type {Unknown} */ (commands);
}

/** @param {unknown} reply of LATENCY HISTOGRAM: command, [calls, n, histogram_usec, [bucket, cumulative, …]], … @returns ms */
function slowestOf(reply) {
  if (reply instanceof Unknown) return reply;
  if (!Array.isArray(reply)) return new Unknown('LATENCY HISTOGRAM has an unexpected form');
  let most = 0;
  for (let i = 1; i < reply.length; i += 2) {
    // Blocking commands count their wait there, in which the server does other work.
    const buckets = reply[i]?.[3];
    if (Array.isArray(buckets) && buckets.length >= 2) most = Math.max(most, number(buckets.at(-2)));
  }
  return most / US_A_MS;
}

/** @param {unknown} reply of CLIENT LIST @returns connections by library; those of Sentinels and replicas, and ours, are not among them */
function librariesOf(reply) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const line of String(reply).split('\n')) {
    const pairs = line.trim().split(' ');
    const { id, name, flags, cmd, 'lib-name': lib } = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s)));
    if (id === undefined || /^sentinel-/.test(name) || /[SM]/.test(flags) || /^client\|list/.test(cmd)) continue;
    const library = cleanLine(lib || 'no lib-name');
    found[library] = (found[library] ?? 0) + 1;
  }
  return found;
}

/** @param {unknown} reply of CLIENT LIST @returns {string[]} the users of the Sentinels that are connected */
export function sentinelUsers(reply) {
  const users = String(reply)
    .split('\n')
    .flatMap((line) => (/ name=sentinel-\w+-cmd /.test(line) ? (/ user=(\S+)/.exec(line)?.[1] ?? []) : []));
  return [...new Set(users)];
}

/** @param {Address} address @param {string} why @returns {Sentinel} that did not answer */
export function silentSentinel(address, why) {
  const place = { id: formatAddress(address), address, machine: address.host };
  return { ...place, why, heard: false, runId: '', version: '', tilt: false, view: null };
}

/** @param {unknown} replies of SENTINEL MASTERS, REPLICAS and SENTINELS @throws {Error} not a Sentinel; the message ends a sentence */
export function recordsOf(replies) {
  if (replies instanceof Unknown) throw new Error(replies.missing ? 'it is not a Sentinel' : replies.why);
  if (!Array.isArray(replies) || !replies.every(Array.isArray)) throw new Error('it does not answer as a Sentinel');
  if (replies.length > MOST_REPLICAS) throw new Error(`it names more than ${MOST_REPLICAS} nodes`);
  return replies.map(toRecord);
}

/** @param {Record<string, string>} master @param {Record<'replicas' | 'peers', typeof master[]> & {canDecide: boolean | Unknown}} more */
export function viewOf(master, { replicas, peers, canDecide }) {
  return {
    primary: addressIn(master),
    quorum: number(master.quorum),
    downAfterMs: number(master['down-after-milliseconds']),
    failoverTimeoutMs: number(master['failover-timeout']),
    parallelSyncs: number(master['parallel-syncs']),
    flags: (master.flags ?? '').split(','),
    peers: peers.map(knownOf),
    replicas: replicas.map(knownOf),
    canDecide,
  };
}

/** @param {Record<string, string>} record @returns {Known} */
function knownOf(record) {
  return { id: addressIn(record), runId: record.runid ?? '', flags: (record.flags ?? '').split(',') };
}

/** @param {Record<string, string>} record */
function addressIn({ ip, port }) {
  return formatAddress(readAddress(ip, port));
}
