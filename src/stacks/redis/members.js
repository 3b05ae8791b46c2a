import { waitFor } from '../../wait.js';
import { formatAddress, sameAddress } from '../address.js';
import { askOver } from '../ask.js';
import { problem } from '../texts.js';
import { connectControl } from './control.js';
import { majority, openObserver } from './observe.js';
import { waitReady } from './readiness.js';

/** What all backends share once their nodes run: which node is the primary, which follow it, whether the stack is ready. */
/** @import { Ability, Address, Credentials, NodeHost, NodeInfo, ServerFacts } from '../types.js' */
/** @import { Observer, Snapshot } from './observe.js' */
/** @typedef {ReturnType<typeof openMembers>} Members */

/** After a failover Sentinels disagree until the news has reached them all; they say hello every 2 s. */
const AGREEMENT_DEADLINE_MS = 10_000;

/** Twice the time of down-after, an election, a resync and the 30 s of a Sentinel in TILT. */
const SETTLE_DEADLINE_MS = 120_000;

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {{masterName: string, credentials?: Credentials, logs?: NodeHost['logs']}} options logs: for the error of a stack that is never ready
 */
export function openMembers(nodes, { masterName, credentials = {}, logs }) {
  const observer = openObserver(nodes, { masterName, credentials });
  const sentinels = nodes.filter((node) => node.kind === 'sentinel').length;

  async function primary() {
    let answers = /** @type {(Address | null)[]} */ ([]);
    const findPrimary = async () => {
      answers = await observer.primaries();
      const agreed = majority(answers);
      return nodes.find((each) => each.kind === 'redis' && sameAddress(each.announced, agreed));
    };
    const node = await waitFor(findPrimary, { deadlineMs: AGREEMENT_DEADLINE_MS });
    if (!node) {
      const given = answers.map((answer) => (answer ? formatAddress(answer) : 'no answer'));
      throw problem('no-primary', { sentinels, seconds: AGREEMENT_DEADLINE_MS / 1000, given });
    }
    return node;
  }

  return {
    observer,
    primary,
    async replicas() {
      const leader = await primary();
      const { redis } = await observer.snapshot();
      const following = redis.filter(
        ({ role, follows }) => role === 'replica' && sameAddress(follows, leader.announced),
      );
      return nodes.filter((node) => following.some(({ id }) => id === node.id));
    },
    /** @param {{deadlineMs: number, signal?: AbortSignal}} options */
    ready: ({ deadlineMs, signal }) => waitReady(observer, { deadlineMs, signal, logs }),
    /** The last step of every `heal`: waits until all is well, and demotes at once what the Sentinels would demote later. */
    settle: () => waitReady(observer, { deadlineMs: SETTLE_DEADLINE_MS, logs, help: demoteStrays }),
    /** From the primary's INFO. */
    async server() {
      const { id } = await primary();
      return serverOf(await observer.ask(id, (control) => control.info('server')));
    },
    /** What only some versions of Sentinel can do; empty also if no Sentinel answers. */
    sentinelAbilities: () => sentinelAbilities(observer),
    close: observer.close,
  };
}

/**
 * Makes nodes that came back with an old role follow the agreed primary. Sentinels do the same, but only after 8 s and their next INFO.
 * @param {Snapshot} snapshot @param {Observer} observer
 */
async function demoteStrays({ primary, redis, sentinels }, observer) {
  const leader = redis.find((node) => node.id === primary);
  if (leader?.role !== 'primary') return;
  // Not during a failover: its outcome decides which node is the stray.
  const { announced } = leader;
  const names = (/** @type {Address | null} */ address) => sameAddress(address, announced);
  if (!sentinels.every((sentinel) => names(sentinel.primary) && sentinel.flags.join() === 'master')) return;
  const strays = redis.filter((node) => node !== leader && node.error === null && !names(node.follows));
  const demoted = strays.map(({ id }) =>
    observer.ask(id, async (control) => {
      await control.call('REPLICAOF', announced.host, announced.port);
      // As a Sentinel does, so that a restart keeps the role. It fails on a node without a configuration file.
      await control.call('CONFIG', 'REWRITE');
    }),
  );
  // A failure is tried again with the next snapshot, until the deadline reports it.
  await Promise.allSettled(demoted);
}

/** In `SENTINEL HELP`. */
const COORDINATED = /^FAILOVER\b.*\bCOORDINATED\b/i;

/** @param {Observer} observer @returns {Promise<Ability[]>} */
async function sentinelAbilities({ ask, nodes }) {
  const sentinels = nodes.filter(({ kind }) => kind === 'sentinel');
  const asked = sentinels.map(({ id }) => ask(id, (control) => control.call('SENTINEL', 'HELP')));
  const help = await Promise.any(asked).catch(() => []);
  return Array.isArray(help) && help.some((line) => COORDINATED.test(String(line))) ? ['coordinated-failover'] : [];
}

/** @param {Record<string, string>} info Valkey reports its own version beside the compatible one of Redis @returns {ServerFacts} */
export function serverOf(info) {
  return info.valkey_version
    ? { name: 'valkey', version: info.valkey_version }
    : { name: 'redis', version: info.redis_version || null };
}

/** @param {Record<string, string>} info server and replication @returns null: it is a node of Redis or Valkey, and can be measured */
export function whyNotANode(info) {
  if (info.redis_mode === 'sentinel') return 'it is a Sentinel';
  // A service may hide its version, but every node has a role.
  if (info.redis_version || info.valkey_version || info.role) return null;
  return 'its INFO is not that of Redis or Valkey';
}

/**
 * Makes a replica connect to its primary again at once. An attempt that began during a partition stays unanswered for up to repl-timeout
 * (60 s). REPLICAOF to another address and back ends it and keeps the data and the offset. @param {Address} address
 */
export function redial(address) {
  const connect = () => connectControl(address);
  return askOver(connect, async (control) => {
    const info = await control.info('replication');
    if (info.role !== 'slave' || info.master_link_status === 'up') return;
    await control.call('MULTI');
    await control.call('REPLICAOF', info.master_host, 1);
    await control.call('REPLICAOF', info.master_host, info.master_port);
    await control.call('EXEC');
  });
}
