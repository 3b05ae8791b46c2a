/** @import { Sentinel } from '../types.js' @import { FindingTest } from './index.js' */
import { majorityOf, votersOf } from '../predict.js';

/** @type {Readonly<Record<string, FindingTest<Sentinel>>>} */
export const OF_SENTINELS = Object.freeze({
  'quorum-unanswered': ({ view }) => view?.canDecide === false && {},
  'stale-sentinels': ({ why, heard, runId }, d) =>
    why !== null &&
    !heard &&
    d.sentinels.length > 1 &&
    runId === '' && { why, need: majorityOf(votersOf(d)), voters: votersOf(d) },
  tilt: ({ tilt }) => tilt && {},
});
