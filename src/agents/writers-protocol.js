/** What controller and agents say to each other about the writers of trials and their ledgers. */
import { z } from 'zod';
import { placedWriter, writers } from '../registry/writers.js';
import { amount, count, milliseconds, share } from '../result/ranges.js';
import { Address, Credentials, Load, Nothing, Shape, System } from './fields.js';
import { RunId } from './protocol.js';

const FilePart = z.string().regex(/^[A-Za-z0-9._-]{1,200}$/);

const KINDS = new Set(writers.map(({ name }) => name));

/** @param {string} name of a writer @returns {boolean} whether an agent can run it: no program, and no driver */
export function runsOnAgents(name) {
  return KINDS.has(placedWriter(name).kind);
}

const Writer = z
  .string()
  .max(80)
  .regex(/^[a-z-]+(@[a-z0-9-]+)?$/)
  .refine(runsOnAgents, 'agents do not know this writer');

/** A ledger of 160 MB. */
const MOST_WRITES = 20_000_000;

const Which = z.strictObject({ benchmark: FilePart, case: FilePart, round: count.min(1) });

/** @typedef {z.infer<typeof Which>} WhichTrial */

const HeldName = Which.extend({ writer: Writer });

/** A `TrialPlan` of src/load/trial-thread.js, without `module`: nothing from the network names a module. */
const Plan = z.strictObject({
  writers: z
    .array(
      z.strictObject({
        name: Writer,
        appends: z.boolean(),
        rate: z.number().positive().max(1e6),
        connections: count.min(1).max(10_000),
        shape: Shape,
        // Writes that its ledger has room for.
        capacity: count.min(1).max(MOST_WRITES),
      }),
    )
    .min(1)
    .max(32),
  nodes: z
    .array(z.strictObject({ id: z.string().max(100), address: Address, announced: Address }))
    .min(1)
    .max(250),
  sentinels: z.array(Address).max(100),
  sentinelsAnnounced: z.array(Address).max(100),
  masterName: z.string().min(1).max(255),
  credentials: Credentials,
  giveUpMs: count.max(600_000),
  drainMs: count.max(600_000),
  readsPerSecond: amount.max(10_000),
  tickMs: count.min(1).max(1000).optional(),
});

/** @typedef {z.infer<typeof Plan>} AgentPlan */

/** system: what they write to; waits: a WAIT follows each write. */
export const OpenRequest = z.strictObject({ which: Which, system: System, waits: z.boolean(), plan: Plan });

/** beginAtMs: when write 0 is due, on the monotonic clock of the agent. */
const BeginRequest = z.strictObject({ which: Which, beginAtMs: milliseconds });

const OfTrial = z.strictObject({ which: Which });

const HeldLedger = HeldName.extend({ bytes: count.max(2 ** 31) });

/** @typedef {z.infer<typeof HeldLedger>} HeldLedger a ledger on the disk of an agent */

/** A `WriterSample` of src/load/trial-thread.js. */
const WriterSample = z.strictObject({
  name: Writer,
  writes: count,
  errors: z.record(z.string().max(200), count),
  firstError: z.strictObject({ afterMs: milliseconds, text: z.string().max(10_000) }).nullable(),
  moves: z.array(z.strictObject({ afterMs: milliseconds, node: count })).max(100_000),
});

const EndReply = z.strictObject({
  sample: z.strictObject({
    beganAt: milliseconds,
    endedAt: milliseconds,
    writers: z.array(WriterSample),
    reads: z.strictObject({ reads: count, stale: count, failed: count, longestMs: amount }),
    lateMs: amount,
    load: Load,
  }),
  machineCpu: share,
  ledgers: z.array(HeldLedger),
});

/** @typedef {z.infer<typeof EndReply>} EndedWriters */

const FromRequest = z.strictObject({ to: z.array(z.string().min(1).max(255)).min(1).max(250) });
const FromReply = z.strictObject({ addresses: z.array(z.ipv4()).min(1).max(250) });

const LedgersRequest = z.strictObject({ run: RunId });
const LedgersReply = z.strictObject({ ledgers: z.array(HeldLedger).max(10_000) });

/** Bytes of a ledger in one reply; as text it is a third longer, and NATS takes 1 MiB. */
export const CHUNK_BYTES = 512 * 1024;

export const ReadRequest = z.strictObject({ run: RunId, ledger: HeldName, offset: count });
const ReadReply = z.strictObject({ data: z.base64().max(CHUNK_BYTES * 2) });

const DropRequest = z.strictObject({ run: RunId, ledgers: z.array(HeldName).max(10_000) });

/** Of one piece of a ledger, or a list. */
const OF_LEDGERS = { deadlineMs: 30_000, anyRun: true };

/** @satisfies {import('./operations.js').OperationRules} */
export const WRITERS = {
  'writers-from': { request: FromRequest, reply: FromReply },
  // Connecting has deadlines of its own, of up to a minute.
  'writers-open': { request: OpenRequest, reply: Nothing, deadlineMs: 70_000 },
  'writers-begin': { request: BeginRequest, reply: Nothing },
  'writers-end': { request: OfTrial, reply: EndReply },
  'writers-drop': { request: OfTrial, reply: Nothing },
  ledgers: { request: LedgersRequest, reply: LedgersReply, ...OF_LEDGERS },
  'ledgers-read': { request: ReadRequest, reply: ReadReply, ...OF_LEDGERS },
  'ledgers-drop': { request: DropRequest, reply: Nothing, ...OF_LEDGERS },
};
