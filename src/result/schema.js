/**
 * The published documents of sentinel-bench, defined once: types, validation and the JSON schema file are all made from the definitions
 * below.
 *
 * The rule for versions: a field that is added is optional and keeps the version. A change that an earlier reader would misread gets the
 * next version, and every released version stays readable.
 */

import { z } from 'zod';
import { AuditDocument, TrialDocument } from './failure-schema.js';
import { CopyFigures, LinkFigures, NodeUse } from './round-schema.js';

export const SCHEMAS = Object.freeze({
  result: 'sentinel-bench/result@1',
  load: 'sentinel-bench/load@1',
  comparison: 'sentinel-bench/comparison@1',
  audit: 'sentinel-bench/audit@1',
});

/**
 * @param {unknown} document
 * @returns {{id: string, name: string, version: number} | null} the schema that it names; null: not a document of sentinel-bench
 */
export function schemaOf(document) {
  const id = /** @type {{schema?: unknown} | null} */ (document)?.schema;
  const found = typeof id === 'string' ? /^(sentinel-bench\/[\w-]+)@(\d+)$/.exec(id) : null;
  return found && { id: found[0], name: found[1], version: Number(found[2]) };
}

export const SCHEMA_ID = SCHEMAS.result;

const count = z.number().int().nonnegative();
const FileName = z.string().regex(/^[A-Za-z0-9._-]+$/);
const nanoseconds = z.number().nonnegative();

const Interval = z
  .object({ median: z.number(), low: z.number(), high: z.number() })
  .describe('median over rounds with its 95% bootstrap interval');

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
  .describe('what became of each write, or of each operation of another kind that the case asks for');

const Params = z
  .object({
    client: z
      .enum(['native', 'redis', 'ioredis', 'redis-benchmark', 'memtier_benchmark'])
      .describe('what makes the load; the last two are programs of others'),
    wait: count.describe('replicas WAIT asked for; 0: no WAIT'),
    waitTimeoutMs: count,
    habit: z.enum(['one-flush', 'awaited']),
    payloadBytes: count,
    pipeline: count.describe('writes a batch'),
    connections: count,
    backgroundConnections: count.optional(),
    keyspace: count.optional().describe('how many keys are drawn from; absent: as many as suit the values'),
    rate: z.number().positive().optional().describe('operations a second asked for; absent: closed loop'),
    waitLocal: z
      .union([z.literal(0), z.literal(1)])
      .optional()
      .describe('WAITAOF is sent instead of WAIT; 1: it asks for this node too'),
    level: z.string().optional().describe('failure benchmarks: the durability level'),
    variant: z.string().optional().describe('failure benchmarks: what is done differently in this case'),
    writers: z.array(z.string()).optional().describe('failure benchmarks: who writes'),
    settings: z.record(z.string(), z.string()).optional().describe('set on every Redis node for this case'),
    downAfterMs: count.optional().describe('down-after-milliseconds of the Sentinels'),
    linkLatencyMs: z.number().nonnegative().optional().describe('asked to be added to a round trip between nodes'),
    operation: z
      .enum(['set', 'get', 'ping', 'idle'])
      .optional()
      .describe('what each operation of the load is; idle: there is no load; absent: set'),
    readFrom: z.enum(['primary', 'replicas']).optional().describe('of operation get; absent: primary'),
    replicas: count.optional().describe('how many replicas run; absent: all of the stack'),
    replicaSettings: z
      .record(z.string(), z.string())
      .optional()
      .describe('set on the replicas, besides or instead of `settings`'),
    storage: z.string().optional().describe('label of the storage that the nodes keep their files on'),
    preloadKeys: count
      .optional()
      .describe('keys that are there before the load begins, each with a value of payloadBytes'),
    during: z.enum(['rewrite', 'snapshot']).optional().describe('what the primary is kept doing meanwhile'),
    pattern: z
      .enum(['regular', 'random'])
      .optional()
      .describe('keys and values: of a regular pattern with counters, or random throughout'),
    grouping: z
      .enum(['single', 'batch', 'multi', 'script', 'function'])
      .optional()
      .describe('how the writes that belong together are sent'),
    writeShare: z.number().min(0).max(1).optional().describe('share of the requests that write'),
    tunnel: z
      .string()
      .regex(/^(none|ssh|ssh-C|zstd-[0-9]+)$/)
      .optional()
      .describe('what the replication stream passes'),
    linkShare: z.number().positive().optional().describe('speed of the link, as a share of what replication demands'),
    chain: z.boolean().optional().describe('the link is that of a replica that follows a replica'),
    restartAfterMs: count.optional().describe('when the supervisor of the tunnel starts it again'),
    mover: z.string().optional().describe('what copies the data set'),
    scanCount: count.optional().describe('COUNT of SCAN, of movers that scan'),
    mode: z.string().optional().describe('what is copied how, and what is written meanwhile'),
    pairs: count.optional().describe('sources and copies side by side'),
  })
  .describe('what the case sets');

const OpenLoop = z.object({
  askedRate: z.number().positive().describe('operations a second'),
  achievedRate: z.number().nonnegative().describe('operations a second that were sent'),
  arrivals: z.enum(['constant', 'poisson']),
  due: count.describe('operations that were meant to leave'),
  unsent: count.describe('of those, how many could not leave in time'),
  sustained: z.boolean().describe('at least 99.9% of what was due was sent, in the time asked for, give or take 20 ms'),
  serviceNs: Latency.describe('from when a batch left'),
  serviceHistogram: z.string(),
  latenessNs: Latency.describe('how late the load thread itself was in sending'),
  latenessHistogram: z.string(),
});

export const Round = z.object({
  startedAt: z.iso.datetime().describe('when timing began, after the warm-up'),
  seconds: z.number().nonnegative(),
  operations: count,
  throughput: z.number().nonnegative().describe('acked operations a second: writes, unless the case says otherwise'),
  outcomes: Outcomes,
  errors: z.record(z.string(), count).describe('how often each kind of error was seen'),
  latencyNs: Latency,
  histogram: z.string().describe('base64, HdrHistogram V2 compressed, nanoseconds'),
  load: z.object({
    cpu: z.number().nonnegative().nullable().describe('CPU seconds a second of the load thread'),
    eventLoopUtilization: z.number().min(0).max(1),
    cpuPerOperationNs: z
      .number()
      .nonnegative()
      .nullish()
      .describe('CPU time of the whole process that made the load; null when not known'),
    peakMemoryBytes: count.nullish().describe('the most resident memory that this process ever had'),
    process: z
      .object({
        cpu: z.number().nonnegative().describe('CPU seconds a second, all threads'),
        memoryBytes: count.describe('resident at the end of the round'),
        bytesRead: count
          .nullable()
          .describe('through read calls: sockets, and the few files; null where the system does not tell'),
        bytesWritten: count.nullable().describe('the same through write calls'),
        blockInBytes: count.nullable(),
        blockOutBytes: count.nullable(),
        pids: count.nullable().describe('threads'),
      })
      .nullish()
      .describe('the process that makes the load, with its orchestration; null: another program made it'),
  }),
  machineCpu: z.number().min(0).max(1).describe('share of all cores that was busy'),
  nodes: z.array(NodeUse),
  consistency: z
    .object({ reads: count, immediate: count, afterWait: count, stale: count })
    .optional()
    .describe('read-after-write: reads that saw the write at once, only after WAIT, or not even then'),
  reads: z
    .object({ answered: count, misses: count, failed: count })
    .optional()
    .describe('when the load reads: misses were answered, with no value'),
  background: z
    .object({ operations: count, seconds: z.number().nonnegative() })
    .optional()
    .describe('writes of the connections that write all the while; not in the other figures, but for their errors'),
  duringShare: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('share of the looks at the primary that found it rewriting, or saving, as the case asks'),
  openLoop: OpenLoop.optional().describe('when batches left on a schedule; latencyNs is response time then'),
  link: LinkFigures.optional().describe('what went over the replication link'),
  copy: CopyFigures.optional().describe('how a data set was copied'),
});

const Summary = z.object({
  throughput: Interval,
  p50Ns: Interval,
  p99Ns: Interval,
  latencyNs: Latency.describe('of the histograms of all rounds, merged'),
  samples: count.describe('values in the merged histogram'),
  relativeToBaseline: z
    .object({ baseline: z.string(), throughput: Interval.describe('ratio to the baseline, paired by round') })
    .optional(),
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
});

const CaseDocument = z.object({
  id: FileName,
  params: Params,
  rounds: z.array(Round),
  summary: Summary,
});

const FindingDocument = z.object({
  text: z.string(),
  evidence: z.array(z.string()).describe('ids of the cases the sentence was computed from'),
});

const CheckDocument = z.object({ name: z.string(), ok: z.boolean(), detail: z.string() });

const BenchmarkDocument = z.object({
  name: FileName,
  question: z.string(),
  status: z.enum(['ok', 'failed', 'skipped']),
  reason: z.string().optional().describe('why it was skipped or failed, and the remedy'),
  pace: z
    .object({ rounds: count, seconds: z.number().positive(), warmUpSeconds: z.number().nonnegative() })
    .optional()
    .describe('of this benchmark, instead of the profile’s'),
  cases: z.array(CaseDocument),
  notMeasured: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .optional()
    .describe('cases that this machine cannot measure, why, and the remedy'),
  findings: z.array(FindingDocument),
  checks: z.array(CheckDocument),
  audit: z.array(AuditDocument).optional().describe('failure benchmarks: each writer of each trial'),
  timeline: z.array(TrialDocument).optional().describe('failure benchmarks: each trial'),
});

export const Environment = z.object({
  cpuModel: z.string(),
  cores: z.number().int().positive(),
  memoryBytes: count,
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  virtualization: z.string().describe('hypervisor or container the harness runs in; empty when none is known'),
  node: z.string(),
  clients: z.record(z.string(), z.string()).describe('client library → version'),
});

/** The server program of a node. */
export const Server = z.object({
  name: z.string(),
  version: z.string().nullable().describe('null: its INFO does not tell'),
});

const ClusterDocument = z.object({
  backend: z.enum(['docker', 'local', 'external']),
  why: z.string(),
  server: Server,
  path: z.string().describe('how clients reached the nodes'),
  masterName: z.string(),
  nodes: z.array(z.object({ id: z.string(), kind: z.enum(['redis', 'sentinel']), role: z.string() })),
  config: z
    .record(z.string(), z.record(z.string(), z.string()))
    .describe('effective configuration of each Redis node, secrets, paths and host names left out'),
});

const StorageDocument = z
  .object({
    label: z.string(),
    emulated: z.boolean().describe('made slow by this tool; says nothing about any product'),
    how: z.string().describe('what it is, without a path'),
    filesystem: z.string(),
    freeBytes: count.describe('before anything was written to it'),
    fsyncNs: Latency.extend({ samples: count }).describe('a write of 4 KiB and its fdatasync, one after the other'),
  })
  .describe('a storage class that nodes kept their files on');

/** The whole document. */
export const ResultSchema = z
  .object({
    schema: z.literal(SCHEMA_ID),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    command: z.string().describe('the command line, without secrets'),
    suite: z.string(),
    profile: z.object({
      name: z.string(),
      rounds: count,
      seconds: z.number().positive(),
      warmUpSeconds: z.number().nonnegative(),
      trials: count.optional().describe('timed runs a case of failure benchmarks'),
      healthySeconds: z.number().positive().optional(),
      writesPerSecond: z.number().positive().optional().describe('of each writer of a failure benchmark'),
    }),
    seed: count,
    tool: z.object({ version: z.string(), commit: z.string().nullable() }),
    environment: Environment,
    cluster: ClusterDocument,
    storage: z.array(StorageDocument).optional(),
    storageNotMeasured: z.string().optional().describe('why slow storage was not emulated, and the remedy'),
    benchmarks: z.array(BenchmarkDocument),
  })
  .meta({ title: SCHEMA_ID });

/** @typedef {z.infer<typeof ResultSchema>} Result */
/** @typedef {z.infer<typeof BenchmarkDocument>} BenchmarkResult */
/** @typedef {z.infer<typeof CaseDocument>} CaseResult */
/** @typedef {z.infer<typeof Round>} RoundResult */
/** @typedef {z.infer<typeof Params>} CaseParams */
/** @typedef {z.infer<typeof Summary>} CaseSummary */
/** @typedef {z.infer<typeof Interval>} IntervalValue */
/** @typedef {z.infer<typeof FindingDocument>} Finding */
/** @typedef {z.infer<typeof StorageDocument>} StorageInfo */
/** @typedef {z.infer<typeof NodeUse>} NodeUse */
/** @typedef {z.infer<typeof import('./round-schema.js').Counters>} NodeCounters */
/** @typedef {z.infer<typeof LinkFigures>} LinkFigures */
/** @typedef {z.infer<typeof CopyFigures>} CopyFigures */
/** @typedef {z.infer<typeof CheckDocument>} Check */
/** @typedef {z.infer<typeof Environment>} EnvironmentInfo */

export const LOAD_SCHEMA_ID = SCHEMAS.load;

export const LoadSchema = z.object({
  schema: z.literal(LOAD_SCHEMA_ID),
  command: z.string().describe('the command line, without secrets, names and places'),
  tool: z.object({ version: z.string(), commit: z.string().nullable() }),
  environment: Environment,
  server: Server,
  replicas: count.describe('connected to the node when the load began'),
  seed: count,
  params: z.object({
    client: z.enum(['native', 'redis', 'ioredis']),
    threads: count,
    connections: count,
    pipeline: count.describe('operations a batch'),
    payloadBytes: count,
    keys: count,
    readRatio: z.number().min(0).max(1),
    wait: count.describe('replicas WAIT or WAITAOF asked for; 0: no WAIT'),
    waitLocal: z
      .union([z.literal(0), z.literal(1)])
      .optional()
      .describe('present when WAITAOF was sent'),
    waitTimeoutMs: count,
    habit: z.enum(['one-flush', 'awaited']),
    seconds: z.number().positive().optional(),
    operations: count.optional(),
    rate: z.number().positive().optional(),
    warmUpSeconds: z.number().nonnegative(),
  }),
  round: Round,
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
});

/** @typedef {z.infer<typeof LoadSchema>} LoadDocument */

/** @returns {string} the JSON schema of `result.json`, as results/result.schema.json holds it */
export function jsonSchemaText() {
  // As input: like the validation, it allows fields that a later minor version adds.
  return `${JSON.stringify(z.toJSONSchema(ResultSchema, { io: 'input' }), null, 2)}\n`;
}
