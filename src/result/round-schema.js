/**
 * Parts of a round in `result.json`: what each node used.
 */

import { z } from 'zod';
import { amount, count, signed } from './ranges.js';

export const Counters = z
  .object({
    replicationOutBytes: count.nullable().describe('sent to replicas; not counted before Redis 7.0'),
    evictedKeys: count.nullable(),
    rejectedConnections: count.nullable(),
    errorReplies: count.nullable(),
    fullResyncs: count.nullable().describe('of replicas, with the whole data set'),
    delayedFsyncs: count
      .nullable()
      .describe('aof_delayed_fsync: writes that waited for a running fsync; null: AOF is off'),
    aofBytes: signed.nullable().describe('growth of the append-only file; negative after a rewrite; null: AOF is off'),
    rewrites: count.nullable().describe('started rewrites of the append-only file; not counted before Redis 7.0'),
    snapshots: count.nullable().describe('started background saves; not counted before Redis 7.0'),
    latestForkUs: count.nullable().describe('latest_fork_usec at the end of the round, even if that fork was earlier'),
    events: z
      .record(z.string(), z.object({ latestMs: count, maxMs: count }))
      .optional()
      .describe('LATENCY LATEST; present if the monitor is on and was reset before the round'),
  })
  .describe(
    'changes of the node’s counters during the round; null: not in its INFO, or reset meanwhile. Redis does not count its fsyncs',
  );

export const NodeUse = z.object({
  id: z.string(),
  role: z.enum(['primary', 'replica', 'sentinel']),
  cpu: amount.nullable().describe('CPU seconds a second, whole process; null when not known'),
  mainThreadCpu: amount.nullable().describe('the same for the thread that executes commands'),
  memoryBytes: count.nullable().describe('resident memory at the end of the round; null when not known'),
  networkInBytes: count.nullish().describe('during the round, as are the next three; null: unknown'),
  networkOutBytes: count.nullish(),
  blockInBytes: count.nullish().describe('read from block devices'),
  blockOutBytes: count.nullish().describe('written to block devices, also by the system after the round'),
  pids: count.nullish().describe('threads at the end of the round'),
  counters: Counters.nullish().describe(
    'Redis nodes only; null: restarted meanwhile, or the case took turns with others',
  ),
});

/** The clock of an agent over a round or a trial. */
export const AgentClock = z.object({
  offsetMs: signed.describe('its time of day minus that of the controller'),
  boundMs: amount.describe(
    'half of the least round trip of 50, the drift during the round or trial, and the millisecond to which times of day are read',
  ),
  roundTripMs: amount.describe('the least'),
});
