/**
 * Parts of a round in `result.json`: what each node used, what went over the replication link, how a data set was copied.
 */

import { z } from 'zod';

const count = z.number().int().nonnegative();
const bytesPerSecond = z.number().nonnegative();

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
    aofBytes: z
      .number()
      .nullable()
      .describe('growth of the append-only file; negative after a rewrite; null: AOF is off'),
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
  cpu: z.number().nonnegative().nullable().describe('CPU seconds a second, whole process; null when not known'),
  mainThreadCpu: z.number().nonnegative().nullable().describe('the same for the thread that executes commands'),
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

const Sample = z
  .object({
    afterMs: count.describe('since the load began'),
    lagBytes: count
      .nullable()
      .describe('bytes that the replica has not processed; null: not connected, or in a full resync'),
    lagSeconds: count.nullable().describe('whole seconds since its last acknowledgement, from INFO'),
    bufferBytes: count
      .nullable()
      .describe(
        'the sender’s output buffer for the replica, which its limit applies to (omem of CLIENT LIST); null: none',
      ),
    senderMemoryBytes: count.describe('used_memory of the node that sends'),
    state: z.enum(['online', 'syncing', 'away']).describe('of the replica, as the sender sees it'),
  })
  .describe('state of the sender and the replica at one time');

export const LinkFigures = z
  .object({
    writes: count.describe('replicated writes'),
    streamBytes: count.describe('growth of the replication stream'),
    demandBytesPerSecond: bytesPerSecond.describe('of the stream, at the measured write rate'),
    rates: z
      .object({
        everyMs: z.number().positive(),
        p50: bytesPerSecond,
        p95: bytesPerSecond,
        p99: bytesPerSecond,
        peak: bytesPerSecond,
      })
      .optional()
      .describe('of the stream, over intervals of `everyMs`'),
    requestBytes: count.optional().describe('sent by the clients for these writes'),
    executed: z.record(z.string(), count).optional().describe('commands that the replica executed, by name'),
    by: z.string().optional().describe('the program that carried and limited the stream'),
    limitBytesPerSecond: bytesPerSecond.optional().describe('limit of the link'),
    wire: z
      .object({
        toReplicaBytes: count,
        toPrimaryBytes: count,
        seconds: z.number().positive(),
        counts: z.enum(['stream', 'packets']).describe('TCP payload, or packets with headers'),
        primaryEndCpu: z.number().nonnegative().nullable().describe('CPU seconds a second of the tunnel’s processes'),
        replicaEndCpu: z.number().nonnegative().nullable(),
      })
      .optional(),
    file: z
      .object({ bytes: count, compressedBytes: count })
      .optional()
      .describe('a file of the same write commands, and its size through gzip at level 6'),
    samples: z.array(Sample).optional(),
    growthBytesPerSecond: z
      .number()
      .nullish()
      .describe('growth of the lag while the replica was connected; null: not connected long enough'),
    maxLagBytes: count.nullish(),
    maxBufferBytes: count.nullish(),
    memoryGrowthBytes: z.number().nullish().describe('of the sender, from before the load to its peak'),
    outputLimit: z
      .object({ hardBytes: count, softBytes: count, softSeconds: count, backlogBytes: count })
      .optional()
      .describe('of the sender: client-output-buffer-limit of replicas, 0 for no limit, and repl-backlog-size'),
    disconnects: count.optional().describe('how often the sender closed the connection for its output buffer limit'),
    fullResyncs: count.optional(),
    partialResyncs: count.optional(),
    refusedPartials: count.optional().describe('refused partial resyncs: the backlog was too small'),
    missedBytes: count
      .nullish()
      .describe(
        'bytes that the replica missed when it asked for a partial resync: at the first refusal, else the maximum. A backlog of this size would have sufficed',
      ),
    behindBytes: count
      .nullish()
      .describe('bytes that the replica had not processed when the last request was answered; null: not connected'),
    catchUpMs: z
      .number()
      .nonnegative()
      .nullish()
      .describe('from then until it had everything; null: not within the time limit'),
    agreement: z
      .object({ primaryKeys: count, replicaKeys: count, compared: count, different: count })
      .nullish()
      .describe(
        'after the load, with equal offsets: numbers of keys, all compared by type, value and expiry; null: the offsets never became equal',
      ),
    waits: z
      .object({
        asked: count,
        reached: count,
        timeoutMs: count,
        latencyNs: z
          .object({ p50: z.number(), p99: z.number(), max: z.number() })
          .describe('including WAITs that timed out'),
      })
      .optional()
      .describe('a separate writer that sends WAIT 1 after each write'),
    promotion: z
      .object({ acked: count, missing: count })
      .optional()
      .describe('all acknowledged writes, and those that a replica promoted at the end did not have'),
    memory: z
      .object({
        limitBytes: count.describe('memory that the sender could take beyond what it had before the load'),
        by: z.string().describe('what was limited'),
        goneAfterMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the beginning of the load until the sender had ended; null: it did not end'),
        restart: z
          .object({ acked: count, missing: count })
          .optional()
          .describe(
            'all acknowledged writes, and those that it lacked after it was started again with its append-only file',
          ),
      })
      .optional()
      .describe('limit of the sender’s memory'),
    dark: z
      .object({
        seconds: z.number().nonnegative().describe('how long nothing passed; no socket was closed'),
        replicaNoticedMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('until the replica gave the link up; null: it did not'),
        primaryNoticedMs: z.number().nonnegative().nullable(),
        refusedMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('until the first refused write; null: none was refused'),
        acked: count.describe('writes that the primary acknowledged meanwhile; the replica lacked all of them'),
        ackedSeconds: z.number().nonnegative().describe('until the last of them was acknowledged'),
        backMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the end of the darkness until the replica had everything; null: not within the time limit'),
        resync: z.enum(['partial', 'full', 'none']),
      })
      .optional()
      .describe('a link that goes dark; `waits` are those sent meanwhile'),
    outage: z
      .object({
        noticedMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the kill until the replica noticed the lost connection; null: it did not notice'),
        tunnelMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe(
            'from the kill until the tunnel accepted connections again; null: never, or not reachable from here',
          ),
        awayMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the kill until the replica was connected again; null: never'),
        behindMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('from the kill until it had all writes made before its reconnection'),
        resync: z.enum(['partial', 'full', 'none']),
        restarts: count.describe('of the tunnel by its supervisor'),
      })
      .optional(),
  })
  .describe('absent figures were not measured');

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
  .describe('during the copy, all pairs together');

export const CopyFigures = z.object({
  pairs: count,
  keysBefore: count.describe('of all sources, before the copy'),
  seconds: z.number().positive().describe('from the start of the mover until the copies had everything'),
  copiedKeys: count.describe('keys, or writes of the stream, copied in that time'),
  copiedBytes: count.nullable().describe('received over the network for the copy; null: not counted'),
  copyRate: z.number().nonnegative().describe('copiedKeys a second'),
  reported: z
    .object({
      written: count.describe('entries written; of a large value more than one'),
      rate: z
        .number()
        .nonnegative()
        .nullable()
        .describe('entries a second, all movers together; null: none was reported'),
    })
    .optional()
    .describe('what the status page of the movers said; absent: they have none'),
  sourceRate: z.number().nonnegative().describe('writes a second to the source meanwhile; 0: no writers'),
  behindSeconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe('from the last write until the copies had everything; null: never'),
  writers: z.object({ before: Writers, during: Writers, after: Writers }).optional(),
  use: z.object({ source: Use, copy: Use, mover: Use.nullable().describe('null: the nodes copy by themselves') }),
  copyOnWriteBytes: count.nullable().describe('peak of pages copied for forked children of all sources; null: no fork'),
  sourceMemoryPeakBytes: count.describe('peak resident memory of a source, without its children'),
  comparison: z
    .object({
      keys: count.describe('keys on either side'),
      missing: count.describe('only in the source'),
      extra: count.describe('only in the copy'),
      type: count.describe('differ in type'),
      value: count.describe('differ in value'),
      ttl: count.describe('differ in expiry'),
      ttlMostMs: count
        .optional()
        .describe('the largest difference of two expiry times; absent in results of earlier versions'),
    })
    .describe('source and copy, key by key, after the last write'),
});
