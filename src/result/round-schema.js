/** A round in `result.json`: its figures, and what each node used. */

import { z } from 'zod';
import { Name } from './names.js';
import { amount, count, positiveAmount, share, signed } from './ranges.js';

const nanoseconds = amount;

export const Latency = z
  .object({
    min: nanoseconds,
    p50: nanoseconds,
    p90: nanoseconds,
    p95: nanoseconds,
    p99: nanoseconds,
    p999: nanoseconds,
    max: nanoseconds,
    mean: nanoseconds,
  })
  .describe('nanoseconds; all 0 when nothing was recorded');

const Outcomes = z
  .object({ acked: count, underAcked: count, rejected: count, unknown: count })
  .describe('outcome of each write, or of each operation of another kind');

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

const OpenLoop = z.object({
  askedRate: positiveAmount.describe('operations a second'),
  achievedRate: amount.describe('operations a second that were sent'),
  arrivals: z.enum(['constant', 'poisson']),
  due: count.describe('scheduled operations'),
  unsent: count.describe('scheduled operations that could not be sent in time'),
  waiting: z
    .object({
      operations: count,
      leastNs: count.describe('the shortest of these waits; percentiles from here on are lower bounds'),
    })
    .optional()
    .describe(
      'of the unsent: those that were due before the end of the round. The response times have how long each had waited by then, a lower ' +
        'bound. Absent: none, or an earlier result, whose response times leave them out',
    ),
  sustained: z
    .boolean()
    .describe('at least 99.9% of the due operations were sent in the requested time, give or take 20 ms'),
  serviceNs: Latency.describe('from the actual send of a batch'),
  serviceHistogram: z.string(),
  latenessNs: Latency.describe('how late the load thread sent'),
  latenessHistogram: z.string(),
});

/** What one agent did in a round. */
const AgentLoad = z.object({
  name: Name,
  cores: count.describe('of its machine'),
  connections: count,
  operations: count,
  seconds: amount,
  outcomes: Outcomes,
  latencyNs: Latency,
  histogram: z.string(),
  load: z.object({ cpu: amount.nullable(), eventLoopUtilization: amount }),
  machineCpu: share.describe('share of its machine that was busy'),
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']).describe('its load thread, or its machine'),
  startSkewMs: signed.describe('how much later than planned it started, within the bound of its clock'),
  clock: AgentClock,
});

/** What every round has. */
export const Round = z.object({
  startedAt: z.iso.datetime().describe('when timing began, after the warm-up'),
  seconds: amount,
  operations: count,
  throughput: amount.describe('acked operations a second: writes, unless the case says otherwise'),
  outcomes: Outcomes,
  errors: z.record(z.string(), count).describe('count of each kind of error'),
  latencyNs: Latency,
  histogram: z.string().describe('base64, HdrHistogram V2 compressed, nanoseconds'),
  load: z.object({
    cpu: amount.nullable().describe('CPU seconds a second of the load thread'),
    eventLoopUtilization: share,
    cpuPerOperationNs: amount.nullish().describe('CPU time of the whole load process; null: unknown'),
    peakMemoryBytes: count.nullish().describe('peak resident memory of this process so far'),
    process: z
      .object({
        cpu: amount.describe('CPU seconds a second, all threads'),
        memoryBytes: count.describe('resident at the end of the round'),
        bytesRead: count.nullable().describe('by read calls: sockets and a few files; null: unknown on this system'),
        bytesWritten: count.nullable().describe('the same through write calls'),
        blockInBytes: count.nullable(),
        blockOutBytes: count.nullable(),
        pids: count.nullable().describe('threads'),
      })
      .nullish()
      .describe('the process with the load threads and the orchestration; null: an external program made the load'),
  }),
  machineCpu: share.describe('busy share of all cores'),
  nodes: z.array(NodeUse),
  consistency: z
    .object({ reads: count, immediate: count, afterWait: count, stale: count })
    .optional()
    .describe('read-after-write: reads that saw the write at once, only after WAIT, or not at all'),
  reads: z
    .object({ answered: count, misses: count, failed: count })
    .optional()
    .describe('of a load with reads; misses: answered without a value'),
  background: z
    .object({ operations: count, seconds: amount })
    .optional()
    .describe('writes of background connections; not in the other figures, except errors'),
  duringShare: share
    .optional()
    .describe('share of samples in which the primary was rewriting or saving, as the case asks'),
  openLoop: OpenLoop.optional().describe('present in open loop; latencyNs is then response time'),
  agents: z
    .array(AgentLoad)
    .optional()
    .describe('present when agents sent the load; the other figures are those of all of them'),
});
