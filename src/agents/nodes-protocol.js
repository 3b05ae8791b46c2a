/**
 * What controller and agents say to each other about nodes that agents start for a run.
 */
import { z } from 'zod';

const port = z.number().int().min(1).max(65_535);
const NodeId = z.string().regex(/^(redis|sentinel)-[1-5]$/);

/** Most nodes that one machine gets: a Redis node, and Sentinels. */
const MOST_NODES = 6;

export const PlaceRequest = z.strictObject({
  nodes: z.number().int().min(1).max(MOST_NODES),
  disk: z.boolean().describe('one of them may need a disk whose power can be cut'),
});

export const PlaceReply = z.strictObject({
  address: z.ipv4().describe('from which it dials the others'),
  ports: z.array(port).min(1).max(MOST_NODES).describe('free there'),
  whyNoDisk: z
    .string()
    .max(1000)
    .nullable()
    .describe('why there can be no such disk there; null: there can, or none was asked for'),
  server: z.strictObject({ name: z.enum(['redis', 'valkey']), version: z.string().max(20) }),
});

export const StartRequest = z.strictObject({
  nodes: z
    .array(z.strictObject({ id: NodeId, host: z.ipv4(), port, own: z.boolean() }))
    .min(1)
    .max(10)
    .describe('all of the deployment; own: those to start on this machine'),
  disk: NodeId.nullable().describe('of this machine: keeps its files on a disk whose power can be cut'),
  password: z.string().regex(/^[A-Za-z0-9_-]{20,100}$/),
});
