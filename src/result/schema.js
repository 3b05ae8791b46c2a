/**
 * The published documents of sentinel-bench, defined once: types, validation and the JSON schema file are made from this, and from what
 * suites add. A field that is added is optional and keeps the version. A change that an earlier reader would misread gets the next version,
 * and every released version stays readable.
 * @import { SuiteFigures, SuiteParams } from './parts.js'
 */
import { z } from 'zod';
import { readYaml } from '../yaml.js';
import { AuditDocument, TrialDocument } from './failure-schema.js';
import { amount, count, fields, Name, positiveAmount, positiveCount, share } from './ranges.js';
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

const Interval = z.object(fields(amount, 'median', 'low', 'high'));

const Settings = z.record(z.string(), z.string());

const OwnParams = z.object({
  client: Name,
  ...fields(count, 'wait', 'waitTimeoutMs'),
  waitMode: z.enum(['pipelined', 'sequential']),
  ...fields(count, 'payloadBytes', 'pipeline', 'connections'),
  ...fields(count.optional(), 'backgroundConnections', 'keyspace', 'requests'),
  rate: positiveAmount.optional(),
  waitLocal: z.union([z.literal(0), z.literal(1)]).optional(),
  mode: z.string().optional(),
  server: Name.optional(),
  ...fields(z.string().optional(), 'length', 'setting', 'way'),
  writers: z.array(Name).optional(),
  ...fields(Settings.optional(), 'settings', 'ownSettings'),
  placement: z.enum(['colocated', 'apart']).optional(),
  downAfterMs: count.optional(),
  linkLatencyMs: amount.optional(),
  operation: z.enum(['set', 'get', 'ping', 'idle']).optional(),
  readFrom: z.enum(['primary', 'replicas']).optional(),
  ...fields(count.optional(), 'replicas', 'sentinels'),
  replicaSettings: Settings.optional(),
  ...fields(z.string().optional(), 'storage', 'replicaStorage'),
  preloadKeys: count.optional(),
  during: z.enum(['rewrite', 'snapshot']).optional(),
  grouping: z.enum(['single', 'batch', 'multi', 'script', 'function']).optional(),
});

const Summary = z.object({
  ...fields(Interval, 'throughput', 'p50Ns', 'p99Ns'),
  latencyNs: Latency,
  samples: count,
  relativeToBaseline: z.object({ baseline: z.string(), throughput: Interval }).optional(),
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
});

const FindingDocument = z.object({
  id: z.string().optional(),
  text: z.string(),
  evidence: z.array(z.string()),
});

const CheckDocument = z.object({
  name: z.string(),
  ok: z.boolean(),
  skipped: z.literal(true).optional(),
  detail: z.string(),
});

export const Environment = z.object({
  cpuModel: z.string(),
  cores: positiveCount,
  memoryBytes: count,
  usableCpus: positiveCount.optional(),
  cpuQuota: positiveAmount.optional(),
  memoryLimitBytes: count.optional(),
  ...fields(z.string(), 'os', 'kernel', 'architecture', 'virtualization', 'node'),
  clients: z.record(z.string(), z.string()),
});

const AgentMachine = z.object({
  name: Name,
  cores: positiveCount,
  memoryBytes: count,
  ...fields(z.string(), 'os', 'node', 'tool'),
  roles: z.array(z.enum(['load', 'writers', 'nodes', 'faults'])).optional(),
  nodes: z.array(z.string()).optional(),
});

/** The server program of a node. */
export const Server = z.object({ name: z.string(), version: z.string().nullable() });

const StackDocument = z.object({
  backend: z.enum(['docker', 'local', 'external']),
  why: z.string(),
  server: Server,
  servers: z.array(Server).optional(),
  path: z.string(),
  inMemory: z.boolean().optional(),
  masterName: z.string(),
  nodes: z.array(z.object({ id: z.string(), kind: z.enum(['redis', 'sentinel', 'mariadb']), role: z.string() })),
  hosts: z.array(z.array(z.string())).optional(),
  config: z.record(z.string(), Settings),
});

const StorageDocument = z.object({
  label: z.string(),
  emulated: z.boolean(),
  how: z.string(),
  filesystem: z.string(),
  freeBytes: count,
  fsyncNs: Latency.extend({ samples: count }),
});

/**
 * @typedef {{params?: z.ZodRawShape, roundFigures?: z.ZodRawShape}} SchemaParts what suites add: fields, each of them optional in a
 *   document. params: of the parameters of a case; roundFigures: of a round
 */

/** @param {SchemaParts} parts */
function documents({ params, roundFigures }) {
  const Params = /** @type {z.ZodType<CaseParams>} */ (/** @type {unknown} */ (OwnParams.extend(params ?? {})));
  const WholeRound = /** @type {z.ZodType<RoundResult>} */ (/** @type {unknown} */ (Round.extend(roundFigures ?? {})));

  const CaseDocument = z.object({
    id: FileName,
    params: Params,
    rounds: z.array(WholeRound).min(1),
    summary: Summary,
    stop: z.enum(['decided', 'time', 'most']).optional(),
  });

  const BenchmarkDocument = z.object({
    name: FileName,
    question: z.string(),
    status: z.enum(['ok', 'failed', 'skipped']),
    reason: z.string().optional(),
    pace: z.object({ rounds: count, seconds: positiveAmount, warmUpSeconds: amount }).optional(),
    precision: z.object({ halfWidth: positiveAmount, least: count, most: count, seconds: positiveAmount }).optional(),
    cases: z.array(CaseDocument),
    notMeasured: z.array(z.object({ id: z.string(), reason: z.string() })).optional(),
    findings: z.array(FindingDocument),
    checks: z.array(CheckDocument),
    audit: z.array(AuditDocument).optional(),
    timeline: z.array(TrialDocument).optional(),
  });

  const Result = z
    .object({
      schema: z.literal(SCHEMA_ID),
      startedAt: z.iso.datetime(),
      finishedAt: z.iso.datetime(),
      command: z.string(),
      suite: z.string(),
      profile: z.object({
        name: z.string(),
        rounds: count,
        seconds: positiveAmount,
        warmUpSeconds: amount,
        trials: count.optional(),
        healthySeconds: positiveAmount.optional(),
        writesPerSecond: positiveAmount.optional(),
      }),
      seed: count,
      tool: z.object({ version: z.string(), commit: z.string().nullable() }),
      environment: Environment,
      agents: z.array(AgentMachine).optional(),
      stack: StackDocument,
      trials: z.object({ lanes: positiveCount, done: count, repeated: count, seconds: amount }).optional(),
      storage: z.array(StorageDocument).optional(),
      storageNotMeasured: z.string().optional(),
      benchmarks: z.array(BenchmarkDocument),
    })
    .meta({ title: SCHEMA_ID });

  return { CaseDocument, BenchmarkDocument, Result };
}

/**
 * @param {readonly SchemaParts[]} suites that define fields of their own @returns {z.ZodType<Result>} the schema of the whole document
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

/** @param {readonly SchemaParts[]} suites @param {keyof SchemaParts} part @param {z.ZodRawShape} baseFields that every document has @returns {z.ZodRawShape} */
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
  command: z.string(),
  tool: z.object({ version: z.string(), commit: z.string().nullable() }),
  environment: Environment,
  server: Server,
  replicas: count,
  seed: count,
  params: OwnParams.pick({ client: true, connections: true, pipeline: true, payloadBytes: true, rate: true })
    .extend(OwnParams.pick({ wait: true, waitLocal: true, waitTimeoutMs: true, waitMode: true }).shape)
    .extend({ ...fields(count, 'threads', 'keys'), readRatio: share, warmUpSeconds: amount })
    .extend({ seconds: positiveAmount.optional(), operations: count.optional() }),
  round: Round,
  /** The user ended it before its time: the figures are of the part until then. */
  interrupted: z.literal(true).optional(),
  limitedBy: z.enum(['client', 'primary', 'machine', 'nothing']),
});

/** @typedef {z.infer<typeof LoadSchema>} LoadDocument */

/** @typedef {{[field: string]: string | FieldTexts}} FieldTexts what fields are; `_` is the object itself */

/**
 * @param {z.ZodType} schema of `result.json`
 * @returns {string} the same as a JSON schema with what fields.yaml says of each field, as results/result.schema.json holds it
 */
export function jsonSchemaText(schema) {
  // As input: like the validation, it allows fields that a later minor version adds.
  const json = z.toJSONSchema(schema, { io: 'input' });
  describe(json, readYaml(new URL('fields.yaml', import.meta.url)));
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** @param {z.core.JSONSchema.JSONSchema} json gets descriptions @param {string | FieldTexts} texts @throws {RangeError} of a field that there is not */
function describe(json, texts) {
  const { _: own, ...fields } = typeof texts === 'string' ? { _: texts } : texts;
  if (own !== undefined) json.description = /** @type {string} */ (own);
  for (const [name, text] of Object.entries(fields)) {
    const found = partsOf(json).flatMap(({ properties }) => properties?.[name] ?? []);
    if (found.length === 0) throw new RangeError(`fields.yaml describes ${name}, and there is no such field`);
    for (const field of found) describe(/** @type {z.core.JSONSchema.JSONSchema} */ (field), text);
  }
}

/**
 * @param {z.core.JSONSchema._JSONSchema | z.core.JSONSchema._JSONSchema[] | undefined} json
 * @returns {z.core.JSONSchema.JSONSchema[]} it, its alternatives, and what its lists and records hold
 */
function partsOf(json) {
  if (json === undefined || typeof json === 'boolean') return [];
  if (Array.isArray(json)) return json.flatMap(partsOf);
  const { anyOf, oneOf, items, additionalProperties } = json;
  return [json, ...[anyOf, oneOf, items, additionalProperties].flatMap(partsOf)];
}
