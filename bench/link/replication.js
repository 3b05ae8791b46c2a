/** Watches the replication between two nodes, and reads figures from the samples and from the nodes' logs. */
import { setTimeout as delay } from 'node:timers/promises';
import { isReplyError } from '../../src/stacks/redis/control.js';

/**
 * @import { LinkFigures } from './document.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 */

/**
 * @typedef {Pick<Control, 'call' | 'info'>} AskedNode a control connection
 * @typedef {NonNullable<LinkFigures['samples']>[number]} ReplicationSample
 *
 * @typedef {Object} Counters of the sender, since it started
 * @property {number} full resyncs that it began
 * @property {number} partial resyncs that it accepted
 * @property {number} refused partial resyncs that it refused. Replicas that did not ask for one are not counted
 * @property {number | null} closed connections closed for their output buffer limit; null: not counted (before Redis 7.2)
 *
 * @typedef {Object} Watch
 * @property {() => Promise<ReplicationSample[]>} stop takes a last sample; rejects when a node did not answer, unless it may end. Idempotent
 */

/**
 * @param {AskedNode} sender that only this replica follows
 * @param {AskedNode} replica
 * @param {{everyMs: number, mayEnd?: boolean, signal?: AbortSignal}} options everyMs: between two samples, > 0; mayEnd: a node that no
 *   longer answers ends the samples
 * @returns {Watch} has begun
 */
export function watchReplication(sender, replica, { everyMs, mayEnd = false, signal }) {
  const stopping = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
  const beganAt = performance.now();
  /** @type {ReplicationSample[]} */
  const samples = [];

  async function look() {
    const afterMs = Math.round(performance.now() - beganAt);
    const [info, clients, processed] = await Promise.all([
      sender.info('replication', 'memory'),
      sender.call('CLIENT', 'LIST', 'TYPE', 'REPLICA'),
      processedBy(replica),
    ]);
    samples.push(sampleOf(afterMs, info, String(clients), processed));
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
  const going = goOn().catch((error) => {
    if (mayEnd && !signal?.aborted) return samples;
    throw error;
  });
  // `stop` reports the error.
  going.catch(() => {});
  return {
    stop() {
      stopping.abort();
      return going;
    },
  };
}

/** @param {AskedNode} replica @returns {Promise<number | null>} its offset in the stream; null: it loads a data set */
async function processedBy(replica) {
  try {
    return Number((await replica.info('replication')).slave_repl_offset);
  } catch (error) {
    if (isReplyError(error) && error.message.startsWith('LOADING')) return null;
    throw error;
  }
}

/**
 * The output buffer is `omem` of CLIENT LIST, which the limit applies to. In INFO of Redis 7 `mem_clients_slaves` has only what exceeds
 * the backlog, and `mem_total_replication_buffers` at least the backlog, because both share memory.
 * @param {number} afterMs
 * @param {Record<string, string>} info of the sender: replication and memory
 * @param {string} clients its CLIENT LIST, of replicas
 * @param {number | null} processed
 * @returns {ReplicationSample}
 */
export function sampleOf(afterMs, info, clients, processed) {
  const replica = info.slave0 === undefined ? null : fieldsOf(info.slave0);
  const state = replica === null ? 'away' : replica.state === 'online' ? 'online' : 'syncing';
  const buffers = [...clients.matchAll(/ omem=(\d+)/g)].map(([, size]) => Number(size));
  return {
    afterMs,
    state,
    // A replica has no offset during a full resync.
    lagBytes:
      state === 'online' && processed !== null && processed > 0
        ? Math.max(0, Number(info.master_repl_offset) - processed)
        : null,
    lagSeconds: state === 'online' ? Number(replica?.lag) : null,
    bufferBytes: buffers.length > 0 ? Math.max(...buffers) : null,
    senderMemoryBytes: Number(info.used_memory),
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
 * @param {AskedNode} sender
 * @returns {Promise<NonNullable<LinkFigures['outputLimit']>>} what is in force
 * @throws {Error} the node does not report it
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

/** @param {AskedNode} sender @returns {Promise<Counters>} */
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

/**
 * @param {Counters} before
 * @param {Counters} after
 * @param {readonly string[]} lines of the sender's log that were added in between, for servers that do not count closed connections
 * @returns {{disconnects: number, fullResyncs: number, partialResyncs: number, refusedPartials: number}}
 */
export function resyncsBetween(before, after, lines) {
  return {
    disconnects: after.closed === null || before.closed === null ? closedForLimit(lines) : after.closed - before.closed,
    fullResyncs: after.full - before.full,
    partialResyncs: after.partial - before.partial,
    refusedPartials: after.refused - before.refused,
  };
}

/** Over less time a rate would be noise. */
const LEAST_MS = 1500;

/**
 * @param {readonly ReplicationSample[]} samples in order
 * @returns {number | null} bytes a second by which the lag grew in the longest time that the replica was connected without a break
 *   (least squares); negative: it fell; null: that time was too short
 */
export function growthOf(samples) {
  const run = longestRun(samples);
  if (run.length < 3 || run[run.length - 1].afterMs - run[0].afterMs < LEAST_MS) return null;
  const points = run.map(({ afterMs, lagBytes }) => ({ x: afterMs / 1000, y: Number(lagBytes) }));
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const along = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return along / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}

/** @param {readonly ReplicationSample[]} samples */
function longestRun(samples) {
  /** @type {ReplicationSample[]} */
  let longest = [];
  /** @type {ReplicationSample[]} */
  let run = [];
  for (const sample of samples) {
    run = sample.lagBytes === null ? [] : [...run, sample];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

/** @param {readonly (number | null)[]} values @returns {number | null} null: none is known */
export function largest(values) {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/**
 * @param {readonly string[]} before the last lines of a log
 * @param {readonly string[]} after the same, later
 * @returns {string[]} the lines added since; all of `after` where the last line of `before` has left the log
 */
export function addedLines(before, after) {
  const last = before[before.length - 1];
  return after.slice(last === undefined ? 0 : after.lastIndexOf(last) + 1);
}

/** The message names normal clients too, but only a replica is slow here. */
const CLOSED = /for overcoming of output buffer limits/;

/**
 * @param {readonly string[]} lines of the sender's log
 * @returns {number} how often it closed a connection because of its output buffer limit
 */
export function closedForLimit(lines) {
  return lines.filter((line) => CLOSED.test(line)).length;
}

/**
 * How far the stream was ahead when the replica asked for a partial resync: it names the byte it wants next, and learns where the
 * stream is when it gets a full one instead. A replica that has lost its data names no byte.
 * @param {readonly string[]} lines of the replica's log
 * @returns {number[]} bytes, of each partial resync that was refused
 */
export function missedOf(lines) {
  const missed = [];
  /** @type {number | null} */
  let wanted = null;
  for (const line of lines) {
    const request = /Trying a partial resynchronization \(request \w+:(\d+)\)/.exec(line);
    const given = /Full resync from (?:master|primary): \w+:(\d+)/.exec(line);
    if (request) wanted = Number(request[1]);
    else if (/Partial resynchronization not possible/.test(line)) wanted = null;
    if (given && wanted !== null) missed.push(Math.max(0, Number(given[1]) - wanted + 1));
    if (given) wanted = null;
  }
  return missed;
}

/**
 * @param {readonly string[]} lines of the sender's log
 * @returns {number[]} bytes, of each partial resync that was accepted
 */
export function caughtUpOf(lines) {
  return lines.flatMap((line) => {
    const sent = /Sending (\d+) bytes of backlog/.exec(line);
    return sent ? [Number(sent[1])] : [];
  });
}
