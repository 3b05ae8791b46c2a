/** What controller and agents say to each other about rounds of load. */
import { z } from 'zod';
import { clients } from '../registry/clients.js';
import { amount, count, share } from '../result/ranges.js';
import { Round } from '../result/round-schema.js';
import { isHistogram } from '../stats/histogram.js';
import { Address, Credentials, Load, Nothing, Shape } from './fields.js';

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
  readRatio: share.optional(),
  operation: z.enum(['set', 'get', 'ping', 'idle']).optional(),
  targets: z.array(Target).min(1).max(100).optional(),
  openLoop: z
    .strictObject({
      rate: z.number().positive().max(1e8),
      arrivals: z.enum(['constant', 'poisson']),
      graceSeconds: amount.max(3600),
    })
    .optional(),
  progress: z.boolean().optional(),
  warmUpSeconds: amount.max(3600),
  backgroundConnections: count.max(10_000),
  seed: count.max(2 ** 32 - 1),
});

const Histogram = z.string().max(1_000_000).refine(isHistogram, 'it is not a complete histogram');

/** A `RoundSample` of src/load/types.js. What goes into result.json as it is has the form that it has there. */
export const Sample = Round.pick({
  seconds: true,
  operations: true,
  outcomes: true,
  errors: true,
  latencyNs: true,
  reads: true,
  background: true,
  consistency: true,
}).extend({
  firstError: z.string().max(10_000).nullable(),
  lostConnections: count.optional(),
  histogram: Histogram,
  load: Load,
  openLoop: z
    .strictObject({
      due: count,
      dueSeconds: amount,
      sent: count,
      sendingSeconds: amount,
      serviceHistogram: Histogram,
      latenessHistogram: Histogram,
      waiting: z.strictObject({ operations: count, leastNs: count }).optional(),
    })
    .optional(),
});

/** Times are those of the monotonic clock of the agent. */
const GoRequest = z.strictObject({ startAtMs: z.number() });
/** machineCpu: share of its machine that was busy. */
const GoReply = z.strictObject({ sample: Sample, startedAtMs: z.number(), machineCpu: share });

/** @satisfies {import('./operations.js').OperationRules} */
export const LOAD = {
  prepare: { request: z.strictObject({ plan: Plan, threads: z.number().int().min(1).max(64) }), reply: Nothing },
  go: { request: GoRequest, reply: GoReply },
  finish: { request: Nothing, reply: Nothing },
  stop: { request: Nothing, reply: Nothing },
};
