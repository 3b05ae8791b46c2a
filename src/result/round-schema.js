/** A round in `result.json`: its figures, and what each node used. */

import { z } from 'zod';
import { amount, count, fields, Name, positiveAmount, share, signed } from './ranges.js';

/** Nanoseconds. */
export const Latency = z.object(fields(amount, 'min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'));

const Outcomes = z.object(fields(count, 'acked', 'underAcked', 'rejected', 'unknown'));

export const Counters = z.object({
  ...fields(count.nullable(), 'replicationOutBytes', 'evictedKeys', 'rejectedConnections', 'errorReplies'),
  ...fields(count.nullable(), 'fullResyncs', 'delayedFsyncs'),
  aofBytes: signed.nullable(),
  ...fields(count.nullable(), 'rewrites', 'snapshots', 'latestForkUs'),
  events: z.record(z.string(), z.object({ latestMs: count, maxMs: count })).optional(),
});

export const NodeUse = z.object({
  id: z.string(),
  role: z.enum(['primary', 'replica', 'sentinel']),
  ...fields(amount.nullable(), 'cpu', 'mainThreadCpu'),
  memoryBytes: count.nullable(),
  ...fields(count.nullish(), 'networkInBytes', 'networkOutBytes', 'blockInBytes', 'blockOutBytes', 'pids'),
  counters: Counters.nullish(),
});

/** The clock of an agent over a round or a trial. */
export const AgentClock = z.object({ offsetMs: signed, boundMs: amount, roundTripMs: amount });

const OpenLoop = z.object({
  askedRate: positiveAmount,
  achievedRate: amount,
  arrivals: z.enum(['constant', 'poisson']),
  ...fields(count, 'due', 'unsent'),
  waiting: z.object({ operations: count, leastNs: count }).optional(),
  sustained: z.boolean(),
  serviceNs: Latency,
  serviceHistogram: z.string(),
  latenessNs: Latency,
  latenessHistogram: z.string(),
});

/** What one agent did in a round. */
const AgentLoad = z.object({
  name: Name,
  ...fields(count, 'cores', 'connections', 'operations'),
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
        ...fields(count.nullable(), 'bytesRead', 'bytesWritten', 'blockInBytes', 'blockOutBytes', 'pids'),
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
