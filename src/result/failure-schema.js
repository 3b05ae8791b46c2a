/** Parts of a failure benchmark in `result.json`: the audit of each writer, and the timeline of each trial. */
import { z } from 'zod';
import { EVENT_KINDS } from './events.js';
import { amount, count, fields, milliseconds, Name, positiveAmount, share } from './ranges.js';
import { AgentClock } from './round-schema.js';

export const AuditDocument = z.object({
  case: z.string(),
  round: count,
  writer: Name,
  ...fields(count, 'due', 'unsent', 'attempted', 'acked', 'underAcked', 'rejected', 'unknown', 'ackedLost'),
  underAckedLost: count,
  rejectedBefore: count.optional(),
  ...fields(count, 'rejectedPresent', 'unknownPresent', 'unknownAbsent', 'unsentPresent', 'wrongValue'),
  appliedTwice: count.nullable(),
  surplus: count,
  ...fields(count.nullable(), 'falseAcks', 'falseAcksLost'),
  present: z.record(z.string(), count),
  formerPrimary: z
    .object({ id: z.string(), ...fields(count, 'present', 'extra', 'extraAcked', 'extraUntold') })
    .nullable(),
  unavailableMs: amount.nullable(),
  acceptedShare: share.nullable(),
  firstError: z.object({ afterMs: milliseconds, text: z.string() }).nullable(),
  errors: z.record(z.string(), count),
  moves: z.array(z.object({ afterMs: milliseconds, node: z.string() })),
  library: z.object(fields(z.string(), 'name', 'version', 'language')).optional(),
});

const Event = z.object({
  at: milliseconds,
  by: z.string(),
  kind: z.enum(EVENT_KINDS),
  node: z.string().optional(),
  fault: z.string().optional(),
  planned: z.literal(true).optional(),
  value: z.string().optional(),
  detail: z.string().optional(),
});

export const TrialDocument = z.object({
  case: z.string(),
  round: count,
  events: z.array(Event),
  windows: z.object({
    ...fields(amount.nullable(), 'detectionMs', 'failoverMs'),
    splitBrainMs: amount,
    recoveryMs: amount.nullable(),
  }),
  stepMs: positiveAmount,
  writers: z.array(
    z.object({
      writer: z.string(),
      acked: z.array(count),
      lost: z.array(count).optional(),
      ...fields(z.array(count), 'underAcked', 'rejected', 'unknown', 'unsent'),
      p99Ms: z.array(amount.nullable()),
    }),
  ),
  reads: z.object({ reads: count, stale: count, failed: count, longestMs: amount }),
  linkMs: amount.nullable(),
  network: z.string().optional(),
  pace: z.object({ unsent: count, stallMs: amount, lateMs: amount }).optional(),
  agents: z
    .array(
      z.object({
        name: Name,
        writers: z.array(Name),
        clock: AgentClock,
        lateMs: amount,
        load: z.object({ cpu: amount.nullable(), eventLoopUtilization: share }),
        machineCpu: share,
      }),
    )
    .optional(),
  removed: z
    .object({ ...fields(count.nullable(), 'evicted', 'expired', 'flushes'), hadExpiring: z.boolean() })
    .optional(),
  converged: z.object({ afterMs: amount, primary: z.string() }).nullable(),
});

/** @typedef {z.infer<typeof AuditDocument>} AuditResult */
/** @typedef {NonNullable<AuditResult['library']>} LibraryVersion */
/** @typedef {z.infer<typeof TrialDocument>} TrialResult */
/** @typedef {z.infer<typeof Event>} TrialEvent */
