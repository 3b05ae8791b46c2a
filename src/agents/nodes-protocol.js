/**
 * What controller and agents say to each other about nodes that agents start for a run.
 */
import { z } from 'zod';
import { Nothing, port, why } from './fields.js';

const IDS = Object.freeze({ redis: /^(redis|sentinel)-[1-5]$/, mariadb: /^mariadb-[1-3]$/ });

/** A database that agents can start. */
export const System = z.enum(['redis', 'mariadb']);

const NodeId = z.string().regex(new RegExp(`${IDS.redis.source}|${IDS.mariadb.source}`));

/** Most nodes that one machine gets: a Redis node, and Sentinels. */
const MOST_NODES = 6;

const PlaceRequest = z.strictObject({
  system: System,
  nodes: z.number().int().min(1).max(MOST_NODES),
  disk: z.boolean().describe('one of them may need a disk whose power can be cut'),
});

const PlaceReply = z.strictObject({
  address: z.ipv4().describe('from which it dials the others'),
  ports: z.array(port).min(1).max(MOST_NODES).describe('free there'),
  whyNoDisk: why.describe('there can be no such disk; also null: none was asked for'),
  server: z.strictObject({ name: z.enum(['redis', 'valkey', 'mariadb']), version: z.string().max(20) }),
});

export const StartRequest = z
  .strictObject({
    system: System,
    nodes: z
      .array(z.strictObject({ id: NodeId, host: z.ipv4(), port, own: z.boolean() }))
      .min(1)
      .max(10)
      .describe('all of the deployment; own: those to start on this machine'),
    disk: NodeId.nullable().describe('of this machine: keeps its files on a disk whose power can be cut'),
    password: z.string().regex(/^[A-Za-z0-9_-]{20,100}$/),
  })
  .refine(({ system, nodes }) => nodes.every(({ id }) => IDS[system].test(id)), { path: ['nodes'] });

export const RebuildRequest = z.strictObject({
  node: NodeId.describe('of this machine: begins again with an empty database'),
});

/**
 * @typedef {z.infer<typeof PlaceReply>} OfferedPlace on the machine of one agent
 * @typedef {z.infer<typeof StartRequest>} NodesToStart
 */

/** A node of MariaDB gets a copy of a data directory first. */
const START_MS = 120_000;

/** @satisfies {import('./operations.js').OperationRules} */
export const NODES = {
  'nodes-place': { request: PlaceRequest, reply: PlaceReply, deadlineMs: 30_000 },
  'nodes-start': { request: StartRequest, reply: Nothing, deadlineMs: START_MS },
  'nodes-rebuild': { request: RebuildRequest, reply: Nothing, deadlineMs: START_MS },
  'nodes-stop': { request: Nothing, reply: Nothing, deadlineMs: 60_000 },
};
