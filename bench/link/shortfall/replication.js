/**
 * Looking at the replication between two nodes again and again while something goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isReplyError } from '../cluster/control.js';

/**
 * @typedef {Pick<import('../cluster/control.js').Control, 'call' | 'info'>} Node a control connection
 * @typedef {NonNullable<import('../report/schema.js').LinkFigures['samples']>[number]} Sample
 *
 * @typedef {Object} Counters of the sender, since it started
 * @property {number} full resyncs that it began
 * @property {number} partial resyncs that it accepted
 * @property {number} refused partial resyncs that it was asked for and could not serve. Replicas that cannot ask for one are not counted
 * @property {number | null} closed connections that it closed for their output buffer limit; null: not counted (before Redis 7.2)
 *
 * @typedef {Object} Watch
 * @property {() => Promise<Sample[]>} stop takes a last sample; rejects when a node did not answer. Idempotent
 */

/**
 * @param {Node} sender whom the replica follows, and nobody else does
 * @param {Node} replica
 * @param {{everyMs: number, signal?: AbortSignal}} options everyMs: between two looks, > 0
 * @returns {Watch} has begun
 */
export function watchReplication(sender, replica, { everyMs, signal }) {
  const stopping = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
  const beganAt = performance.now();
  /** @type {Sample[]} */
  const samples = [];

  async function look() {
    const afterMs = Math.round(performance.now() - beganAt);
    const [told, clients, processed] = await Promise.all([
      sender.info('replication', 'memory'),
      sender.call('CLIENT', 'LIST', 'TYPE', 'REPLICA'),
      processedBy(replica),
    ]);
    samples.push(sampleOf(afterMs, told, String(clients), processed));
  }

  async function goOn() {
    while (!ended.aborted) {
      await look();
      const next = beganAt + samples.length * everyMs - performance.now();
      await delay(Math.max(0, next), undefined, { signal: ended }).catch(() => {});
    }
    signal?.throwIfAborted();
    await look();
    return samples;
  }
  const going = goOn();
  // Whoever asked for it hears of it from `stop`.
  going.catch(() => {});
  return {
    stop() {
      stopping.abort();
      return going;
    },
  };
}

/**
 * @param {Node} replica
 * @returns {Promise<number | null>} its offset in the stream; null: it loads a data set
 */
async function processedBy(replica) {
  try {
    return Number((await replica.info('replication')).slave_repl_offset);
  } catch (error) {
    if (isReplyError(error) && error.message.startsWith('LOADING')) return null;
    throw error;
  }
}

/**
 * The output buffer is not taken from INFO: `mem_clients_slaves` of Redis 7 tells only what is more than the backlog, and
 * `mem_total_replication_buffers` tells at least the backlog, for both share their memory. `omem` is what the limit is held against.
 *
 * @param {number} afterMs
 * @param {Record<string, string>} told the sender's INFO, of replication and memory
 * @param {string} clients its CLIENT LIST, of replicas
 * @param {number | null} processed
 * @returns {Sample}
 */
export function sampleOf(afterMs, told, clients, processed) {
  const replica = told.slave0 === undefined ? null : fieldsOf(told.slave0);
  const state = replica === null ? 'away' : replica.state === 'online' ? 'online' : 'syncing';
  const buffers = [...clients.matchAll(/ omem=(\d+)/g)].map(([, size]) => Number(size));
  return {
    afterMs,
    state,
    // A replica that is being sent the data set has no offset.
    lagBytes:
      state === 'online' && processed !== null && processed > 0
        ? Math.max(0, Number(told.master_repl_offset) - processed)
        : null,
    lagSeconds: state === 'online' ? Number(replica?.lag) : null,
    bufferBytes: buffers.length > 0 ? Math.max(...buffers) : null,
    senderMemoryBytes: Number(told.used_memory),
  };
}

/**
 * @param {string} text `ip=127.0.0.1,port=6380,state=online,offset=14,lag=1`
 * @returns {Record<string, string>}
 */
function fieldsOf(text) {
  return Object.fromEntries(text.split(',').map((field) => field.split(/=(.*)/s).slice(0, 2)));
}

/**
 * @param {Node} sender
 * @returns {Promise<NonNullable<import('../report/schema.js').LinkFigures['outputLimit']>>} what is in force
 * @throws {Error} it does not say
 */
export async function readOutputLimit(sender) {
  const [, limits] = /** @type {string[]} */ (await sender.call('CONFIG', 'GET', 'client-output-buffer-limit'));
  const [, backlog] = /** @type {string[]} */ (await sender.call('CONFIG', 'GET', 'repl-backlog-size'));
  const [, hard, soft, seconds] = /\b(?:slave|replica) (\d+) (\d+) (\d+)/.exec(String(limits)) ?? [];
  if (seconds === undefined) throw new Error(`no limit for replicas in ${limits}`);
  return {
    hardBytes: Number(hard),
    softBytes: Number(soft),
    softSeconds: Number(seconds),
    backlogBytes: Number(backlog),
  };
}

/**
 * @param {Node} sender
 * @returns {Promise<Counters>}
 */
export async function readResyncs(sender) {
  const info = await sender.info('stats');
  const closed = info.client_output_buffer_limit_disconnections;
  return {
    full: Number(info.sync_full),
    partial: Number(info.sync_partial_ok),
    refused: Number(info.sync_partial_err),
    closed: closed === undefined ? null : Number(closed),
  };
}
