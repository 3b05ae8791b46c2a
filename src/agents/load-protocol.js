/** What controller and agents say to each other about rounds of load. */
import { z } from 'zod';
import { clients } from '../registry/clients.js';
import { isHistogram } from '../stats/histogram.js';
import { Address, Credentials, count, duration, Nothing, Shape } from './fields.js';

/** Programs and drivers are left out: nothing from the network names a program. */
const CLIENTS = clients.filter(({ connect }) => connect !== undefined).map(({ name }) => name);

const DAY_S = 24 * 3600;

const Target = Address.extend({ credentials: Credentials.optional() });

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

const PrepareRequest = z.strictObject({ plan: Plan, threads: z.number().int().min(1).max(64) });

const GoRequest = z.strictObject({
  startAtMs: z.number().describe('when the round starts, on the monotonic clock of the agent'),
});

const Outcomes = z.strictObject({ acked: count, underAcked: count, rejected: count, unknown: count });
const Encoded = z.string().max(1_000_000).refine(isHistogram, 'it is not a complete histogram');

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

const GoReply = z.strictObject({
  sample: Sample,
  startedAtMs: z.number().describe('when it started, on the monotonic clock of the agent'),
  machineCpu: z.number().min(0).max(1).describe('share of its machine that was busy'),
});

/** @satisfies {import('./operations.js').OperationRules} */
export const LOAD = {
  prepare: { request: PrepareRequest, reply: Nothing },
  go: { request: GoRequest, reply: GoReply },
  finish: { request: Nothing, reply: Nothing },
  stop: { request: Nothing, reply: Nothing },
};
