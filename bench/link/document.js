/** What this suite adds to `result.json`: the parameters of its cases, and what went over the replication link in a round. */
import { z } from 'zod';
import { amount, count, positiveAmount, share, signed } from '../../src/result/ranges.js';

const bytesPerSecond = amount;
const maybeAmount = amount.nullable();

export const params = {
  pattern: z.enum(['regular', 'random']).optional(),
  writeShare: share.optional(),
  tunnel: z
    .string()
    .regex(/^(none|ssh|ssh-C|zstd-[0-9]+)$/)
    .optional(),
  linkShare: positiveAmount.optional(),
  chain: z.boolean().optional(),
  supervisor: z.enum(['restart', 'autossh', 'monit', 'monit-asks']).optional(),
  tunnelFault: z.enum(['killed', 'hung', 'dark', 'all-killed']).optional(),
  restartAfterMs: count.optional(),
};

const Sample = z.object({
  afterMs: count,
  lagBytes: count.nullable(),
  bufferBytes: count.nullable(),
  senderMemoryBytes: count,
  state: z.enum(['online', 'syncing', 'away']),
});

const Wire = z.object({
  toReplicaBytes: count,
  toPrimaryBytes: count,
  seconds: positiveAmount,
  primaryEndCpu: maybeAmount,
  replicaEndCpu: maybeAmount,
});

const File = z.object({
  bytes: count,
  compressedBytes: count,
  levels: z.array(z.object({ level: count, compressedBytes: count, cpuMs: amount })).optional(),
});

const Waits = z.object({
  asked: count,
  reached: count,
  timeoutMs: count,
  latencyNs: z.object({ p50: amount, p99: amount, max: amount }),
});

const Loss = z.object({ acked: count, missing: count });

const Memory = z.object({ limitBytes: count, by: z.string(), goneAfterMs: maybeAmount, restart: Loss.optional() });

const Dark = z.object({
  replicaNoticedMs: maybeAmount,
  primaryNoticedMs: maybeAmount,
  refusedMs: maybeAmount,
  acked: count,
  ackedSeconds: amount,
  backMs: maybeAmount,
});

const Outage = z.object({ noticedMs: maybeAmount, awayMs: maybeAmount, behindMs: maybeAmount });

export const LinkFigures = z.object({
  writes: count,
  streamBytes: count,
  demandBytesPerSecond: bytesPerSecond,
  requestBytes: count.optional(),
  executed: z.record(z.string(), count).optional(),
  by: z.string().optional(),
  limitBytesPerSecond: bytesPerSecond.optional(),
  wire: Wire.optional(),
  file: File.optional(),
  samples: z.array(Sample).optional(),
  growthBytesPerSecond: signed.nullish(),
  maxLagBytes: count.nullish(),
  maxBufferBytes: count.nullish(),
  memoryGrowthBytes: signed.nullish(),
  outputLimit: z.object({ hardBytes: count, softBytes: count, softSeconds: count, backlogBytes: count }).optional(),
  disconnects: count.optional(),
  fullResyncs: count.optional(),
  partialResyncs: count.optional(),
  behindBytes: count.nullish(),
  catchUpMs: amount.nullish(),
  waits: Waits.optional(),
  promotion: Loss.optional(),
  memory: Memory.optional(),
  dark: Dark.optional(),
  stopped: z.object({ awayMs: maybeAmount, watchedMs: amount }).optional(),
  outage: Outage.optional(),
});

export const roundFigures = { link: LinkFigures.optional() };

/** @typedef {z.infer<typeof LinkFigures>} LinkFigures */
