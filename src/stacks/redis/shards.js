/** Redis Cluster on the three Redis nodes: primaries without replicas, each with a third of the hash slots. No Sentinel starts. */
/** @import { Control, NodeHost, NodeInfo } from '../types.js' */
/** @import { Members } from './members.js' */
import calculateSlot from 'cluster-key-slot';
import { waitFor } from '../../wait.js';
import { problem } from '../texts.js';
import { connectControl } from './control.js';
import { openMembers, serverOf } from './members.js';
import { MASTER_NAME, NODES } from './topology.js';

const SLOTS = 16_384;
/** Nodes exchange what they know about once a second, and vote for two seconds after their start. */
const FORM_DEADLINE_MS = 60_000;
const FORM_POLL_MS = 50;

/** In the order of their slots. @type {readonly string[]} */
export const SHARDS = Object.freeze(NODES.filter(({ kind }) => kind === 'redis').map(({ id }) => id));

/**
 * From the start of a node on. Its configuration must not say `replicaof` either, not even `replicaof no one`: a server then follows what it
 * finds at its own loopback (Redis 7.0). In a container that is itself, and it empties itself again and again.
 */
export const SHARD_SETTINGS = Object.freeze({ 'cluster-enabled': 'yes', 'min-replicas-to-write': '0' });

/** @param {number} shard index, 0 … 2 @returns its hash slots */
export function slotsOf(shard) {
  const first = (/** @type {number} */ index) => Math.ceil((index * SLOTS) / SHARDS.length);
  return { first: first(shard), last: first(shard + 1) - 1 };
}

/** @param {string | Buffer} key @returns index of the shard that owns the key */
export function shardOf(key) {
  return Math.floor((calculateSlot(key) * SHARDS.length) / SLOTS);
}

/** @param {number} shard index @returns a hash tag, such as `{7}`: every key that begins with it belongs to that shard */
export function hashTagOf(shard) {
  for (let number = 0; ; number++) if (shardOf(`{${number}}`) === shard) return `{${number}}`;
}

/**
 * Members of a stack whose nodes form a cluster: its primary is the first shard, its replicas are the others. `ready` and `settle` form it.
 * @param {readonly NodeInfo[]} nodes of the stack
 * @param {{logs: NodeHost['logs'], busPorts?: ReadonlyMap<string, number>}} options busPorts: id of a node → the port at which its peers
 *   reach it; default: its own port + 10,000 @returns {Members}
 */
export function openShards(nodes, { logs, busPorts }) {
  const shards = nodes.filter(({ id }) => SHARDS.includes(id));
  const members = openMembers(shards, { masterName: MASTER_NAME, logs });
  /** @param {{deadlineMs?: number, signal?: AbortSignal}} [options] */
  const form = async ({ deadlineMs = FORM_DEADLINE_MS, signal } = {}) => {
    await formCluster(shards, { busPorts, deadlineMs, signal });
    return members.observer.snapshot();
  };
  return {
    ...members,
    primary: async () => shards[0],
    replicas: async () => shards.slice(1),
    ready: form,
    settle: () => form(),
    server: async () => serverOf(await members.observer.ask(SHARDS[0], (control) => control.info('server'))),
  };
}

/**
 * Gives each node its slots and introduces the nodes to each other. Does no harm to a cluster that is formed already.
 * @param {readonly NodeInfo[]} shards announced where clients reach them, because clients and nodes learn the same address
 * @param {{busPorts?: ReadonlyMap<string, number>, deadlineMs: number, signal?: AbortSignal}} options
 */
async function formCluster(shards, { busPorts, deadlineMs, signal }) {
  const deadline = performance.now() + deadlineMs;
  const left = () => Math.max(1, deadline - performance.now());
  const controls = /** @type {Control[]} */ ([]);
  try {
    for (const { id, address } of shards) {
      const connect = () => connectControl(address).catch(() => null);
      const control = await waitFor(connect, { deadlineMs: left(), signal });
      if (control === null) throw problem('node-gone', { id });
      controls.push(control);
    }
    for (const [shard, control] of controls.entries()) {
      await control.call('CONFIG', 'SET', 'cluster-announce-ip', shards[shard].address.host);
      if ((await stateOf(control)).cluster_slots_assigned !== '0') continue;
      const { first, last } = slotsOf(shard);
      // ADDSLOTSRANGE came with Redis 7.
      await control.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: last - first + 1 }, (_, i) => first + i));
      await control.call('CLUSTER', 'SET-CONFIG-EPOCH', shard + 1);
    }
    for (const { id, address } of shards.slice(1)) {
      const bus = busPorts?.get(id);
      await controls[0].call('CLUSTER', 'MEET', address.host, address.port, ...(bus === undefined ? [] : [bus]));
    }
    const isFormed = async () => {
      const states = await Promise.all(controls.map(stateOf));
      return states.every(
        ({ cluster_state: state, cluster_slots_assigned: slots, cluster_known_nodes: nodes }) =>
          state === 'ok' && Number(slots) === SLOTS && Number(nodes) === shards.length,
      );
    };
    if (await waitFor(isFormed, { deadlineMs: left(), pollMs: FORM_POLL_MS, signal })) return;
  } finally {
    for (const control of controls) control.close();
  }
  throw problem('no-cluster', { seconds: deadlineMs / 1000 });
}

async function stateOf(/** @type {Control} */ control) {
  const text = String(await control.call('CLUSTER', 'INFO'));
  return Object.fromEntries(text.split('\r\n').map((line) => line.split(':', 2)));
}
