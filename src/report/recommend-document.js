/**
 * A recommendation for programs, as `recommend --json` prints it.
 */
import { clientText, settingsText } from './decision-words.js';

const RECOMMENDATION_SCHEMA = 'sentinel-bench/recommendation@1';

/**
 * @typedef {import('./recommend.js').Recommendation} Recommendation
 * @typedef {import('./recommend.js').Judged} Judged
 */

/**
 * @param {Recommendation} recommendation
 * @returns {object} fit for JSON: a time without end stands there as `to the end`, null is what was not measured
 */
export function recommendationDocument({ limits, criteria, tallies, ...groups }) {
  const describe = (/** @type {Judged} */ { row, judgements }) => ({
    configuration: row.id,
    title: row.title,
    params: row.params,
    set: settingsText(row),
    client: clientText(row),
    throughput: row.healthy[limits.batch]?.throughput ?? null,
    ofAsync: row.healthy[limits.batch]?.relative ?? null,
    p99Ns: row.healthy[limits.batch]?.p99Ns ?? null,
    judgements: judgements.map(({ criterion, verdict, figure }) => ({ criterion, verdict, figure: figure || null })),
  });
  return {
    schema: RECOMMENDATION_SCHEMA,
    limits,
    criteria,
    meets: groups.meets.map(describe),
    undecided: groups.undecided.map(describe),
    fails: groups.fails.map(describe),
    tallies,
  };
}
