import { messageOf } from '../../errors.js';
import { cleanLine } from '../../untrusted.js';
import { formatAddress, readAddress, sameAddress } from '../address.js';
import { nodeOf } from '../ask.js';
import { connectControl, isReplyError, loginFor } from './control.js';
import { countIn } from './usage.js';

/**
 * What all nodes of a stack report at one moment.
 * @import { Address, Credentials, LeftOut, NodeInfo } from '../types.js'
 * @import { Control } from './control.js'
 * @typedef {Object} Snapshot nothing in it waited: a node that cannot be asked has an `error`
 * @property {string} masterName
 * @property {string | null} primary id of the node that most Sentinels call the primary; null: no majority, or a node outside the stack
 * @property {RedisState[]} redis
 * @property {SentinelState[]} sentinels
 * @property {readonly LeftOut[]} [leftOut] an existing deployment: what the Sentinels know and the stack leaves out
 * @typedef {Object} RedisState
 * @property {string} id
 * @property {Address} announced
 * @property {string | null} error why it could not be asked; all other fields are then empty
 * @property {'primary' | 'replica' | null} role as the node itself says
 * @property {Address | null} follows a replica: its primary
 * @property {boolean} linkUp a replica: the link to its primary works
 * @property {number | null} offset bytes of replication stream written (primary) or processed (replica)
 * @property {number | null} lagBytes a replica: how far behind the primary, ≥ 0; null while unknown
 * @property {number | null} lagSeconds a replica: whole seconds since its last acknowledgement, as the primary counts
 * @property {number | null} priority a replica: its replica-priority; 0: Sentinels never promote it
 * @property {boolean} online a replica: the primary sends it the stream
 * @property {number | null} goodReplicas a primary with min-replicas set: how many good replicas it counts, once a second. Otherwise null
 * @typedef {Object} SentinelState
 * @property {string} id
 * @property {Address} announced
 * @property {string | null} error
 * @property {Address | null} primary what it tells clients
 * @property {string[]} flags its flags of the primary: only `master` when all is well, else `s_down`, `o_down`, `failover_in_progress` …
 * @property {{address: Address, flags: string[], heard: boolean}[]} replicas heard: it got the replica's INFO at least once, without which it
 *   would not choose it at a failover
 * @property {number} otherSentinels how many it knows
 * @property {boolean} tilt its clock or its process stopped for over 2 s, so it takes no part in failovers for 30 s
 * @property {{ok: boolean, text: string}} quorum SENTINEL CKQUORUM's answer
 * @typedef {ReturnType<typeof openObserver>} Observer keeps its connections for the next snapshot
 */

/** Flags of a node that the Sentinel cannot reach. A Sentinel never forgets a replica by itself. */
export const AWAY = ['s_down', 'o_down', 'disconnected'];

/** Of a Sentinel's last INFO of a node, in ms. If there was none: 0, or before Redis 7 the time since 1970. @param {string} ms */
const isAge = (ms) => Number(ms) > 0 && Number(ms) < 365 * 24 * 3600 * 1000;

/** @param {readonly NodeInfo[]} nodes @param {{masterName: string, credentials?: Credentials}} options */
export function openObserver(nodes, { masterName, credentials = {} }) {
  const { ask, close } = keepConnections(credentials);
  const redis = nodes.filter((node) => node.kind === 'redis');
  const sentinels = nodes.filter((node) => node.kind === 'sentinel');
  return {
    nodes,
    /** Never rejects; takes as long as the slowest node, at most two timeouts. */
    async snapshot() {
      const askRedis = (/** @type {NodeInfo} */ node) =>
        answered({ ...unknownNode(node), followers: [] }, ask(node, redisState));
      const askSentinel = (/** @type {NodeInfo} */ node) => {
        const answer = ask(node, (control) => sentinelState(control, masterName));
        return answered(unknownSentinel(node), answer);
      };
      const [ofRedis, ofSentinels] = [Promise.all(redis.map(askRedis)), Promise.all(sentinels.map(askSentinel))];
      return assemble(masterName, await ofRedis, await ofSentinels);
    },
    /** What each Sentinel tells clients; null: no answer. */
    primaries() {
      const asked = sentinels.map((node) => ask(node, (control) => primaryAddress(control, masterName)));
      return Promise.all(asked.map((answer) => answer.catch(() => null)));
    },
    /** @template T @param {string} id @param {(control: Control) => Promise<T>} question */
    ask: async (id, question) => ask(nodeOf({ nodes }, id), question),
    close,
  };
}

/** One connection to each node, kept between questions. @param {Credentials} credentials */
function keepConnections(credentials) {
  const controls = /** @type {Map<string, Promise<Control>>} */ (new Map());
  let isClosed = false;

  function drop(/** @type {string} */ id) {
    const control = controls.get(id);
    controls.delete(id);
    // A failed connection needs no closing, and its caller gets the error.
    control?.then((made) => made.close()).catch(() => {});
  }

  function renew(/** @type {NodeInfo} */ node) {
    const fresh = connectControl(node.address, loginFor(credentials, node.kind));
    controls.set(node.id, fresh);
    return fresh;
  }

  /** @param {NodeInfo} node @returns {Promise<Control>} */
  async function connected(node) {
    // A question that outlives the observer would open a connection that nobody closes.
    if (isClosed) throw new Error('its observer is closed');
    const kept = controls.get(node.id) ?? renew(node);
    const control = await kept;
    if (!control.lost()) return control;
    // The first caller that finds it lost renews it for all. No caller would close a second connection.
    return controls.get(node.id) === kept ? renew(node) : connected(node);
  }

  return {
    /** @template T @param {NodeInfo} node @param {(control: Control) => Promise<T>} question */
    async ask(node, question) {
      try {
        return await question(await connected(node));
      } catch (error) {
        if (!isReplyError(error)) drop(node.id);
        throw error;
      }
    },
    close() {
      isClosed = true;
      for (const id of [...controls.keys()]) drop(id);
    },
  };
}

/** @param {(Address | null)[]} answers one for each Sentinel; null: no answer @returns what more than half of them agree on */
export function majority(answers) {
  return (
    answers.find((answer) => answers.filter((other) => sameAddress(answer, other)).length * 2 > answers.length) ?? null
  );
}

/** @param {string} masterName @param {RawRedisState[]} redis @param {SentinelState[]} sentinels @returns {Snapshot} */
function assemble(masterName, redis, sentinels) {
  const agreed = majority(sentinels.map((sentinel) => sentinel.primary));
  const primary = redis.find((node) => sameAddress(node.announced, agreed)) ?? null;
  return {
    masterName,
    primary: primary?.id ?? null,
    sentinels,
    redis: redis.map(({ followers: _, ...state }) => {
      const name = formatAddress(state.announced);
      const follower = primary?.followers.find(({ ip, port }) => `${ip}:${port}` === name);
      if (state.role !== 'replica' || follower === undefined) return state;
      const { state: stage, lag } = follower;
      return {
        ...state,
        online: stage === 'online',
        lagSeconds: Number.isFinite(Number(lag)) ? Number(lag) : null,
        lagBytes: primary?.offset == null || state.offset === null ? null : Math.max(0, primary.offset - state.offset),
      };
    }),
  };
}

/** @param {Pick<NodeInfo, 'id' | 'announced'>} node @returns {RedisState} before it was asked */
export function unknownNode({ id, announced }) {
  const figures = { offset: null, lagBytes: null, lagSeconds: null, priority: null, goodReplicas: null };
  return { id, announced, error: null, role: null, follows: null, linkUp: false, online: false, ...figures };
}

/** @param {Pick<NodeInfo, 'id' | 'announced'>} node @returns {SentinelState} before it was asked */
export function unknownSentinel({ id, announced }) {
  const quorum = { ok: false, text: '' };
  const knowledge = { primary: null, flags: [], replicas: [], otherSentinels: 0, tilt: false, quorum };
  return { id, announced, error: null, ...knowledge };
}

/** @typedef {RedisState & {followers: Record<string, string>[]}} RawRedisState followers: the primary's `slaveN` lines */

/** @template T @param {T} unknown @param {Promise<Partial<T>>} answer @returns {Promise<T>} */
async function answered(unknown, answer) {
  try {
    return { ...unknown, ...(await answer) };
  } catch (error) {
    return { ...unknown, error: messageOf(error) };
  }
}

/** @param {Control} control of a Redis node @returns {Promise<Partial<RawRedisState>>} */
async function redisState(control) {
  const info = await control.info('replication');
  if (info.role === 'master') {
    const lines = Object.entries(info).filter(([field]) => /^slave\d+$/.test(field));
    return {
      role: 'primary',
      offset: countIn(info, 'master_repl_offset'),
      // Each is `ip=…,port=…` and so on.
      followers: lines.map(([, line]) => Object.fromEntries(line.split(',').map((pair) => pair.split('=')))),
      goodReplicas: countIn(info, 'min_slaves_good_slaves'),
    };
  }
  return {
    role: 'replica',
    follows: readAddress(info.master_host, info.master_port),
    linkUp: info.master_link_status === 'up',
    offset: countIn(info, 'slave_repl_offset'),
    priority: countIn(info, 'slave_priority'),
  };
}

/** @param {Control} control of a Sentinel @param {string} masterName @returns {Promise<Partial<SentinelState>>} */
async function sentinelState(control, masterName) {
  const [primary, master, replicas, quorum, info] = await Promise.all([
    primaryAddress(control, masterName),
    control.call('SENTINEL', 'MASTER', masterName).then(toRecord),
    control.call('SENTINEL', 'REPLICAS', masterName),
    checkQuorum(control, masterName),
    control.info('sentinel'),
  ]);
  return {
    primary,
    flags: master.flags.split(','),
    otherSentinels: Number(master['num-other-sentinels']),
    replicas: /** @type {unknown[]} */ (replicas).map(toRecord).map((replica) => ({
      address: readAddress(replica.ip, replica.port),
      flags: replica.flags.split(','),
      // An INFO of this millisecond has age 0, too. Only INFO says which primary a replica follows.
      heard: isAge(replica['info-refresh']) || replica['slave-master-host'] !== '?',
    })),
    quorum,
    tilt: info.sentinel_tilt === '1',
  };
}

/** @param {Control} control of a Sentinel @param {string} masterName @returns {Promise<Address | null>} */
export async function primaryAddress(control, masterName) {
  const reply = await control.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
  return Array.isArray(reply) ? readAddress(reply[0], reply[1]) : null;
}

async function checkQuorum(/** @type {Control} */ control, /** @type {string} */ masterName) {
  try {
    return { ok: true, text: String(await control.call('SENTINEL', 'CKQUORUM', masterName)) };
  } catch (error) {
    // A missing quorum is an answer, although Sentinel replies with an error.
    if (isReplyError(error) && error.message.startsWith('NOQUORUM')) return { ok: false, text: error.message };
    throw error;
  }
}

/** @param {unknown} reply field, value, field, value … */
export function toRecord(reply) {
  const list = /** @type {string[]} */ (reply);
  const record = /** @type {Record<string, string>} */ ({});
  for (let i = 0; i + 1 < list.length; i += 2) record[list[i]] = cleanLine(String(list[i + 1]));
  return record;
}
