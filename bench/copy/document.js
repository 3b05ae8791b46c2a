/** What this suite adds to `result.json`: the parameters of its cases, and how a data set was copied in a round. */
import { z } from 'zod';
import { amount, count, positiveAmount } from '../../src/result/ranges.js';

export const params = {
  mover: z.string().optional(),
  scanCount: count.optional(),
  copyMode: z.string().optional(),
  collections: z.boolean().optional(),
  pairs: count.optional(),
  shards: count.optional(),
  movers: count.optional(),
  writerThreads: count.optional(),
  cores: z.record(z.string(), z.string().regex(/^[0-9,-]+$/)).optional(),
};

const cpuShare = amount;

const Writers = z.object({ seconds: amount, writes: count, p50Ns: amount, p99Ns: amount, maxNs: amount });

const Use = z.object({
  cpu: cpuShare.nullable(),
  networkInBytes: count.nullable(),
  networkOutBytes: count.nullable(),
  blockOutBytes: count.nullable(),
});

export const CopyFigures = z.object({
  pairs: count,
  keysBefore: count,
  seconds: positiveAmount,
  copiedKeys: count,
  copiedBytes: count.nullable(),
  copyRate: amount,
  reported: z.object({ written: count, rate: amount.nullable() }).optional(),
  sourceRate: amount,
  behindSeconds: amount.nullable(),
  writers: z.object({ before: Writers, during: Writers, after: Writers }).optional(),
  use: z.object({ source: Use, copy: Use, mover: Use.nullable() }),
  copyOnWriteBytes: count.nullable(),
  sourceMemoryPeakBytes: count,
  comparison: z.object({
    keys: count,
    missing: count,
    extra: count,
    type: count,
    value: count,
    ttl: count,
    ttlMostMs: count.optional(),
  }),
});

export const roundFigures = { copy: CopyFigures.optional() };

/** @typedef {z.infer<typeof CopyFigures>} CopyFigures */
