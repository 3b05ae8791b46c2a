/**
 * What this suite adds to `result.json`: what wrk and the application counted in a round, and how an old primary came back.
 */
import { z } from 'zod';
import { count } from '../../src/result/ranges.js';

/** Fields of the parameters of a case. */
export const params = {
  afterKill: z
    .enum(['counted', 'as-it-is', 'forced', 'trimmed'])
    .optional()
    .describe(
      'the primary is killed during the load, and comes back: to be counted only, as it is, told the position of the new primary, or with its binary log trimmed',
    ),
};

const Returned = z
  .object({
    follows: z.boolean().describe('it replicates from the new primary'),
    errno: count.describe('of its replication; 0: none'),
    extraRows: count.describe('that only it has'),
    missingRows: count.describe('that only the new primary has'),
  })
  .describe('after it was told to follow the new primary');

const Application = z.object({
  requests: count.describe('that were answered'),
  confirmed: count.describe('registrations or searches that succeeded'),
  refused: count.describe('answers with a status of 400 or more'),
  timeouts: count.describe('answers later than wrk’s limit'),
  receivedBytes: count,
  isWaiting: z
    .boolean()
    .optional()
    .describe('the commits of the primary waited for a replica just before it was killed'),
  firstReplicaRows: count.optional().describe('of this round, after the kill'),
  secondReplicaRows: count.optional(),
  oldPrimaryRows: count.optional().describe('of this round, when it runs again'),
  trimmed: z.boolean().optional().describe('the old primary removed transactions from its binary log when it started'),
  returned: Returned.optional(),
});

/** Fields of a round. */
export const roundFigures = {
  application: Application.optional().describe('what wrk counted, and rows on the nodes after a kill'),
};

/** @typedef {z.infer<typeof Returned>} Returned */
/** @typedef {z.infer<typeof Application>} ApplicationFigures */
