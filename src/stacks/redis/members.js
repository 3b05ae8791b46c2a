import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../errors.js';
import { formatAddress, sameAddress } from '../address.js';
import { majority, openObserver } from './observe.js';
import { waitReady } from './readiness.js';

/**
 * @import { Address, Credentials, NodeInfo } from '../types.js'
 * @import { Observer, Snapshot } from './observe.js'
 */

/**
 * What every backend has in common once its nodes run: who is the primary, who follows it, is it ready. A backend adds its
 * own lifecycle and faults.
 *
 * @typedef {Object} Members
 * @property {Observer} observer
 * @property {() => Promise<NodeInfo>} primary see Cluster.primary
 * @property {() => Promise<NodeInfo[]>} replicas see Cluster.replicas
 * @property {(announced: Address) => Address} reach see Cluster.reach
 * @property {(options: {deadlineMs: number, signal?: AbortSignal}) => Promise<Snapshot>} ready
 * @property {(options?: {deadlineMs?: number}) => Promise<void>} settle waits until roles are agreed and replicas in sync,
 *   and demotes at once what the Sentinels would only demote after a while. The last step of every `heal`.
 * @property {() => Promise<{name: string, version: string | null}>} server as the primary's INFO says
 * @property {() => void} close closes the connections; idempotent
 */

const POLL_MS = 20;

/** Sentinels disagree for as long as a failover's news takes to reach them all: they say hello every 2 s. */
const AGREEMENT_DEADLINE_MS = 10_000;

/** Down-after, an election, a resync, and the 30 s of a Sentinel in TILT fit in this twice over. */
const SETTLE_DEADLINE_MS = 120_000;

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {Object} options
 * @param {string} options.masterName
 * @param {Credentials} [options.credentials]
 * @param {(id: string, lines: number) => Promise<string[]>} [options.logs] for the error of a stack that is never ready
 * @returns {Members}
 */
export function openMembers(nodes, { masterName, credentials = {}, logs }) {
  const observer = openObserver(nodes, { masterName, credentials });
  const sentinels = nodes.filter((node) => node.kind === 'sentinel').length;

  async function primary() {
    const deadline = performance.now() + AGREEMENT_DEADLINE_MS;
    for (;;) {
      const answers = await observer.primaries();
      const agreed = majority(answers);
      const node = nodes.find((each) => each.kind === 'redis' && sameAddress(each.announced, agreed));
      if (node) return node;
      if (performance.now() >= deadline) throw noPrimary(answers, sentinels);
      await delay(POLL_MS);
    }
  }

  return {
    observer,
    primary,
    async replicas() {
      const leader = await primary();
      const { redis } = await observer.snapshot();
      const followers = redis.filter(
        (state) => state.role === 'replica' && sameAddress(state.follows, leader.announced),
      );
      return nodes.filter((node) => followers.some((state) => state.id === node.id));
    },
    reach(announced) {
      return nodes.find((node) => sameAddress(node.announced, announced))?.address ?? announced;
    },
    ready: ({ deadlineMs, signal }) => waitReady(observer, { deadlineMs, signal, logs }),
    async settle({ deadlineMs = SETTLE_DEADLINE_MS } = {}) {
      await waitReady(observer, { deadlineMs, logs, help: (snapshot) => demoteStrays(observer, snapshot) });
    },
    async server() {
      const { id } = await primary();
      return serverOf(await observer.ask(id, (control) => control.info('server')));
    },
    close: observer.close,
  };
}

/**
 * Makes nodes that came back with an old role follow the agreed primary, as the Sentinels do themselves, but only after a
 * node has contradicted them for 8 s and their next INFO has told them so.
 *
 * @param {Observer} observer
 * @param {Snapshot} snapshot
 */
async function demoteStrays(observer, { primary, redis, sentinels }) {
  const leader = redis.find((node) => node.id === primary);
  if (leader?.role !== 'primary') return;
  // Not while a failover may be under way: its outcome decides who is the stray.
  const agreed = sentinels.every(
    (sentinel) => sameAddress(sentinel.primary, leader.announced) && sentinel.flags.join() === 'master',
  );
  if (!agreed) return;
  const strays = redis.filter(
    (node) => node !== leader && node.error === null && !sameAddress(node.follows, leader.announced),
  );
  // What fails is not lost sight of: it is tried again with the next snapshot, until the deadline says what is wrong.
  await Promise.allSettled(
    strays.map(({ id }) =>
      observer.ask(id, async (control) => {
        await control.call('REPLICAOF', leader.announced.host, leader.announced.port);
        // As a Sentinel does, so that a restart keeps the role. A node without a file of its own to write cannot.
        await control.call('CONFIG', 'REWRITE');
      }),
    ),
  );
}

/**
 * @param {Record<string, string>} info INFO server; Valkey gives its own version besides the Redis version it is compatible with
 * @returns {{name: string, version: string | null}}
 */
export function serverOf(info) {
  return info.valkey_version
    ? { name: 'valkey', version: info.valkey_version }
    : { name: 'redis', version: info.redis_version || null };
}

/**
 * @param {Record<string, string>} info INFO server and INFO replication
 * @returns {string | null} why nothing can be measured on what says so; null: it is a node of Redis or Valkey
 */
export function whyNoNode(info) {
  if (info.redis_mode === 'sentinel') return 'it is a Sentinel';
  // A service may hide its version, but every node has a role.
  if (info.redis_version || info.valkey_version || info.role) return null;
  return 'its INFO is not that of Redis or Valkey';
}

/**
 * @param {(Address | null)[]} answers
 * @param {number} sentinels
 */
function noPrimary(answers, sentinels) {
  const given = answers.map((answer) => (answer ? formatAddress(answer) : 'no answer')).join(', ');
  return new UserError(
    `A majority of the ${sentinels} Sentinels did not agree on a known primary within ${AGREEMENT_DEADLINE_MS / 1000} s (${given}).`,
    'Look at `sentinel-bench status`, and heal the stack with `sentinel-bench recover` or start it anew.',
  );
}
