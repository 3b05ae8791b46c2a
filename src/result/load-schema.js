/**
 * The published form of what `sentinel-bench load --json` prints.
 */
import { z } from 'zod';
import { Environment, Round, Server } from './schema.js';
import { SCHEMAS } from './version.js';

export const LOAD_SCHEMA_ID = SCHEMAS.load;

const count = z.number().int().nonnegative();

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
