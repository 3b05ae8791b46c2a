/** Watches the replication between two nodes, and reads figures from the samples and from the nodes' logs. */
import { setTimeout as delay } from 'node:timers/promises';
import { linearRegression } from 'simple-statistics';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';

/**
 * @import { LinkFigures } from './document.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Stack } from '../../src/stacks/types.js'
 */

/**
 * @typedef {NonNullable<LinkFigures['samples']>[number]} ReplicationSample
 *
 * @typedef {Object} Ends control connections to both ends of a link
 * @property {Control} primary the sender; a replica in a chain
 * @property {Control} replica
 *
 * @typedef {Object} LinkLook both ends at one moment; counters since the sender started
 * @property {number} atMs
 * @property {number} written the sender's offset
 * @property {number} processed the replica's offset; while it is away: where it stopped
 * @property {boolean} up the replica says that its link is
 * @property {number} full resyncs that the sender began
 * @property {number} partial resyncs that it accepted
 * @property {number} refused partial resyncs that it refused. Replicas that did not ask for one are not counted
 * @property {number | null} closed connections closed for their output buffer limit; null: not counted (before Redis 7.2)
 *
 * @typedef {Object} Watch
 * @property {() => Promise<ReplicationSample[]>} stop takes a last sample; rejects when a node did not answer, unless it may end. Idempotent
 */

/** Lines of a node's log; a full resync is some ten. */
const LOG_LINES = 2000;
/** A replica has processed what it received when its offset has not moved for this long. */
const STILL_MS = 300;
const STILL_DEADLINE_MS = 10_000;
const LOOK_MS = 30;

/** @param {Ends} ends @returns {Promise<LinkLook>} */
export async function lookAt({ primary, replica }) {
  // In this order the lag is overstated by a moment's stream rather than understated.
  const { bytes, up } = await readOffset(replica);
  const info = await primary.info('replication', 'stats');
  const closed = info.client_output_buffer_limit_disconnections;
  return {
    atMs: performance.now(),
    written: Number(info.slave_repl_offset ?? info.master_repl_offset),
    processed: bytes,
    up,
    full: Number(info.sync_full),
    partial: Number(info.sync_partial_ok),
    refused: Number(info.sync_partial_err),
    closed: closed === undefined ? null : Number(closed),
  };
}

/** @param {LinkLook} look @returns {number | null} bytes of the stream that the replica has not processed; null: its link is down */
export const lagIn = ({ up, written, processed }) => (up ? Math.max(0, written - processed) : null);

/**
 * @param {Ends} ends without writers
 * @param {{deadlineMs: number, pollMs?: number, signal: AbortSignal}} options
 * @returns {Promise<boolean>} the replica has everything; false: not in time
 */
export function catchesUp(ends, options) {
  return waitFor(async () => lagIn(await lookAt(ends)) === 0, options);
}

/**
 * Waits until a replica behind a cut link has processed what it received.
 * @param {Control} replica
 * @param {AbortSignal} signal
 */
export async function untilStill(replica, signal) {
  let [bytes, since] = [-1, performance.now()];
  const isStill = async () => {
    const isLoading = (await replica.info('persistence')).loading === '1';
    const now = isLoading ? -1 : (await readOffset(replica)).bytes;
    if (isLoading || now !== bytes) [bytes, since] = [now, performance.now()];
    return performance.now() - since >= STILL_MS;
  };
  if (!(await waitFor(isStill, { deadlineMs: STILL_DEADLINE_MS, pollMs: LOOK_MS, signal })))
    throw new Error('the replica behind the cut link went on changing');
}

/** @param {LinkLook} before @param {LinkLook} after @returns {'full' | 'partial' | 'none'} what brought the replica back in between */
export function resyncBetween(before, after) {
  if (after.full > before.full) return 'full';
  return after.partial > before.partial ? 'partial' : 'none';
}

/**
 * @param {LinkLook} before
 * @param {LinkLook} after
 * @returns {{fullResyncs: number, partialResyncs: number, refusedPartials: number}} in between
 */
export function resyncsBetween(before, after) {
  return {
    fullResyncs: after.full - before.full,
    partialResyncs: after.partial - before.partial,
    refusedPartials: after.refused - before.refused,
  };
}

/** The message names normal clients too, but only a replica is slow here. */
const CLOSED = /for overcoming of output buffer limits/;

/**
 * @param {Pick<LinkLook, 'closed'>} before
 * @param {Pick<LinkLook, 'closed'>} after
 * @param {readonly string[]} lines of the sender's log that were added in between, for servers that do not count closed connections
 * @returns {number} how often the sender closed a connection because of its output buffer limit
 */
export function disconnectsBetween(before, after, lines) {
  if (after.closed === null || before.closed === null) return lines.filter((line) => CLOSED.test(line)).length;
  return after.closed - before.closed;
}

/**
 * @param {Ends} ends the sender has no other replica
 * @param {{everyMs: number, mayEnd?: boolean, signal: AbortSignal}} options everyMs: between two samples, > 0; mayEnd: a node that no
 *   longer answers ends the samples
 * @returns {Watch} has begun
 */
export function watchReplication({ primary: sender, replica }, { everyMs, mayEnd = false, signal }) {
  const stopping = new AbortController();
  const ended = AbortSignal.any([signal, stopping.signal]);
  const beganAt = performance.now();
  /** @type {ReplicationSample[]} */
  const samples = [];

  async function look() {
    const afterMs = Math.round(performance.now() - beganAt);
    const [info, clients, { bytes }] = await Promise.all([
      sender.info('replication', 'memory'),
      sender.call('CLIENT', 'LIST', 'TYPE', 'REPLICA'),
      readOffset(replica),
    ]);
    samples.push(sampleOf(afterMs, info, String(clients), bytes));
  }

  async function goOn() {
    while (!ended.aborted) {
      await look();
      const next = beganAt + samples.length * everyMs - performance.now();
      await delay(Math.max(0, next), undefined, { signal: ended }).catch(() => {});
    }
    signal.throwIfAborted();
    await look();
    return samples;
  }
  const going = goOn().catch((error) => {
    if (mayEnd && !signal.aborted) return samples;
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

/**
 * The output buffer is `omem` of CLIENT LIST, which the limit applies to. In INFO of Redis 7 `mem_clients_slaves` has only what exceeds
 * the backlog, and `mem_total_replication_buffers` at least the backlog, because both share memory.
 * @param {number} afterMs
 * @param {Record<string, string>} info of the sender: replication and memory
 * @param {string} clients its CLIENT LIST, of replicas
 * @param {number} processed 0: nothing, as during a full resync
 * @returns {ReplicationSample}
 */
export function sampleOf(afterMs, info, clients, processed) {
  const replica = info.slave0 === undefined ? null : fieldsOf(info.slave0);
  const state = replica === null ? 'away' : replica.state === 'online' ? 'online' : 'syncing';
  const buffers = [...clients.matchAll(/ omem=(\d+)/g)].map(([, size]) => Number(size));
  return {
    afterMs,
    state,
    lagBytes: state === 'online' && processed > 0 ? Math.max(0, Number(info.master_repl_offset) - processed) : null,
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
 * @param {Control} sender
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

/**
 * @param {readonly ReplicationSample[]} samples
 * @param {number} memoryBefore bytes that the sender used before the load
 * @returns {Pick<LinkFigures, 'samples' | 'maxLagBytes' | 'maxBufferBytes' | 'memoryGrowthBytes'>}
 */
export function mostIn(samples, memoryBefore) {
  return {
    samples: [...samples],
    maxLagBytes: largest(samples.map(({ lagBytes }) => lagBytes)),
    maxBufferBytes: largest(samples.map(({ bufferBytes }) => bufferBytes)),
    memoryGrowthBytes: Math.max(memoryBefore, ...samples.map((each) => each.senderMemoryBytes)) - memoryBefore,
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
  return linearRegression(run.map(({ afterMs, lagBytes }) => [afterMs / MS_A_SECOND, Number(lagBytes)])).m;
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
 * @param {Stack} stack
 * @param {string} id of a node
 * @returns {Promise<() => Promise<string[]>>} the lines that it has logged since
 */
export async function followLog({ host }, id) {
  const before = await host.logs(id, LOG_LINES);
  return async () => addedLines(before, await host.logs(id, LOG_LINES));
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
