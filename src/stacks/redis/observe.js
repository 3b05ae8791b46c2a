import { formatAddress, sameAddress } from '../address.js';
import { connectControl, isReplyError, loginFor } from './control.js';
import { observeRedis, observeSentinel, parsePairs, primaryAddress } from './observe-node.js';

/**
 * @import { Address, Credentials, NodeInfo } from '../types.js'
 * @import { Control } from './control.js'
 * @import { RawRedisState } from './observe-node.js'
 */

/**
 * What the whole stack says of itself, at one moment. Nothing here waits: a node that cannot be asked has an `error`.
 *
 * @typedef {Object} Snapshot
 * @property {string} masterName
 * @property {string | null} primary id of the node that most Sentinels call the primary; null: no majority, or a stranger
 * @property {RedisState[]} redis
 * @property {SentinelState[]} sentinels
 *
 * @typedef {Object} RedisState
 * @property {string} id
 * @property {Address} announced
 * @property {string | null} error why it could not be asked; every other field then has its empty value
 * @property {'primary' | 'replica' | null} role what the node itself says
 * @property {Address | null} follows a replica: its primary
 * @property {boolean} linkUp a replica: the link to its primary works
 * @property {number | null} offset bytes of replication stream written (primary) or processed (replica)
 * @property {number | null} lagBytes a replica: how far behind the primary, ≥ 0; null while that is unknown
 * @property {number | null} lagSeconds a replica: whole seconds since its last acknowledgement, as the primary has it
 * @property {boolean} online a replica: the primary sends it the stream
 * @property {number | null} goodReplicas a primary with min-replicas set: how many replicas it counts as in time, now; it
 *   counts them once a second. Else null
 *
 * @typedef {Object} SentinelState
 * @property {string} id
 * @property {Address} announced
 * @property {string | null} error
 * @property {Address | null} primary what it tells clients
 * @property {string[]} flags what it holds of the primary: `master` when all is well, `s_down`, `o_down`, `failover_in_progress` …
 * @property {{address: Address, flags: string[], heard: boolean}[]} replicas heard: it has had their INFO at least once,
 *   without which it would not choose them at a failover
 * @property {number} otherSentinels how many it knows
 * @property {boolean} tilt it found its clock or its process to have stood still for over 2 s, and takes no part in
 *   failovers for 30 s
 * @property {{ok: boolean, text: string}} quorum SENTINEL CKQUORUM's answer
 *
 * @typedef {Object} Observer keeps its connections for the next snapshot
 * @property {readonly NodeInfo[]} nodes
 * @property {string} masterName
 * @property {() => Promise<Snapshot>} snapshot never rejects; takes as long as the slowest node, at most two timeouts
 * @property {() => Promise<(Address | null)[]>} primaries what each Sentinel tells clients; null: no answer
 * @property {<T>(id: string, ask: (control: Control) => Promise<T>) => Promise<T>} ask one node, over
 *   the kept connection
 * @property {() => void} close idempotent
 */

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {{masterName: string, credentials?: Credentials, timeoutMs?: number}} options
 * @returns {Observer}
 */
export function openObserver(nodes, { masterName, credentials = {}, timeoutMs }) {
  /** @type {Map<string, Promise<Control>>} */
  const controls = new Map();
  const sentinels = nodes.filter((node) => node.kind === 'sentinel');

  /** @param {NodeInfo} node */
  function drop(node) {
    const control = controls.get(node.id);
    controls.delete(node.id);
    // A connection that was never made has nothing to close, and whoever awaits it is told.
    control?.then(
      (made) => made.close(),
      () => {},
    );
  }

  /**
   * @param {NodeInfo} node
   * @returns {Promise<Control>}
   */
  async function connected(node) {
    const kept = controls.get(node.id) ?? renew(node);
    const control = await kept;
    if (!control.lost()) return control;
    // Of several who find it lost, the first renews it for all: a second connection would be nobody's to close.
    return controls.get(node.id) === kept ? renew(node) : connected(node);
  }

  /** @param {NodeInfo} node */
  function renew(node) {
    const fresh = connectControl(node.address, loginFor(credentials, node.kind), { timeoutMs });
    controls.set(node.id, fresh);
    return fresh;
  }

  /**
   * @template T
   * @param {NodeInfo} node
   * @param {(control: Control) => Promise<T>} question
   */
  async function ask(node, question) {
    try {
      return await question(await connected(node));
    } catch (error) {
      if (!isReplyError(error)) drop(node);
      throw error;
    }
  }

  return {
    nodes,
    masterName,
    async snapshot() {
      const [redisStates, sentinelStates] = await Promise.all([
        Promise.all(
          nodes.filter((node) => node.kind === 'redis').map((node) => observeRedis(node, (q) => ask(node, q))),
        ),
        Promise.all(sentinels.map((node) => observeSentinel(node, masterName, (q) => ask(node, q)))),
      ]);
      return assemble(masterName, redisStates, sentinelStates);
    },
    primaries() {
      return Promise.all(
        sentinels.map((node) =>
          ask(node, (control) => primaryAddress(control, masterName)).catch(() => {
            // No answer is an answer here: the caller counts those it got.
            return null;
          }),
        ),
      );
    },
    ask(id, question) {
      const node = nodes.find((each) => each.id === id);
      if (!node) throw new RangeError(`no node is called ${id}`);
      return ask(node, question);
    },
    close() {
      for (const node of nodes) drop(node);
    },
  };
}

/**
 * One snapshot over connections of its own.
 *
 * @param {readonly NodeInfo[]} nodes
 * @param {Parameters<typeof openObserver>[1]} options
 */
export async function observe(nodes, options) {
  const observer = openObserver(nodes, options);
  try {
    return await observer.snapshot();
  } finally {
    observer.close();
  }
}

/**
 * The address that more than half of all Sentinels agree on.
 *
 * @param {(Address | null)[]} answers one for each Sentinel; null: no answer
 * @returns {Address | null}
 */
export function majority(answers) {
  return (
    answers.find((answer) => answers.filter((other) => sameAddress(answer, other)).length * 2 > answers.length) ?? null
  );
}

/**
 * Puts what was asked separately together: who is the primary, and how far behind it each replica is.
 *
 * @param {string} masterName
 * @param {RawRedisState[]} redis
 * @param {SentinelState[]} sentinels
 * @returns {Snapshot}
 */
function assemble(masterName, redis, sentinels) {
  const agreed = majority(sentinels.map((sentinel) => sentinel.primary));
  const primary = redis.find((node) => sameAddress(node.announced, agreed)) ?? null;
  return {
    masterName,
    primary: primary?.id ?? null,
    sentinels,
    redis: redis.map(({ followers: _, ...state }) => {
      const line = primary?.followers[formatAddress(state.announced)];
      if (state.role !== 'replica' || line === undefined) return state;
      const { state: stage, lag } = parsePairs(line);
      return {
        ...state,
        online: stage === 'online',
        lagSeconds: Number.isFinite(Number(lag)) ? Number(lag) : null,
        lagBytes: primary?.offset == null || state.offset === null ? null : Math.max(0, primary.offset - state.offset),
      };
    }),
  };
}
