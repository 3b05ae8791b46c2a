/**
 * What controller and agents say to each other over NATS: subjects, and the schemas of requests and replies. Everything that arrives is
 * untrusted and passes one of these schemas first.
 */
import { z } from 'zod';
import { OWN_KEY } from '../clients/types.js';
import { clients } from '../registry/clients.js';
import { isHistogram } from '../stats/histogram.js';

/** Controller and agents of different versions refuse each other. */
export const VERSION = 1;

/** What a command line may allow an agent to do. */
export const ALLOWABLE = /** @type {const} */ (['load', 'writers', 'faults', 'nodes']);

/** Each side sends a heartbeat so often. */
export const HEARTBEAT_MS = 1000;
/** Without a heartbeat for so long, the other side is lost. */
export const LOST_MS = 3000;

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A name is a token of subjects, so it has no dots, stars or spaces. */
export const AgentName = z.string().regex(NAME, 'it must be lower-case letters, digits and hyphens');

const PREFIX = `sentinel-bench.${VERSION}`;

/** @param {string} agent @returns {string} beginning of the subjects on which only this agent gets replies */
export const inboxOf = (agent) => `_INBOX_${agent}`;

export const subjects = Object.freeze({
  /** Agents answer with a {@link Description}. */
  discover: `${PREFIX}.discover`,
  /** @param {string} agent */
  heartbeat: (agent) => `${PREFIX}.heartbeat.${agent}`,
  /** @param {string} run */
  controller: (run) => `${PREFIX}.controller.${run}`,
  /** @param {string} agent @param {string} operation */
  request: (agent, operation) => `${PREFIX}.agent.${agent}.${operation}`,
});

export const RunId = z.string().regex(/^[0-9a-f]{8,64}$/);

export const Request = z.strictObject({
  version: z.literal(VERSION),
  run: RunId,
  id: z
    .string()
    .regex(/^[0-9a-f-]{8,64}$/)
    .describe('the same id is carried out once, and answered alike'),
  deadlineMs: z
    .number()
    .positive()
    .max(26 * 3_600_000)
    .describe('from its arrival'),
  body: z.unknown(),
});

export const Reply = z.union([
  z.strictObject({ ok: z.literal(true), body: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    message: z.string().max(2000),
    remedy: z.string().max(2000),
    stopped: z.literal(true).optional().describe('the agent does not work for this run, or no longer'),
  }),
]);

export const Heartbeat = z.strictObject({ incarnation: RunId });

export const Description = z.strictObject({
  version: z.number(),
  name: AgentName,
  incarnation: RunId.describe('of the process: a restarted agent has another'),
  allow: z.array(z.enum(ALLOWABLE)),
  cores: z.number().int().positive(),
  memoryBytes: z.number().positive(),
  os: z.string().max(100),
  node: z.string().max(40),
  tool: z.string().max(40),
  busy: RunId.nullable().describe('the run that it works for'),
});

/** @typedef {z.infer<typeof Description>} AgentDescription */

export const ClockRequest = z.strictObject({});
export const ClockReading = z.strictObject({
  monotonicMs: z.number().describe('since a moment of its own; never set'),
  wallMs: z.number().describe('since 1970'),
});

export const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const Pem = z.string().max(200_000);

export const Credentials = z.strictObject({
  username: z.string().max(1000).optional(),
  password: z.string().max(10_000).optional(),
  sentinelUsername: z.string().max(1000).optional(),
  sentinelPassword: z.string().max(10_000).optional(),
  tls: z
    .strictObject({
      ca: Pem.optional(),
      cert: Pem.optional(),
      key: Pem.optional(),
      serverName: z.string().max(255).optional(),
      insecure: z.boolean().optional(),
    })
    .optional(),
});

export const port = z.number().int().min(1).max(65_535);

/** Why something is impossible there; null: it is possible. */
export const why = z.string().max(1000).nullable();

export const Address = z.strictObject({ host: z.string().min(1).max(255), port });

const Target = Address.extend({ credentials: Credentials.optional() });

/** Programs and drivers are left out: nothing from the network names a program. */
const CLIENTS = clients.filter(({ connect }) => connect !== undefined).map(({ name }) => name);

const DAY_S = 24 * 3600;

export const Shape = z.strictObject({
  payloadBytes: count.min(1).max(2 ** 29),
  pipeline: count.min(1).max(10_000),
  waitReplicas: count.max(100),
  waitLocal: z.union([z.literal(0), z.literal(1)]).optional(),
  waitTimeoutMs: count.max(3_600_000),
  waitMode: z.enum(['pipelined', 'sequential']),
  transaction: z.boolean().optional(),
  keyPrefix: z.string().max(200).regex(OWN_KEY),
});

/** A `RoundPlan` of src/load/types.js, without `driver`. */
export const Plan = z.strictObject({
  generator: z.enum(['writes', 'read-after-write']),
  client: z.enum(/** @type {[string, ...string[]]} */ (CLIENTS)),
  primary: Target,
  replicas: z.array(Target).max(100),
  shape: Shape,
  connections: count.min(1).max(10_000),
  keyspace: count.min(1).max(1e9),
  seconds: z.number().positive().max(DAY_S),
  operations: count.optional(),
  readRatio: z.number().min(0).max(1).optional(),
  operation: z.enum(['set', 'get', 'ping', 'idle']).optional(),
  targets: z.array(Target).min(1).max(100).optional(),
  openLoop: z
    .strictObject({
      rate: z.number().positive().max(1e8),
      arrivals: z.enum(['constant', 'poisson']),
      graceSeconds: z.number().nonnegative().max(3600),
    })
    .optional(),
  progress: z.boolean().optional(),
  warmUpSeconds: z.number().nonnegative().max(3600),
  backgroundConnections: count.max(10_000),
  seed: count.max(2 ** 32 - 1),
});

export const PrepareRequest = z.strictObject({ plan: Plan, threads: z.number().int().min(1).max(64) });

export const GoRequest = z.strictObject({
  startAtMs: z.number().describe('when the round starts, on the monotonic clock of the agent'),
});

const Outcomes = z.strictObject({ acked: count, underAcked: count, rejected: count, unknown: count });
const Encoded = z.string().max(1_000_000).refine(isHistogram, 'it is not a complete histogram');
export const duration = z.number().nonnegative();

/** A `RoundSample` of src/load/types.js. */
export const Sample = z.strictObject({
  seconds: duration,
  operations: count,
  outcomes: Outcomes,
  errors: z.record(z.string().max(200), count),
  firstError: z.string().max(10_000).nullable(),
  lostConnections: count.optional(),
  histogram: Encoded,
  latencyNs: z.strictObject({
    min: duration,
    p50: duration,
    p90: duration,
    p95: duration,
    p99: duration,
    p999: duration,
    max: duration,
    mean: duration,
  }),
  load: z.strictObject({ cpu: duration.nullable(), eventLoopUtilization: duration }),
  reads: z.strictObject({ answered: count, misses: count, failed: count }).optional(),
  background: z.strictObject({ operations: count, seconds: duration }).optional(),
  openLoop: z
    .strictObject({
      due: count,
      dueSeconds: duration,
      sent: count,
      sendingSeconds: duration,
      serviceHistogram: Encoded,
      latenessHistogram: Encoded,
      waiting: z.strictObject({ operations: count, leastNs: count }).optional(),
    })
    .optional(),
  consistency: z.strictObject({ reads: count, immediate: count, afterWait: count, stale: count }).optional(),
});

export const GoReply = z.strictObject({
  sample: Sample,
  startedAtMs: z.number().describe('when it started, on the monotonic clock of the agent'),
  machineCpu: z.number().min(0).max(1).describe('share of its machine that was busy'),
});

export const Nothing = z.strictObject({});

/** The body of a reply that says nothing. */
export const nothing = () => ({});

/**
 * @param {{json: () => unknown}} message
 * @returns {unknown} undefined: it is not JSON
 */
export function jsonOf(message) {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
