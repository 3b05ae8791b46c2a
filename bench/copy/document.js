/** What this suite adds to `result.json`: the parameters of its cases, and how a data set was copied in a round. */
import { z } from 'zod';
import { amount, count, positiveAmount } from '../../src/result/ranges.js';

/** Fields of the parameters of a case. */
export const params = {
  mover: z.string().optional().describe('program or method that copies the data set'),
  scanCount: count.optional().describe('COUNT of SCAN, for movers that use SCAN'),
  copyMode: z.string().optional().describe('what is copied and how, and the writes meanwhile'),
  collections: z
    .boolean()
    .optional()
    .describe(
      'a quarter of the keys are collections; absent in results of earlier versions, where a quarter always was',
    ),
  pairs: count.optional().describe('sources and copies side by side'),
  shards: count.optional().describe('shards of a Redis Cluster on either side; absent: no cluster'),
  movers: count.optional().describe('processes or threads that copy; absent: one for each pair'),
  writerThreads: count.optional().describe('threads of the writers; absent: one'),
  cores: z
    .record(z.string(), z.string().regex(/^[0-9,-]+$/))
    .optional()
    .describe('CPUs that each part was pinned to, as taskset writes them; absent: not pinned'),
};

const cpuShare = amount;

const Writers = z
  .object({ seconds: amount, writes: count, p50Ns: amount, p99Ns: amount, maxNs: amount })
  .describe('writers of the source, all pairs together');

const Use = z
  .object({
    cpu: cpuShare.nullable().describe('CPU seconds a second'),
    networkInBytes: count.nullable().describe('null: not counted'),
    networkOutBytes: count.nullable(),
    blockOutBytes: count.nullable().describe('written to disks'),
  })
  .describe('during the copy, all pairs together');

export const CopyFigures = z.object({
  pairs: count,
  keysBefore: count.describe('of all sources, before the copy'),
  seconds: positiveAmount.describe('from the start of the mover until the copies had everything'),
  copiedKeys: count.describe('keys, or writes of the stream, copied in that time'),
  copiedBytes: count.nullable().describe('received over the network for the copy; null: not counted'),
  copyRate: amount.describe('copiedKeys a second'),
  reported: z
    .object({
      written: count.describe('entries written; of a large value more than one'),
      rate: amount.nullable().describe('entries a second, all movers together; null: none was reported'),
    })
    .optional()
    .describe('what the status page of the movers said; absent: they have none'),
  sourceRate: amount.describe('writes a second to the source meanwhile; 0: no writers'),
  behindSeconds: amount.nullable().describe('from the last write until the copies had everything; null: never'),
  writers: z.object({ before: Writers, during: Writers, after: Writers }).optional(),
  use: z.object({ source: Use, copy: Use, mover: Use.nullable().describe('null: the nodes copy by themselves') }),
  copyOnWriteBytes: count.nullable().describe('peak of pages copied for forked children of all sources; null: no fork'),
  sourceMemoryPeakBytes: count.describe('peak resident memory of a source, without its children'),
  comparison: z
    .object({
      keys: count.describe('keys on either side'),
      missing: count.describe('only in the source'),
      extra: count.describe('only in the copy'),
      type: count.describe('differ in type'),
      value: count.describe('differ in value'),
      ttl: count.describe('differ in expiry'),
      ttlMostMs: count
        .optional()
        .describe('the largest difference of two expiry times; absent in results of earlier versions'),
    })
    .describe('source and copy, key by key, after the last write'),
});

/** Fields of a round. */
export const roundFigures = { copy: CopyFigures.optional().describe('how a data set was copied') };

/** @typedef {z.infer<typeof CopyFigures>} CopyFigures */
