/** Parts that the requests and replies of several operations have. */
import { z } from 'zod';
import { OWN_KEY } from '../clients/types.js';

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

export const Nothing = z.strictObject({});

export const milliseconds = z.number();
export const duration = z.number().nonnegative();

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
