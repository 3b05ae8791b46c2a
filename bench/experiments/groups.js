/** What experiments with a network of groups share: the hosts of a placement, the clients in each group, and what they need. */

import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { PlacementParameters, TrialParameters } from '../../src/run/parameters.js';
import { whyNoFirewall } from '../../src/stacks/network/firewall.js';
import { hostsOf } from '../../src/stacks/network/placement.js';
import { canPromote, partitionWithPrimary } from './placement.js';

/** @import { CaseParams, ChooseFault, Placement, Scene, TrialBenchmark } from '../types.js' */
/** @import { Flapping } from '../../src/faults/index.js' */

export const PLACES = Object.freeze({ minority: 'minority', majority: 'majority', everywhere: 'everywhere' });

export const WITH_GROUPS = Object.freeze({
  needs: /** @type {import('../../src/stacks/types.js').Ability[]} */ (['group-partition']),
  parameters: TrialParameters.extend(PlacementParameters.shape),
  whyNot: /** @type {NonNullable<TrialBenchmark['whyNotCase']>} */ (
    async (_, { about: { backend } }) => {
      // Commands of the user divide it.
      if (backend === 'external') return null;
      const why = await whyNoFirewall(backend === 'docker' ? 'bridge' : 'ip');
      return why === null ? null : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    }
  ),
});

/** For an experiment that separates the primary from the Sentinel on its host. @type {NonNullable<TrialBenchmark['whyNotCase']>} */
export async function whyNotWithinHost(theCase, stack) {
  if (stack.about.endsWithRun && !stack.can.has('sentinel-partition'))
    return 'It separates nodes of one host, for which agents need root and nftables; use --backend hosts.';
  return WITH_GROUPS.whyNot(theCase, stack);
}

/**
 * @param {Pick<Scene, 'primary' | 'replicas' | 'sentinels' | 'hosts'>} scene
 * @param {Pick<CaseParams, 'placement'>} params
 * @param {Placement} usual if the user asked for none, and the addresses of the nodes do not tell
 * @returns {string[][]} ids of the nodes on each host: first the primary's, then one for each replica
 */
export function hostsIn({ primary, replicas, sentinels, hosts }, params, usual) {
  if (hosts !== null && params.placement === undefined) return hosts;
  const { placement = usual } = params;
  const ids = (/** @type {{id: string}[]} */ nodes) => nodes.map(({ id }) => id);
  return hostsOf(placement, { primary: primary.id, replicas: ids(replicas), sentinels: ids(sentinels) });
}

/**
 * Separates hosts from the others, with a client on each side. The timeline says so if the others cannot promote a replica.
 * @param {Object} how
 * @param {Placement} how.usual of the Sentinels
 * @param {number | 'with-replicas'} how.away number of hosts, the primary’s first, that are separated from the others. with-replicas: as many as leave
 *   a side that can promote another replica
 * @param {boolean} [how.oneWay] only what they send is lost
 * @param {(scene: Scene) => Flapping} [how.flapping]
 * @returns {ChooseFault}
 */
export function separated({ usual, away, oneWay, flapping }) {
  return (scene, params) => {
    const hosts = hostsIn(scene, params, usual);
    const { near, far } =
      away === 'with-replicas' ? partitionWithPrimary(hosts) : { near: hosts.slice(0, away), far: hosts.slice(away) };
    if (!canPromote(far, [...near, ...far]))
      scene.mark('no-promotion-due', undefined, {
        detail: 'the side without the primary has no majority of the Sentinels',
      });
    const groups = [
      [...near.flat(), PLACES.minority],
      [...far.flat(), PLACES.majority],
    ];
    const how = { ...(oneWay && { oneWay }), ...(flapping && { flapping: flapping(scene) }) };
    return { fault: groupPartition({ groups, ...how }), target: NETWORK };
  };
}
