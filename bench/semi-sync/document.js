/** What this suite adds to `result.json`: what wrk and the application counted in a round, and how an old primary came back. */
import { z } from 'zod';
import { count } from '../../src/result/ranges.js';

export const params = {
  afterKill: z.enum(['counted', 'as-it-is', 'forced', 'trimmed']).optional(),
};

const Returned = z.object({ follows: z.boolean(), errno: count, extraRows: count, missingRows: count });

const Application = z.object({
  requests: count,
  confirmed: count,
  refused: count,
  timeouts: count,
  receivedBytes: count,
  isWaiting: z.boolean().optional(),
  firstReplicaRows: count.optional(),
  secondReplicaRows: count.optional(),
  oldPrimaryRows: count.optional(),
  trimmed: z.boolean().optional(),
  returned: Returned.optional(),
});

export const roundFigures = { application: Application.optional() };

/** @typedef {z.infer<typeof Application>} ApplicationFigures */
