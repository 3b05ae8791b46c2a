/**
 * The part of `result.json` that tells what each node used during a round.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

export const Counters = z
  .object({
    replicationOutBytes: count.nullable().describe('sent to replicas; before Redis 7.0 not counted'),
    evictedKeys: count.nullable(),
    rejectedConnections: count.nullable(),
    errorReplies: count.nullable(),
    fullResyncs: count.nullable().describe('of replicas, with the whole data set'),
    delayedFsyncs: count
      .nullable()
      .describe('aof_delayed_fsync: writes that waited for a sync under way; null: AOF is off'),
    aofBytes: z
      .number()
      .nullable()
      .describe('what the append-only file grew by; negative after a rewrite; null: AOF is off'),
    rewrites: count.nullable().describe('rewrites of the append-only file that began; before Redis 7.0 not counted'),
    snapshots: count.nullable().describe('background saves that began; before Redis 7.0 not counted'),
    latestForkUs: count.nullable().describe('latest_fork_usec at the end of the round, also when that fork was before'),
    events: z
      .record(z.string(), z.object({ latestMs: count, maxMs: count }))
      .optional()
      .describe('LATENCY LATEST; only where the monitor is on and was reset before the round'),
  })
  .describe(
    'what the node’s own counters moved by during the round; null: its INFO does not tell, or it was reset meanwhile. Redis does not count its fsyncs',
  );

export const NodeUse = z.object({
  id: z.string(),
  role: z.enum(['primary', 'replica', 'sentinel']),
  cpu: z.number().nonnegative().nullable().describe('CPU seconds a second, whole process; null when not known'),
  mainThreadCpu: z.number().nonnegative().nullable().describe('the same for the thread that executes commands'),
  memoryBytes: count.nullable().describe('resident memory at the end of the round; null when not known'),
  networkInBytes: count.nullish().describe('during the round, as are the next three; null when not known'),
  networkOutBytes: count.nullish(),
  blockInBytes: count.nullish().describe('read from block devices'),
  blockOutBytes: count.nullish().describe('written to block devices, also by the system after the round'),
  pids: count.nullish().describe('threads at the end of the round'),
  counters: Counters.nullish().describe('Redis nodes only; null: restarted meanwhile'),
});
