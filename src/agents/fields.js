/** Parts that the requests and replies of several operations have. */
import { z } from 'zod';
import { OWN_KEY } from '../clients/types.js';
import { amount, count } from '../result/ranges.js';

const upTo = (/** @type {number} */ characters) => z.string().max(characters).optional();

export const Credentials = z.strictObject({
  username: upTo(1000),
  password: upTo(10_000),
  sentinelUsername: upTo(1000),
  sentinelPassword: upTo(10_000),
  tls: z
    .strictObject({
      ca: upTo(200_000),
      cert: upTo(200_000),
      key: upTo(200_000),
      serverName: upTo(255),
      insecure: z.boolean().optional(),
    })
    .optional(),
});

export const port = z.number().int().min(1).max(65_535);

/** Why something is impossible there; null: it is possible. */
export const why = z.string().max(1000).nullable();

export const Address = z.strictObject({ host: z.string().min(1).max(255), port });

export const System = z.enum(['redis', 'mariadb']);

export const Nothing = z.strictObject({});

export const Load = z.strictObject({ cpu: amount.nullable(), eventLoopUtilization: amount });

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
