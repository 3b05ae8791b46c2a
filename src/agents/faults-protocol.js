/**
 * What controller and agents say to each other about faults. No request carries a command: it names an action, nodes and addresses.
 */
import { z } from 'zod';
import { UNDOING } from '../stacks/actions.js';
import { Nothing, port, why } from './fields.js';

/** @import { Action } from '../stacks/types.js' */

/** What an agent does to a server beside it. `partition`, `isolate` and `join` are rules between addresses. */
export const SERVER_ACTIONS = /** @type {const} */ ([
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
const Addresses = z.array(z.ipv4()).min(1).max(250);

const FindRequest = z.strictObject({ nodes: z.array(NodeAddress).min(1).max(250) });

const FindReply = z.strictObject({
  nodes: z
    .array(
      NodeAddress.extend({
        whyNoStart: why.describe('why it could not be started again; null: it can'),
        alone: z.boolean().describe('what it sends can be told from what others on its machine send'),
      }),
    )
    .max(250)
    .describe('those that run on the machine of the agent'),
  whyNoRules: why.describe('packets cannot be dropped'),
  whyNotNarrow: why.describe('links cannot be limited to a number of bytes a second'),
  whyNotSlow: why.describe('packets cannot be delayed'),
});

const ActRequest = z.strictObject({ node: NodeAddress, action: z.enum(SERVER_ACTIONS) });

const CutRequest = z.strictObject({
  blocks: z
    .array(
      z.union([
        z.strictObject({ from: Addresses, to: Addresses }),
        z.strictObject({
          sentBy: NodeAddress.describe('what this node alone sends to that one is lost'),
          to: NodeAddress,
        }),
        z.strictObject({ around: NodeAddress.describe('everything that this node sends and gets is lost') }),
      ]),
    )
    .max(1000)
    .describe('packets from any of these addresses to any of those are lost; none: all pass'),
});

const LONGEST_DELAY_MS = 10_000;
const delayMs = z.number().min(0).max(LONGEST_DELAY_MS);

export const SlowRequest = z.strictObject({
  lanes: z
    .array(
      z
        .strictObject({
          from: z.ipv4().describe('of the agent'),
          to: z.ipv4(),
          fromPort: port.optional().describe('of a server beside the agent'),
          toPort: port.optional().describe('of a server on another machine'),
          delayMs,
          jitterMs: delayMs,
          bytesPerSecond: z.int().min(1).max(1e10).optional(),
        })
        .refine(({ fromPort, toPort }) => (fromPort === undefined) !== (toPort === undefined)),
    )
    .max(50)
    .describe('connections with the server at that port are slowed in this direction; none: all are fast'),
});

/**
 * @typedef {z.infer<typeof FindReply>} Found
 * @typedef {z.infer<typeof CutRequest>['blocks'][number]} Cut
 * @typedef {z.infer<typeof SlowRequest>['lanes'][number]} SlowedLane
 */

/** A stopped primary waits for its replicas, and a server reads its data when it starts. */
const ACT_MS = 60_000;

/** @satisfies {import('./operations.js').OperationRules} */
export const FAULTS = {
  'faults-find': { request: FindRequest, reply: FindReply, deadlineMs: 15_000 },
  'faults-act': { request: ActRequest, reply: Nothing, deadlineMs: ACT_MS },
  'faults-cut': { request: CutRequest, reply: Nothing, deadlineMs: ACT_MS },
  'faults-slow': { request: SlowRequest, reply: Nothing, deadlineMs: ACT_MS },
};
