/**
 * The published documents of sentinel-bench, defined once: types, validation and the JSON schema file are all made from the definitions
 * below, and from what suites add to them.
 *
 * The rule for versions: a field that is added is optional and keeps the version. A change that an earlier reader would misread gets the
 * next version, and every released version stays readable.
 */
/** @import { SuiteFigures, SuiteParams } from './parts.js' */

import { z } from 'zod';
import { AuditDocument, TrialDocument } from './failure-schema.js';
import { Name } from './names.js';
import { amount, count, positiveAmount, positiveCount, share } from './ranges.js';
import { Latency, Round } from './round-schema.js';

export const SCHEMAS = Object.freeze({
  result: 'sentinel-bench/result@3',
  load: 'sentinel-bench/load@2',
  comparison: 'sentinel-bench/comparison@1',
  audit: 'sentinel-bench/audit@1',
  claims: 'sentinel-bench/claims@3',
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

const FileName = z.string().regex(/^[A-Za-z0-9._-]+$/);

const Interval = z
  .object({ median: amount, low: amount, high: amount })
  .describe('median over rounds with its 95% bootstrap interval');

const OwnParams = z.object({
  client: Name.describe('what makes the load: a client of this tool, a library, or an external program'),
  wait: count.describe('replicas that WAIT asks for; 0: no WAIT'),
  waitTimeoutMs: count,
  waitMode: z.enum(['pipelined', 'sequential']),
  payloadBytes: count,
  pipeline: count.describe('writes sent together'),
  connections: count,
  backgroundConnections: count.optional(),
  keyspace: count.optional().describe('number of keys; absent: chosen by the size of the values'),
  requests: count
    .optional()
    .describe('closed loop: the round ends after so many requests, or after a minute; absent: after its seconds'),
  rate: positiveAmount.optional().describe('requested operations a second; absent: closed loop'),
  waitLocal: z
    .union([z.literal(0), z.literal(1)])
    .optional()
    .describe('WAITAOF instead of WAIT; 1: it asks for this node too'),
  mode: z.string().optional().describe('durability mode'),
  server: Name.optional().describe('what runs the nodes: name and version; absent: the server of the run'),
  length: z.string().optional().describe('failure benchmarks: how long the fault lasts, if there are several lengths'),
  setting: z.string().optional().describe('failure benchmarks: any other difference of this case, such as a setting'),
  way: z
    .string()
    .optional()
    .describe('failure benchmarks: the way of failing over or of coming back, if there are several'),
  writers: z.array(Name).optional().describe('failure benchmarks: the writers'),
  settings: z.record(z.string(), z.string()).optional().describe('set on every Redis node for this case'),
  ownSettings: z
    .record(z.string(), z.string())
    .optional()
    .describe('what an existing deployment has set itself, beside `settings`; absent: nothing that matters'),
  placement: z.enum(['colocated', 'apart']).optional().describe('which Sentinel is on which host, as requested'),
  downAfterMs: count.optional().describe('down-after-milliseconds of the Sentinels'),
  linkLatencyMs: amount.optional().describe('added to a round trip between nodes, as requested'),
  operation: z
    .enum(['set', 'get', 'ping', 'idle'])
    .optional()
    .describe('kind of operation; idle: no load; absent: set'),
  readFrom: z.enum(['primary', 'replicas']).optional().describe('of operation get; absent: primary'),
  replicas: count.optional().describe('running replicas; absent: all of the stack'),
  sentinels: count.optional().describe('Sentinels of the stack, as requested; absent: three'),
  replicaSettings: z
    .record(z.string(), z.string())
    .optional()
    .describe('set on the replicas, in addition to `settings` or instead of them'),
  storage: z.string().optional().describe('label of the storage with the nodes’ files'),
  replicaStorage: z.string().optional().describe('the same, of the replicas’ files; absent: as `storage`'),
  preloadKeys: count.optional().describe('keys loaded before the round, each with a value of payloadBytes'),
  during: z.enum(['rewrite', 'snapshot']).optional().describe('what the primary does all the time meanwhile'),
  grouping: z
    .enum(['single', 'batch', 'multi', 'script', 'function'])
    .optional()
    .describe('how writes that belong together are sent'),
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

const FindingDocument = z.object({
  id: z.string().optional().describe('what it answers, unique within its benchmark; absent in earlier results'),
  text: z.string(),
  evidence: z.array(z.string()).describe('ids of the cases behind the sentence'),
});

const CheckDocument = z.object({
  name: z.string(),
  ok: z.boolean(),
  skipped: z.literal(true).optional().describe('there was nothing to check, as `detail` says; `ok` is true'),
  detail: z.string(),
});

export const Environment = z.object({
  cpuModel: z.string(),
  cores: positiveCount,
  memoryBytes: count,
  usableCpus: positiveCount
    .optional()
    .describe('CPUs that the harness was allowed to run on; absent: all cores, or an earlier result'),
  cpuQuota: positiveAmount
    .optional()
    .describe('CPUs of time that its control group allowed; absent: all cores, or an earlier result'),
  memoryLimitBytes: count.optional().describe('of its control group; absent: all memory, or an earlier result'),
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  virtualization: z.string().describe('hypervisor or container of the harness; empty: none known'),
  node: z.string(),
  clients: z.record(z.string(), z.string()).describe('client library → version'),
});

const AgentMachine = z.object({
  name: Name.describe('as the user named it'),
  cores: positiveCount,
  memoryBytes: count,
  os: z.string(),
  node: z.string(),
  tool: z.string().describe('version of sentinel-bench there'),
  roles: z
    .array(z.enum(['load', 'writers', 'nodes', 'faults']))
    .optional()
    .describe(
      'what it did: sent the load of rounds, ran writers of trials, started nodes, injected faults; absent in earlier results: load or writers',
    ),
  nodes: z
    .array(z.string())
    .optional()
    .describe(
      'ids of the nodes on its machine, in the stack that the run began with; absent: none that it started or could disturb',
    ),
});

/** The server program of a node. */
export const Server = z.object({
  name: z.string(),
  version: z.string().nullable().describe('null: not in its INFO'),
});

const StackDocument = z.object({
  backend: z.enum(['docker', 'local', 'external']),
  why: z.string(),
  server: Server,
  servers: z.array(Server).optional().describe('several servers side by side, as the user named them'),
  path: z.string().describe('how clients reached the nodes'),
  inMemory: z
    .boolean()
    .optional()
    .describe(
      'the files of the nodes were in memory, where an append-only file and its syncs cost nothing; absent: not known to be',
    ),
  masterName: z.string(),
  nodes: z.array(z.object({ id: z.string(), kind: z.enum(['redis', 'sentinel', 'mariadb']), role: z.string() })),
  hosts: z
    .array(z.array(z.string()))
    .optional()
    .describe('existing deployment: ids of the nodes on each host, by their addresses; absent: all have one address'),
  config: z
    .record(z.string(), z.record(z.string(), z.string()))
    .describe('effective configuration of each Redis node, without secrets, paths and host names'),
});

const StorageDocument = z
  .object({
    label: z.string(),
    emulated: z.boolean().describe('slowed down by this tool; represents no product'),
    how: z.string().describe('description, without a path'),
    filesystem: z.string(),
    freeBytes: count.describe('before the run'),
    fsyncNs: Latency.extend({ samples: count }).describe('a write of 4 KiB and its fdatasync, one after the other'),
  })
  .describe('a storage class with nodes’ files');

/**
 * @typedef {Object} SchemaParts what suites add: fields, each of them optional in a document
 * @property {z.ZodRawShape} [params] of the parameters of a case
 * @property {z.ZodRawShape} [roundFigures] of a round
 */

/** @param {SchemaParts} parts */
function documents({ params, roundFigures }) {
  const Params = /** @type {z.ZodType<CaseParams>} */ (
    /** @type {unknown} */ (OwnParams.extend(params ?? {}).describe('what the case sets'))
  );
  const WholeRound = /** @type {z.ZodType<RoundResult>} */ (/** @type {unknown} */ (Round.extend(roundFigures ?? {})));

  const CaseDocument = z.object({
    id: FileName,
    params: Params,
    rounds: z.array(WholeRound).min(1).describe('the n-th round of a case and of its baseline belong together'),
    summary: Summary,
    stop: z
      .enum(['decided', 'time', 'most'])
      .optional()
      .describe(
        'headline cases: why it got no more rounds. decided: its interval is narrow enough; time: the time for the benchmark was up; ' +
          'most: the limit of rounds was reached',
      ),
  });

  const BenchmarkDocument = z.object({
    name: FileName,
    question: z.string(),
    status: z.enum(['ok', 'failed', 'skipped']),
    reason: z.string().optional().describe('why it was skipped or failed, with the remedy'),
    pace: z
      .object({ rounds: count, seconds: positiveAmount, warmUpSeconds: amount })
      .optional()
      .describe('of this benchmark, if it differs from the profile’s'),
    precision: z
      .object({ halfWidth: positiveAmount, least: count, most: count, seconds: positiveAmount })
      .optional()
      .describe(
        'present if headline cases got further rounds: the wanted half width of the 95% interval of the ratio to the baseline, the limits ' +
          'of rounds, and the time for all of them',
      ),
    cases: z.array(CaseDocument),
    notMeasured: z
      .array(z.object({ id: z.string(), reason: z.string() }))
      .optional()
      .describe('cases that this machine cannot measure, with the reason and the remedy'),
    findings: z.array(FindingDocument),
    checks: z.array(CheckDocument),
    audit: z.array(AuditDocument).optional().describe('failure benchmarks: each writer of each trial'),
    timeline: z.array(TrialDocument).optional().describe('failure benchmarks: each trial'),
  });

  const Result = z
    .object({
      schema: z.literal(SCHEMA_ID),
      startedAt: z.iso.datetime(),
      finishedAt: z.iso.datetime(),
      command: z.string().describe('the command line, without secrets'),
      suite: z.string(),
      profile: z.object({
        name: z.string(),
        rounds: count,
        seconds: positiveAmount,
        warmUpSeconds: amount,
        trials: count.optional().describe('timed runs a case of failure benchmarks'),
        healthySeconds: positiveAmount.optional(),
        writesPerSecond: positiveAmount.optional().describe('of each writer of a failure benchmark'),
      }),
      seed: count,
      tool: z.object({ version: z.string(), commit: z.string().nullable() }),
      environment: Environment.describe('of the machine that coordinated the run'),
      agents: z
        .array(AgentMachine)
        .optional()
        .describe('machines with agents that took part; absent: the one of `environment` did everything'),
      stack: StackDocument,
      trials: z
        .object({
          lanes: positiveCount.describe('side by side'),
          done: count,
          repeated: count.describe(
            'runs that were not counted, because no replica was promoted, or one that should not have been',
          ),
          seconds: amount.describe('from the start of the first to the end of the last'),
        })
        .optional()
        .describe('failure benchmarks: how the trials were run'),
      storage: z.array(StorageDocument).optional(),
      storageNotMeasured: z.string().optional().describe('why slow storage was not emulated, with the remedy'),
      benchmarks: z.array(BenchmarkDocument),
    })
    .meta({ title: SCHEMA_ID });

  return { CaseDocument, BenchmarkDocument, Result };
}

/**
 * @param {readonly SchemaParts[]} suites that define fields of their own
 * @returns {z.ZodType<Result>} the schema of the whole document
 * @throws {RangeError} two of them define a field of the same name, or one that every document has
 */
export function resultSchema(suites) {
  return documents({
    params: partsTogether(suites, 'params', OwnParams.shape),
    roundFigures: partsTogether(suites, 'roundFigures', Round.shape),
  }).Result;
}

/**
 * @param {z.ZodType<Result>} schema of the whole document, as {@link resultSchema} makes it
 * @returns {z.ZodType<BenchmarkResult>} the schema of one of its benchmarks
 */
export function benchmarkSchemaOf(schema) {
  return /** @type {Documents['Result']} */ (schema).shape.benchmarks.element;
}

/**
 * @param {readonly SchemaParts[]} suites
 * @param {keyof SchemaParts} part
 * @param {z.ZodRawShape} baseFields fields that every document has
 * @returns {z.ZodRawShape}
 */
function partsTogether(suites, part, baseFields) {
  /** @type {Record<string, z.core.$ZodType>} */
  const fields = {};
  for (const [name, field] of suites.flatMap((suite) => Object.entries(suite[part] ?? {}))) {
    if (name in baseFields || name in fields) throw new RangeError(`two suites define ${part}.${name}`);
    fields[name] = field;
  }
  return fields;
}

/** @typedef {ReturnType<typeof documents>} Documents */
/** @typedef {z.infer<Documents['Result']>} Result */
/** @typedef {z.infer<Documents['BenchmarkDocument']>} BenchmarkResult */
/** @typedef {Omit<Result, 'benchmarks'> & {benchmarks: Iterable<BenchmarkResult>}} ResultInParts its benchmarks may be read one after the other */
/** @typedef {z.infer<Documents['CaseDocument']>} CaseResult */
/** @typedef {z.infer<typeof Round> & SuiteFigures} RoundResult */
/** @typedef {z.infer<typeof OwnParams> & SuiteParams} CaseParams */
/** @typedef {z.infer<typeof Summary>} CaseSummary */
/** @typedef {z.infer<typeof Interval>} IntervalValue */
/** @typedef {z.infer<typeof FindingDocument>} Finding */
/** @typedef {z.infer<typeof StorageDocument>} StorageInfo */
/** @typedef {z.infer<typeof import('./round-schema.js').NodeUse>} NodeUse */
/** @typedef {z.infer<typeof import('./round-schema.js').Counters>} NodeCounters */
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
    client: Name,
    threads: count,
    connections: count,
    pipeline: count.describe('operations sent together'),
    payloadBytes: count,
    keys: count,
    readRatio: share,
    wait: count.describe('replicas that WAIT or WAITAOF asks for; 0: no WAIT'),
    waitLocal: z
      .union([z.literal(0), z.literal(1)])
      .optional()
      .describe('present when WAITAOF was sent'),
    waitTimeoutMs: count,
    waitMode: z.enum(['pipelined', 'sequential']),
    seconds: positiveAmount.optional(),
    operations: count.optional(),
    rate: positiveAmount.optional(),
    warmUpSeconds: amount,
  }),
  round: Round,
  interrupted: z
    .literal(true)
    .optional()
    .describe('the user ended it before its time; the figures are of the part until then'),
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
});

/** @typedef {z.infer<typeof LoadSchema>} LoadDocument */

/**
 * @param {z.ZodType} schema of `result.json`
 * @returns {string} the same as a JSON schema, as results/result.schema.json holds it
 */
export function jsonSchemaText(schema) {
  // As input: like the validation, it allows fields that a later minor version adds.
  return `${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`;
}
