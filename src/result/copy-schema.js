/**
 * The part of `result.json` that tells how a data set was copied.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();
const share = z.number().nonnegative();

const Writers = z
  .object({ seconds: z.number().nonnegative(), writes: count, p50Ns: z.number(), p99Ns: z.number(), maxNs: z.number() })
  .describe('writers of the source, all pairs together');

const Use = z
  .object({
    cpu: share.nullable().describe('CPU seconds a second'),
    networkInBytes: count.nullable().describe('null: not counted'),
    networkOutBytes: count.nullable(),
    blockOutBytes: count.nullable().describe('written to disks'),
  })
  .describe('while it was copied, all pairs together');

export const CopyFigures = z.object({
  pairs: count,
  keysBefore: count.describe('of all sources, before anything was copied'),
  seconds: z.number().positive().describe('from the start of the mover until the copies had everything'),
  copiedKeys: count.describe('keys, or writes of the stream, that were brought over in that time'),
  copiedBytes: count.nullable().describe('that came over the network for it; null: not counted'),
  copyRate: z.number().nonnegative().describe('copiedKeys a second'),
  sourceRate: z.number().nonnegative().describe('writes a second of the source meanwhile; 0: nothing wrote'),
  behindSeconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe('from the last write until the copies had everything; null: they never had'),
  writers: z.object({ before: Writers, during: Writers, after: Writers }).optional(),
  use: z.object({ source: Use, copy: Use, mover: Use.nullable().describe('null: the nodes themselves move') }),
  copyOnWriteBytes: count
    .nullable()
    .describe('the most that forked children of all sources had copied; null: none forked'),
  sourceMemoryPeakBytes: count.describe('the highest resident memory of a source, its children not included'),
  comparison: z
    .object({
      keys: count.describe('that either side holds'),
      missing: count.describe('the copy lacks them'),
      extra: count.describe('only the copy has them'),
      type: count.describe('differ in type'),
      value: count.describe('differ in value'),
      ttl: count.describe('differ in when they expire'),
    })
    .describe('source and copy, key by key, when nothing wrote any more'),
});
