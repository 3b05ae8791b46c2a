/** Parts of a failure benchmark in `result.json`: the audit of each writer, and the timeline of each trial. */
import { z } from 'zod';
import { EVENT_KINDS } from './events.js';
import { Name } from './names.js';
import { amount, count, milliseconds, positiveAmount, share } from './ranges.js';
import { AgentClock } from './round-schema.js';

const perStep = z.array(count);

const NodeCount = z.record(z.string(), count).describe('node → how many');

export const AuditDocument = z
  .object({
    case: z.string(),
    round: count.describe('counted from 1'),
    writer: Name.describe(
      'its kind, such as `sticky`, or `driver.redis-py.best`: a library through its driver, and its variant if that is not `defaults`; ' +
        'behind @ the client of the network that it is, if it has an address of its own',
    ),
    due: count.describe('writes that should have left'),
    unsent: count.describe('not sent, because no connection could take them in time'),
    attempted: count.describe('acked + underAcked + rejected + unknown'),
    acked: count,
    underAcked: count,
    rejected: count,
    unknown: count,
    ackedLost: count.describe('acknowledged, but not on the primary after healing'),
    underAckedLost: count.describe('answered OK with too low a WAIT count, and not on the primary after healing'),
    rejectedBefore: count.optional().describe('rejected before the fault began; absent in earlier results'),
    rejectedPresent: count.describe('answered with an error, but present'),
    unknownPresent: count,
    unknownAbsent: count,
    unsentPresent: count.describe('never sent, but present'),
    wrongValue: count.describe('present with another value than the written one, on any node'),
    appliedTwice: count.nullable().describe('appended twice; null: this writer uses SET and never repeats a write'),
    surplus: count.describe('keys with the prefix of this writer that it never wrote, on any node'),
    falseAcks: count
      .nullable()
      .describe('acknowledged by a WAIT on another connection than the write’s; null: no WAIT was sent'),
    falseAcksLost: count.nullable().describe('falseAcks that are not on the primary after healing'),
    present: NodeCount.describe('after healing'),
    formerPrimary: z
      .object({
        id: z.string(),
        present: count,
        extra: count.describe('on it but not on the new primary'),
        extraAcked: count.describe('of those, acknowledged'),
        extraUntold: count.describe('of those, rejected, unknown or underAcked'),
      })
      .nullable()
      .describe(
        'read after its return and before its demotion; null: it did not return as a primary, or could not be read',
      ),
    unavailableMs: amount
      .nullable()
      .describe('longest time without an acknowledgement after the fault began; null: it lasted until the end'),
    acceptedShare: share
      .nullable()
      .describe('share of the writes due during the fault that were acked; null: no write was due'),
    firstError: z.object({ afterMs: milliseconds, text: z.string() }).nullable(),
    errors: z.record(z.string(), count),
    moves: z
      .array(z.object({ afterMs: milliseconds, node: z.string() }))
      .describe('nodes to which it connected, with times'),
    library: z
      .object({ name: z.string(), version: z.string(), language: z.string() })
      .optional()
      .describe('of a driver, as it says; absent for other writers, and in earlier results'),
  })
  .describe('one writer in one trial: the answers it got, and what the nodes hold');

const Event = z.object({
  at: milliseconds.describe('since the writers of the trial began'),
  by: z.string().describe('who saw it: `harness`, a Sentinel, or a writer'),
  kind: z.enum(EVENT_KINDS).describe('what happened; `other`: in an earlier result, in the words of `detail`'),
  node: z.string().optional().describe('the node that it is about, or `network`; absent: no particular node'),
  fault: z.string().optional().describe('name of the fault that began or was undone, such as `kill`'),
  planned: z
    .literal(true)
    .optional()
    .describe('the fault is a planned failover: nothing is detected, and undoing it brings nothing back'),
  value: z.string().optional().describe('what was read, such as a number of replicas'),
  detail: z.string().optional().describe('more, for people: the text of an error, a reason, the name of a setting'),
});

export const TrialDocument = z
  .object({
    case: z.string(),
    round: count,
    events: z.array(Event),
    windows: z
      .object({
        detectionMs: amount.nullable().describe('fault begun → found down (+odown)'),
        failoverMs: amount.nullable().describe('found down (planned: the command) → promoted (+switch-master)'),
        splitBrainMs: amount.describe('first write accepted by the new primary → last one accepted by the old'),
        recoveryMs: amount.nullable().describe('fault undone → first acknowledgement after that'),
      })
      .describe('null: did not happen'),
    stepMs: positiveAmount,
    writers: z
      .array(
        z.object({
          writer: z.string(),
          acked: perStep.describe('by when they were answered'),
          lost: perStep
            .optional()
            .describe(
              'acked, but not on the primary after healing; by when they were answered; absent in earlier results',
            ),
          underAcked: perStep,
          rejected: perStep,
          unknown: perStep.describe('by when they were due'),
          unsent: perStep.describe('by when they were due'),
          p99Ms: z
            .array(amount.nullable())
            .describe('response time of writes answered OK in the step; null: no such write'),
        }),
      )
      .describe('empty: a trial of many, of which only the worst and the median keep their steps'),
    reads: z.object({ reads: count, stale: count, failed: count, longestMs: amount }),
    linkMs: amount.nullable().describe('round trip between nodes, measured before the fault; null: not measured'),
    network: z.string().optional().describe('what could separate groups of nodes and clients; absent: nothing'),
    pace: z
      .object({
        unsent: count.describe('due more than 250 ms before the fault, but not sent before it'),
        stallMs: amount.describe('longest time without an acknowledgement before the fault'),
        lateMs: amount.describe('longest time for which the thread of the writers did not run'),
      })
      .optional()
      .describe('how well the machine kept up with the writers; the largest of the writers'),
    agents: z
      .array(
        z.object({
          name: Name,
          writers: z.array(Name),
          clock: AgentClock,
          lateMs: amount.describe('longest time for which its thread of writers did not run'),
          load: z.object({ cpu: amount.nullable(), eventLoopUtilization: share }),
          machineCpu: share.describe('busy share of all cores of its machine'),
        }),
      )
      .optional()
      .describe(
        'machines that ran the writers, each by its own clock; times of its writers are off by the bound of its clock; absent: the one of ' +
          '`environment` did',
      ),
    removed: z
      .object({
        evicted: count.nullable(),
        expired: count.nullable(),
        flushes: count.nullable().describe('FLUSHALL and FLUSHDB'),
        hadExpiring: z.boolean().describe('a key had a TTL when the trial began'),
      })
      .optional()
      .describe(
        'keys that nodes removed by themselves during the trial, all nodes together; null: the server does not count it; absent in earlier results',
      ),
    converged: z
      .object({ afterMs: amount, primary: z.string() })
      .nullable()
      .describe('from the end of the load until all nodes agreed'),
  })
  .describe('one trial on one clock');

/** @typedef {z.infer<typeof AuditDocument>} AuditResult */
/** @typedef {NonNullable<AuditResult['library']>} LibraryVersion */
/** @typedef {z.infer<typeof TrialDocument>} TrialResult */
/** @typedef {z.infer<typeof Event>} TrialEvent */
