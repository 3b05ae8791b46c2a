/**
 * Five data nodes: how many replicas have to confirm a write so that no partition loses it? Sentinels elect by their own majority, wherever the
 * data is.
 */

import { isVaried, variationName } from '../../src/result/variation.js';
import { perform } from '../../src/run/perform.js';
import { PLACEMENTS } from '../../src/stacks/network/hosts.js';
import { separated, WITH_GROUPS } from './groups.js';
import { staleSteps } from './stale-replica-preferred.js';

/**
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
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

/** @type {readonly Division[]} */
export const DIVISIONS = Object.freeze([
  ...PLACEMENTS.flatMap((placement) =>
    [1, 2, 3].map((replicas) => ({ placement, setting: `with-${replicas}`, away: replicas + 1 })),
  ),
  { placement: 'colocated', setting: 'stale-preferred' },
]);

/** @type {import('./types.js').Performed} */
export default {
  ...WITH_GROUPS,
  id: 'topology',
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
