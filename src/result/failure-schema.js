/** Parts of a failure benchmark in `result.json`: the audit of each writer, and the timeline of each trial. */
import { z } from 'zod';
import { EVENT_KINDS } from './events.js';
import { Name } from './names.js';
import { amount, count, milliseconds, positiveAmount, share } from './ranges.js';
import { AgentClock } from './round-schema.js';

const perStep = z.array(count);

const NodeCount = z.record(z.string(), count);

export const AuditDocument = z.object({
  case: z.string(),
  round: count,
  writer: Name,
  due: count,
  unsent: count,
  attempted: count,
  acked: count,
  underAcked: count,
  rejected: count,
  unknown: count,
  ackedLost: count,
  underAckedLost: count,
  rejectedBefore: count.optional(),
  rejectedPresent: count,
  unknownPresent: count,
  unknownAbsent: count,
  unsentPresent: count,
  wrongValue: count,
  appliedTwice: count.nullable(),
  surplus: count,
  falseAcks: count.nullable(),
  falseAcksLost: count.nullable(),
  present: NodeCount,
  formerPrimary: z
    .object({
      id: z.string(),
      present: count,
      extra: count,
      extraAcked: count,
      extraUntold: count,
    })
    .nullable(),
  unavailableMs: amount.nullable(),
  acceptedShare: share.nullable(),
  firstError: z.object({ afterMs: milliseconds, text: z.string() }).nullable(),
  errors: z.record(z.string(), count),
  moves: z.array(z.object({ afterMs: milliseconds, node: z.string() })),
  library: z.object({ name: z.string(), version: z.string(), language: z.string() }).optional(),
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
    detectionMs: amount.nullable(),
    failoverMs: amount.nullable(),
    splitBrainMs: amount,
    recoveryMs: amount.nullable(),
  }),
  stepMs: positiveAmount,
  writers: z.array(
    z.object({
      writer: z.string(),
      acked: perStep,
      lost: perStep.optional(),
      underAcked: perStep,
      rejected: perStep,
      unknown: perStep,
      unsent: perStep,
      p99Ms: z.array(amount.nullable()),
    }),
  ),
  reads: z.object({ reads: count, stale: count, failed: count, longestMs: amount }),
  linkMs: amount.nullable(),
  network: z.string().optional(),
  pace: z
    .object({
      unsent: count,
      stallMs: amount,
      lateMs: amount,
    })
    .optional(),
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
    .object({
      evicted: count.nullable(),
      expired: count.nullable(),
      flushes: count.nullable(),
      hadExpiring: z.boolean(),
    })
    .optional(),
  converged: z.object({ afterMs: amount, primary: z.string() }).nullable(),
});

/** @typedef {z.infer<typeof AuditDocument>} AuditResult */
/** @typedef {NonNullable<AuditResult['library']>} LibraryVersion */
/** @typedef {z.infer<typeof TrialDocument>} TrialResult */
/** @typedef {z.infer<typeof Event>} TrialEvent */
