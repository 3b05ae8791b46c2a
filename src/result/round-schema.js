/** A round in `result.json`: its figures, and what each node used. */

import { z } from 'zod';
import { Name } from './names.js';
import { amount, count, positiveAmount, share, signed } from './ranges.js';

const nanoseconds = amount;

export const Latency = z.object({
  min: nanoseconds,
  p50: nanoseconds,
  p90: nanoseconds,
  p95: nanoseconds,
  p99: nanoseconds,
  p999: nanoseconds,
  max: nanoseconds,
  mean: nanoseconds,
});

const Outcomes = z.object({ acked: count, underAcked: count, rejected: count, unknown: count });

export const Counters = z.object({
  replicationOutBytes: count.nullable(),
  evictedKeys: count.nullable(),
  rejectedConnections: count.nullable(),
  errorReplies: count.nullable(),
  fullResyncs: count.nullable(),
  delayedFsyncs: count.nullable(),
  aofBytes: signed.nullable(),
  rewrites: count.nullable(),
  snapshots: count.nullable(),
  latestForkUs: count.nullable(),
  events: z.record(z.string(), z.object({ latestMs: count, maxMs: count })).optional(),
});

export const NodeUse = z.object({
  id: z.string(),
  role: z.enum(['primary', 'replica', 'sentinel']),
  cpu: amount.nullable(),
  mainThreadCpu: amount.nullable(),
  memoryBytes: count.nullable(),
  networkInBytes: count.nullish(),
  networkOutBytes: count.nullish(),
  blockInBytes: count.nullish(),
  blockOutBytes: count.nullish(),
  pids: count.nullish(),
  counters: Counters.nullish(),
});

/** The clock of an agent over a round or a trial. */
export const AgentClock = z.object({
  offsetMs: signed,
  boundMs: amount,
  roundTripMs: amount,
});

const OpenLoop = z.object({
  askedRate: positiveAmount,
  achievedRate: amount,
  arrivals: z.enum(['constant', 'poisson']),
  due: count,
  unsent: count,
  waiting: z
    .object({
      operations: count,
      leastNs: count,
    })
    .optional(),
  sustained: z.boolean(),
  serviceNs: Latency,
  serviceHistogram: z.string(),
  latenessNs: Latency,
  latenessHistogram: z.string(),
});

/** What one agent did in a round. */
const AgentLoad = z.object({
  name: Name,
  cores: count,
  connections: count,
  operations: count,
  seconds: amount,
  outcomes: Outcomes,
  latencyNs: Latency,
  histogram: z.string(),
  load: z.object({ cpu: amount.nullable(), eventLoopUtilization: amount }),
  machineCpu: share,
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
  startSkewMs: signed,
  clock: AgentClock,
});

/** What every round has. */
export const Round = z.object({
  startedAt: z.iso.datetime(),
  seconds: amount,
  operations: count,
  throughput: amount,
  outcomes: Outcomes,
  errors: z.record(z.string(), count),
  latencyNs: Latency,
  histogram: z.string(),
  load: z.object({
    cpu: amount.nullable(),
    eventLoopUtilization: share,
    cpuPerOperationNs: amount.nullish(),
    peakMemoryBytes: count.nullish(),
    process: z
      .object({
        cpu: amount,
        memoryBytes: count,
        bytesRead: count.nullable(),
        bytesWritten: count.nullable(),
        blockInBytes: count.nullable(),
        blockOutBytes: count.nullable(),
        pids: count.nullable(),
      })
      .nullish(),
  }),
  machineCpu: share,
  nodes: z.array(NodeUse),
  consistency: z.object({ reads: count, immediate: count, afterWait: count, stale: count }).optional(),
  reads: z.object({ answered: count, misses: count, failed: count }).optional(),
  background: z.object({ operations: count, seconds: amount }).optional(),
  duringShare: share.optional(),
  openLoop: OpenLoop.optional(),
  agents: z.array(AgentLoad).optional(),
});
