/**
 * Five data nodes: how many replicas have to confirm a write so that no partition loses it? Sentinels elect by their own majority, wherever the
 * data is.
 */

import { isVaried, variationName } from '../../src/result/variation.js';
import { perform } from '../../src/run/perform.js';
import { separated, WITH_GROUPS } from './groups.js';
import { staleSteps } from './stale-replica-preferred.js';

/**
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Variation } from './types.js'
 *
 * @typedef {Object} Division of five nodes
 * @property {Placement} placement
 * @property {string} setting
 * @property {number} [away] number of hosts, the primary’s included, that are separated from the others; absent: one replica falls behind instead
 */

export const REPLICAS = 4;
/** One Sentinel is on each host, or three of them are placed apart. @type {Readonly<Record<Placement, number>>} */
export const SENTINELS = { colocated: 5, apart: 3 };
/** Far longer than a failover takes. */
const SECONDS = 15;

/** @param {Placement} placement @param {number} replicas @returns {Division & Variation} */
const awayWith = (placement, replicas) => ({
  placement,
  setting: `with-${replicas}`,
  away: replicas + 1,
  title: `primary + ${replicas} replica${replicas === 1 ? '' : 's'} away, Sentinels ${placement}`,
});

/** @type {readonly (Division & Variation)[]} */
export const DIVISIONS = Object.freeze([
  awayWith('apart', 1),
  awayWith('apart', 2),
  awayWith('apart', 3),
  awayWith('colocated', 1),
  awayWith('colocated', 2),
  awayWith('colocated', 3),
  { placement: 'colocated', setting: 'stale-preferred', title: 'stale replica preferred' },
]);

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_GROUPS,
  id: 'topology',
  title: 'partition of five nodes',
  question: 'With five data nodes and WAIT 2, 3 or 4, which partitions still lose acknowledged writes?',
  method:
    `A primary with ${REPLICAS} replicas. The hosts of the primary and of 1, 2 or 3 replicas cannot reach the other hosts for ${SECONDS} s: with a ` +
    'Sentinel on each of the five hosts (“colocated”), and with one of three Sentinels at the primary and two on the last host (“apart”). One client is with the primary, ' +
    'one with the others, and one reaches every node. In the variant “stale replica preferred” the replica with the best replica-priority cannot reach the primary for a ' +
    'while, then the primary is killed.',
  placements: Object.fromEntries(DIVISIONS.map((division) => [variationName(division), division])),
  needs: ['group-partition', 'kill', 'configure'],
  async whyNot(theCase, stack) {
    const reason = (await WITH_GROUPS.whyNot(theCase, stack)) ?? null;
    if (reason !== null || stack.about.ours || stack.about.endsWithRun) return reason;
    return 'It starts stacks of five data nodes, but a stack is already up. Take it down with `sentinel-bench down` first.';
  },
  promotes: true,
  async script(scene, { params }) {
    const { away } = divisionOf(params);
    if (away === undefined) return perform(scene, staleSteps(), params);
    const fault = separated({ usual: 'apart', away });
    return perform(scene, [{ at: 0, fault, lasts: SECONDS }], params);
  },
};

/** @param {CaseVariation} params */
function divisionOf(params) {
  const found = DIVISIONS.find((division) => isVaried(params, division));
  if (!found) throw new RangeError(`no partition of five nodes is called ${variationName(params)}`);
  return found;
}
