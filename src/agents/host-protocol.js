/**
 * What a controller can ask the host that an agent serves: faults in servers and in the network of its machine, and nodes for a run. No request carries a
 * command: it names an action, nodes and addresses.
 */
import { z } from 'zod';
import { UNDOING } from '../stacks/actions.js';
import { Nothing, port, System, why } from './fields.js';

/** @import { Action } from '../stacks/types.js' */

/** What an agent does to a server beside it. `partition`, `isolate` and `join` are rules between addresses. */
const SERVER_ACTIONS = /** @type {const} */ ([
  'pause',
  'resume',
  'kill',
  'stop',
  'lose',
  'power-loss',
  'start',
  'fill',
  'free',
]);

/**
 * What undoes each action. An action without an entry leaves nothing to undo.
 *
 * @type {Partial<Record<Action, 'start' | 'resume' | 'join' | 'free'>>}
 */
export const UNDONE_BY = { ...UNDOING, 'power-loss': 'start' };

const NodeAddress = z.strictObject({ host: z.ipv4(), port });
const Addresses = z.array(z.ipv4()).min(1).max(250).readonly();

const FindRequest = z.strictObject({ nodes: z.array(NodeAddress).min(1).max(250) });

/** alone: what the node sends can be told from what others on its machine send. */
const FoundNode = NodeAddress.extend({ whyNoStart: why, alone: z.boolean() });

const FindReply = z.strictObject({
  // Those that run on the machine of the agent.
  nodes: z.array(FoundNode).max(250),
  // Packets cannot be dropped; links not limited to a number of bytes a second, so that packets are not delayed either; packets not delayed.
  whyNot: z.strictObject({ drop: why, narrow: why, delay: why }),
});

/** besides: those that are lost with its machine. */
const ActRequest = z.strictObject({
  node: NodeAddress,
  action: z.enum(SERVER_ACTIONS),
  besides: z.array(NodeAddress).max(250).default([]),
});

/** Packets that are lost: from any of these addresses to any of those; from one node alone to another; all that a node sends and gets. */
const Block = z.union([
  z.strictObject({ from: Addresses, to: Addresses }),
  z.strictObject({ sentBy: NodeAddress, to: NodeAddress }),
  z.strictObject({ around: NodeAddress }),
]);

const CutRequest = z.strictObject({ blocks: z.array(Block).max(1000) });

const delayMs = z.number().min(0).max(10_000);

/** Connections between a server beside the agent, at `fromPort`, or elsewhere, at `toPort`, and another machine: what the agent's machine sends. */
const Lane = z
  .strictObject({
    from: z.ipv4(),
    to: z.ipv4(),
    fromPort: port.optional(),
    toPort: port.optional(),
    delayMs,
    jitterMs: delayMs,
    bytesPerSecond: z.int().min(1).max(1e10).optional(),
  })
  .refine(({ fromPort, toPort }) => (fromPort === undefined) !== (toPort === undefined));

export const SlowRequest = z.strictObject({ lanes: z.array(Lane).max(50) });

const IDS = Object.freeze({ redis: /^(redis|sentinel)-[1-5]$/, mariadb: /^mariadb-[1-3]$/ });
const NodeId = z.string().regex(new RegExp(`${IDS.redis.source}|${IDS.mariadb.source}`));

/** Most nodes that one machine gets: a Redis node, and Sentinels. */
const MOST_NODES = 6;

/** disk: one of them may need a disk whose power can be cut. */
const PlaceRequest = z.strictObject({
  system: System,
  nodes: z.number().int().min(1).max(MOST_NODES),
  disk: z.boolean(),
});

const PlaceReply = z.strictObject({
  // From which it dials the others.
  address: z.ipv4(),
  ports: z.array(port).min(1).max(MOST_NODES),
  // Also null: no disk was asked for.
  whyNoDisk: why,
  server: z.strictObject({ name: z.enum(['redis', 'valkey', 'mariadb']), version: z.string().max(20) }),
});

/** All nodes of the deployment. own: those to start on this machine; disk: which of them keeps its files on a disk whose power can be cut. */
export const StartRequest = z
  .strictObject({
    system: System,
    nodes: z
      .array(z.strictObject({ id: NodeId, host: z.ipv4(), port, own: z.boolean() }))
      .min(1)
      .max(10),
    disk: NodeId.nullable(),
    password: z.string().regex(/^[A-Za-z0-9_-]{20,100}$/),
  })
  .refine(({ system, nodes }) => nodes.every(({ id }) => IDS[system].test(id)), { path: ['nodes'] });

/** A node of Redis is never rebuilt. */
export const RebuildRequest = z.strictObject({ node: z.string().regex(IDS.mariadb) });

/**
 * @typedef {z.infer<typeof FindReply>} FoundNodes
 * @typedef {z.infer<typeof Block>} Cut
 * @typedef {z.infer<typeof Lane>} SlowedLane
 * @typedef {z.infer<typeof PlaceReply>} OfferedPlace on the machine of one agent
 * @typedef {z.infer<typeof StartRequest>} NodesToStart
 */

/** A stopped primary waits for its replicas, and a server reads its data when it starts. */
const ACT_MS = 60_000;
/** Of all nodes of a machine; a node of MariaDB gets a copy of a data directory first. */
const START_MS = 120_000;

/** @satisfies {import('./operations.js').OperationRules} */
export const FAULTS = {
  'faults-find': { request: FindRequest, reply: FindReply, deadlineMs: 15_000 },
  'faults-act': { request: ActRequest, reply: Nothing, deadlineMs: ACT_MS },
  'faults-cut': { request: CutRequest, reply: Nothing, deadlineMs: ACT_MS },
  'faults-slow': { request: SlowRequest, reply: Nothing, deadlineMs: ACT_MS },
  'faults-undo': { request: Nothing, reply: Nothing, deadlineMs: START_MS },
};

/** @satisfies {import('./operations.js').OperationRules} */
export const NODES = {
  'nodes-place': { request: PlaceRequest, reply: PlaceReply, deadlineMs: 30_000 },
  'nodes-start': { request: StartRequest, reply: Nothing, deadlineMs: START_MS },
  'nodes-rebuild': { request: RebuildRequest, reply: Nothing, deadlineMs: START_MS },
  'nodes-stop': { request: Nothing, reply: Nothing, deadlineMs: ACT_MS },
};
