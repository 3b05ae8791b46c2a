/**
 * Parts of a round in `result.json`: what each node used, what went over the replication link, how a data set was copied.
 */

import { z } from 'zod';

const count = z.number().int().nonnegative();
const bytesPerSecond = z.number().nonnegative();

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

const Sample = z
  .object({
    afterMs: count.describe('since the load began'),
    lagBytes: count
      .nullable()
      .describe('what the replica has not processed; null: it is not connected, or being sent the data set'),
    lagSeconds: count.nullable().describe('since its last acknowledgement, whole seconds, as Redis tells'),
    bufferBytes: count
      .nullable()
      .describe('the sender’s output buffer for the replica, as its limit has it (omem of CLIENT LIST); null: none'),
    senderMemoryBytes: count.describe('used_memory of the node that sends'),
    state: z.enum(['online', 'syncing', 'away']).describe('of the replica, as the sender sees it'),
  })
  .describe('what the sender and the replica tell');

export const LinkFigures = z
  .object({
    writes: count.describe('that were replicated'),
    streamBytes: count.describe('the replication stream grew by'),
    demandBytesPerSecond: bytesPerSecond.describe('of the stream, at the rate that was reached'),
    requestBytes: count.optional().describe('that the clients sent for these writes'),
    executed: z
      .record(z.string(), count)
      .optional()
      .describe('commands of the stream that the replica executed, by name'),
    by: z.string().optional().describe('what carried and shaped it'),
    limitBytesPerSecond: bytesPerSecond.optional().describe('what the wire was shaped to'),
    wire: z
      .object({
        toReplicaBytes: count,
        toPrimaryBytes: count,
        seconds: z.number().positive(),
        counts: z.enum(['stream', 'packets']).describe('payload of TCP, or packets with their headers'),
        primaryEndCpu: z.number().nonnegative().nullable().describe('CPU seconds a second of the tunnel’s processes'),
        replicaEndCpu: z.number().nonnegative().nullable(),
      })
      .optional(),
    samples: z.array(Sample).optional(),
    growthBytesPerSecond: z
      .number()
      .nullish()
      .describe('how fast the lag grew while the replica was connected; null: it was not connected for long enough'),
    maxLagBytes: count.nullish(),
    maxBufferBytes: count.nullish(),
    memoryGrowthBytes: z.number().nullish().describe('of the sender, from before the load to its highest'),
    outputLimit: z
      .object({ hardBytes: count, softBytes: count, softSeconds: count, backlogBytes: count })
      .optional()
      .describe('of the sender: client-output-buffer-limit of replicas, 0 is none, and repl-backlog-size'),
    disconnects: count.optional().describe('how often the sender closed the connection for its output buffer limit'),
    fullResyncs: count.optional(),
    partialResyncs: count.optional(),
    refusedPartials: count.optional().describe('partial resyncs asked for that the backlog was too short for'),
    missedBytes: count
      .nullish()
      .describe(
        'how far the stream was ahead when the replica asked for a partial resync: the first time that it was refused, else the most. A backlog of this size would have done then',
      ),
    behindBytes: count
      .nullish()
      .describe(
        'what the replica had not yet processed when the last request had been answered; null: it was not connected',
      ),
    catchUpMs: z
      .number()
      .nonnegative()
      .nullish()
      .describe('from then until it had everything; null: it did not within the time given'),
    agreement: z
      .object({ primaryKeys: count, replicaKeys: count, compared: count, different: count })
      .nullish()
      .describe(
        'when the load had ended and the offsets were the same: numbers of keys, all of them compared by type, value and expiry; null: they never were',
      ),
    waits: z
      .object({
        asked: count,
        reached: count,
        timeoutMs: count,
        latencyNs: z
          .object({ p50: z.number(), p99: z.number(), max: z.number() })
          .describe('those that timed out included'),
      })
      .optional()
      .describe('a writer of its own that asks WAIT 1 after each write'),
    promotion: z
      .object({ acked: count, missing: count })
      .optional()
      .describe('acknowledged writes until the end, and how many of them a replica promoted then did not have'),
    outage: z
      .object({
        noticedMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the kill until the replica knew that its connection was lost; null: it did not notice'),
        tunnelMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe(
            '… until connections were accepted at the tunnel’s end again; null: never, or it cannot be reached from here',
          ),
        awayMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the kill until the replica was connected; null: it never was'),
        behindMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('… until it had all that was written when it was connected again'),
        resync: z.enum(['partial', 'full', 'none']),
        restarts: count.describe('of the tunnel by its supervisor'),
      })
      .optional(),
  })
  .describe('figures that a benchmark does not measure are absent');

const share = z.number().nonnegative();

const Writers = z
  .object({ seconds: z.number().nonnegative(), writes: count, p50Ns: z.number(), p99Ns: z.number(), maxNs: z.number() })
  .describe('writers of the source, all pairs together');

const Use = z
  .object({
    cpu: share.nullable().describe('CPU seconds a second'),
    networkInBytes: count.nullable().describe('null: not counted'),
    networkOutBytes: count.nullable(),
    blockOutBytes: count.nullable().describe('written to disks'),
  })
  .describe('while it was copied, all pairs together');

export const CopyFigures = z.object({
  pairs: count,
  keysBefore: count.describe('of all sources, before anything was copied'),
  seconds: z.number().positive().describe('from the start of the mover until the copies had everything'),
  copiedKeys: count.describe('keys, or writes of the stream, that were brought over in that time'),
  copiedBytes: count.nullable().describe('that came over the network for it; null: not counted'),
  copyRate: z.number().nonnegative().describe('copiedKeys a second'),
  sourceRate: z.number().nonnegative().describe('writes a second of the source meanwhile; 0: nothing wrote'),
  behindSeconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe('from the last write until the copies had everything; null: they never had'),
  writers: z.object({ before: Writers, during: Writers, after: Writers }).optional(),
  use: z.object({ source: Use, copy: Use, mover: Use.nullable().describe('null: the nodes themselves move') }),
  copyOnWriteBytes: count
    .nullable()
    .describe('the most that forked children of all sources had copied; null: none forked'),
  sourceMemoryPeakBytes: count.describe('the highest resident memory of a source, its children not included'),
  comparison: z
    .object({
      keys: count.describe('that either side holds'),
      missing: count.describe('the copy lacks them'),
      extra: count.describe('only the copy has them'),
      type: count.describe('differ in type'),
      value: count.describe('differ in value'),
      ttl: count.describe('differ in when they expire'),
    })
    .describe('source and copy, key by key, when nothing wrote any more'),
});
