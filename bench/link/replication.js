/** Watches the replication between two nodes, and reads figures from the samples and from the nodes' logs. */
import { linearRegression } from 'simple-statistics';
import { repeatedly } from '../../src/repeat.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';

/** @import { NodeInfo, Stack } from '../types.js' */
/** @import { LinkFigures } from './document.js' */
/** @import { Control } from '../../src/stacks/redis/control.js' */
/** @typedef {NonNullable<LinkFigures['samples']>[number]} ReplicationSample */
/** @typedef {{primary: Control, replica: Control}} Ends control connections to both ends of a link; primary: the sender; a replica in a chain */
/** @typedef {{deadlineMs: number, pollMs?: number, signal: AbortSignal}} Patience */
/**
 * @typedef {Object} LinkLook both ends at one moment; counters since the sender started
 * @property {number} atMs by `clockMs()`
 * @property {number} written the sender's offset
 * @property {number} processed the replica's offset; while it is away: where it stopped
 * @property {boolean} up the replica says that its link is
 * @property {number} followers that the sender says it has
 * @property {number} full resyncs that the sender began
 * @property {number} partial resyncs that it accepted
 */

/** Lines of a node's log; a full resync is some ten. */
const LOG_LINES = 2000;
/** A replica has processed what it received when its offset has not moved for this long. */
const STILL_MS = 300;
const STILL_DEADLINE_MS = 10_000;
const LOOK_MS = 20;
/** Over less time a rate would be noise. */
const LEAST_MS = 1500;

/** @param {Ends} ends @returns {Promise<LinkLook>} */
export async function lookAt({ primary, replica }) {
  // In this order the lag is overstated by a moment's stream rather than understated.
  const { bytes, up } = await readOffset(replica);
  const info = await primary.info('replication', 'stats');
  return {
    atMs: clockMs(),
    written: Number(info.slave_repl_offset ?? info.master_repl_offset),
    processed: bytes,
    up,
    followers: Number(info.connected_slaves),
    full: Number(info.sync_full),
    partial: Number(info.sync_partial_ok),
  };
}

/** @param {Ends} ends @param {(look: LinkLook) => boolean} holds @param {Patience} patience @returns the first look for which it holds; null: none in time */
export async function lookUntil(ends, holds, { pollMs = LOOK_MS, ...patience }) {
  const look = async () => {
    const seen = await lookAt(ends);
    return holds(seen) ? seen : null;
  };
  return waitFor(look, { pollMs, ...patience });
}

/** @param {LinkLook} look @returns {number | null} bytes of the stream that the replica has not processed; null: its link is down */
export const lagIn = ({ up, written, processed }) => (up ? Math.max(0, written - processed) : null);

/** @param {Ends} ends without writers @param {Patience} patience @returns the look at which the replica had everything; null: not in time */
export const catchesUp = (ends, patience) => lookUntil(ends, (look) => lagIn(look) === 0, patience);

/**
 * @param {Ends} ends
 * @param {(look: LinkLook) => boolean} isAgain the replica is connected again, if its link is up
 * @param {Patience} patience
 * @returns the first look at which it was, and that at which it had what was written at the first; null: not in time
 */
export async function comesBack(ends, isAgain, patience) {
  const connected = await lookUntil(ends, (look) => look.up && isAgain(look), patience);
  const has = (/** @type {LinkLook} */ { up, processed }) => up && processed >= Number(connected?.written);
  return { connected, caughtUp: connected && (await lookUntil(ends, has, patience)) };
}

/** Waits until a replica behind a dark link has processed what it received. @param {Control} replica @param {AbortSignal} signal */
export async function untilStill(replica, signal) {
  let [bytes, since] = [-1, performance.now()];
  const isStill = async () => {
    const isLoading = (await replica.info('persistence')).loading === '1';
    const now = isLoading ? -1 : (await readOffset(replica)).bytes;
    if (isLoading || now !== bytes) [bytes, since] = [now, performance.now()];
    return performance.now() - since >= STILL_MS;
  };
  if (!(await waitFor(isStill, { deadlineMs: STILL_DEADLINE_MS, pollMs: LOOK_MS, signal })))
    throw new Error('the replica behind the dark link went on changing');
}

/**
 * @template {{seconds: number, link: Partial<LinkFigures> & Pick<LinkFigures, 'writes'>}} Sample
 * @param {{path: {by: string}, ends: Ends}} link
 * @param {(before: LinkLook) => Promise<Sample & {last?: LinkLook}>} work last: instead of a look when it is over, as the sender may have ended
 * @returns what it measured, and what the sender wrote meanwhile
 */
export async function withStream({ path, ends }, work) {
  const before = await lookAt(ends);
  const { link, last: after = await lookAt(ends), ...sample } = await work(before);
  const streamBytes = after.written - before.written;
  return {
    ...sample,
    link: {
      streamBytes,
      demandBytesPerSecond: sample.seconds > 0 ? streamBytes / sample.seconds : 0,
      by: path.by,
      fullResyncs: after.full - before.full,
      partialResyncs: after.partial - before.partial,
      ...link,
    },
  };
}

/**
 * Takes samples until it is stopped.
 * @param {Ends} ends the sender has no other replica
 * @param {{everyMs: number, mayEnd?: boolean, signal: AbortSignal}} options mayEnd: a node that no longer answers ends the samples
 * @returns {Promise<() => Promise<Pick<LinkFigures, 'samples' | 'maxLagBytes' | 'maxBufferBytes' | 'memoryGrowthBytes' | 'growthBytesPerSecond'>>>} takes a
 *   last sample
 */
export async function watchReplication({ primary: sender, replica }, { everyMs, mayEnd = false, signal }) {
  const memoryBefore = Number((await sender.info('memory')).used_memory);
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
  const stop = repeatedly(look, everyMs, signal);

  return async () => {
    try {
      await stop();
      await look();
    } catch (error) {
      if (!mayEnd || signal.aborted) throw error;
    }
    return {
      samples,
      maxLagBytes: largest(samples.map(({ lagBytes }) => lagBytes)),
      maxBufferBytes: largest(samples.map(({ bufferBytes }) => bufferBytes)),
      memoryGrowthBytes: Math.max(memoryBefore, ...samples.map((each) => each.senderMemoryBytes)) - memoryBefore,
      growthBytesPerSecond: growthOf(samples),
    };
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
  // Such as `ip=127.0.0.1,port=6380,state=online,offset=14,lag=1`.
  const told = /,state=(\w+),/.exec(info.slave0 ?? '')?.[1];
  const isOnline = told === 'online';
  const buffers = [...clients.matchAll(/ omem=(\d+)/g)].map(([, size]) => Number(size));
  return {
    afterMs,
    state: isOnline ? 'online' : told === undefined ? 'away' : 'syncing',
    lagBytes: isOnline && processed > 0 ? Math.max(0, Number(info.master_repl_offset) - processed) : null,
    bufferBytes: largest(buffers),
    senderMemoryBytes: Number(info.used_memory),
  };
}

/** @param {Control} sender @returns {Promise<NonNullable<LinkFigures['outputLimit']>>} what is in force @throws {Error} it does not report it */
export async function readOutputLimit(sender) {
  const [limits, backlog] = await Promise.all(
    ['client-output-buffer-limit', 'repl-backlog-size'].map(async (name) => {
      const [, value] = /** @type {string[]} */ (await sender.call('CONFIG', 'GET', name));
      return String(value);
    }),
  );
  const [, hard, soft, seconds] = /\b(?:slave|replica) (\d+) (\d+) (\d+)/.exec(limits) ?? [];
  if (seconds === undefined) throw new Error(`no limit for replicas in ${limits}`);
  return {
    hardBytes: Number(hard),
    softBytes: Number(soft),
    softSeconds: Number(seconds),
    backlogBytes: Number(backlog),
  };
}

/**
 * @param {readonly ReplicationSample[]} samples in order
 * @returns {number | null} bytes a second by which the lag grew in the longest time that the replica was connected without a break
 *   (least squares); negative: it fell; null: that time was too short
 */
export function growthOf(samples) {
  /** @type {ReplicationSample[][]} */
  const runs = [[]];
  for (const sample of samples) {
    if (sample.lagBytes === null) runs.push([]);
    else runs[runs.length - 1].push(sample);
  }
  const [run] = runs.toSorted((a, b) => b.length - a.length);
  if (run.length < 3 || run[run.length - 1].afterMs - run[0].afterMs < LEAST_MS) return null;
  return linearRegression(run.map(({ afterMs, lagBytes }) => [afterMs / MS_A_SECOND, Number(lagBytes)])).m;
}

/** @param {readonly (number | null)[]} values @returns {number | null} null: none is known */
function largest(values) {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/**
 * @param {Stack} stack
 * @param {NodeInfo} sender
 * @returns {Promise<() => Promise<number>>} how often it has closed a connection since because of its output buffer limit
 */
export async function followLog({ host }, { id }) {
  const before = await host.logs(id, LOG_LINES);
  // The message names normal clients too, but only a replica is slow here.
  const isClosed = (/** @type {string} */ line) => line.includes('for overcoming of output buffer limits');
  return async () => addedLines(before, await host.logs(id, LOG_LINES)).filter(isClosed).length;
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
