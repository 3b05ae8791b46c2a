/**
 * What the scenarios with a network of groups share: the hosts of a placement, the clients in each group, and what such a scenario
 * declares.
 */

import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { PlacementParameters, TrialParameters } from '../../src/run/parameters.js';
import { whyNoFirewall } from '../../src/stacks/network/firewall.js';
import { hostsOf } from '../../src/stacks/network/hosts.js';
import { WHOLE_MODES } from '../modes.js';
import { failureCases, PLACES } from './cases.js';
import { canPromote, partitionWithPrimary } from './placement.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { Flapping } from '../../src/faults/group-partition.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { ModeName } from '../modes.js'
 */

/** For the quick profile and for faults of many lengths: `WHOLE_MODES`, and what the second is without its settings. @type {readonly ModeName[]} */
export const DECIDING_MODES = Object.freeze([...WHOLE_MODES, 'wait2-aof']);
/** The least that is asked of replicas, too. @type {readonly ModeName[]} */
export const GROUP_MODES = Object.freeze(['async', ...DECIDING_MODES]);

/** What a scenario with groups declares in which a replica is promoted. */
export const GROUP_SCENARIO = Object.freeze({
  ...WITH_PROMOTION,
  needs: /** @type {TrialBenchmark['needs']} */ (['group-partition']),
  parameters: TrialParameters.extend(PlacementParameters.shape),
  whyNotCase: /** @type {NonNullable<TrialBenchmark['whyNotCase']>} */ (
    async (_, { backend }) => {
      // Commands of the user divide it.
      if (backend === 'external') return null;
      const why = await whyNoFirewall(backend === 'docker' ? 'bridge' : 'ip');
      return why === null ? null : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    }
  ),
});

/**
 * For a scenario that separates the primary from the Sentinel on its host.
 *
 * @type {NonNullable<TrialBenchmark['whyNotCase']>}
 */
export async function whyNotWithinHost(theCase, stack) {
  if (stack.endsWithRun && !stack.can.has('sentinel-partition'))
    return 'It separates nodes of one host, for which agents need root and nftables; use --backend hosts.';
  return GROUP_SCENARIO.whyNotCase(theCase, stack);
}

/**
 * @param {CaseOptions} options
 * @param {{writers?: readonly string[]}} [more] default: the usual writers
 * @returns {Case[]} in the modes for the profile
 */
export function groupCases(options, more) {
  return failureCases(options, { modes: options.profile.name === 'quick' ? DECIDING_MODES : GROUP_MODES, ...more });
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
 * Separates the primary and as many replicas as possible from a side that can promote another replica, with a client on each side.
 *
 * @param {Pick<Scene, 'inject' | 'mark'>} scene
 * @param {readonly (readonly string[])[]} hosts
 * @param {Omit<Parameters<typeof separate>[2], 'away'>} how
 */
export function separateWithReplica(scene, hosts, how) {
  const { near, far } = partitionWithPrimary(hosts);
  return separate(scene, [...near, ...far], { ...how, away: near.length });
}

/**
 * Separates hosts from the others, with a client on each side. The timeline says so if the others cannot promote a replica.
 *
 * @param {Pick<Scene, 'inject' | 'mark'>} scene
 * @param {readonly (readonly string[])[]} hosts the primary’s first
 * @param {Object} how
 * @param {number} how.away number of hosts, from the first one, that are separated from the others
 * @param {boolean} [how.oneWay] only what they send is lost
 * @param {Flapping} [how.flapping]
 */
export function separate({ inject, mark }, hosts, { away, ...how }) {
  const [near, far] = [hosts.slice(0, away), hosts.slice(away)];
  if (!canPromote(far, hosts))
    mark('no-promotion-due', undefined, { detail: 'the side without the primary has no majority of the Sentinels' });
  const groups = [
    [...near.flat(), PLACES.minority],
    [...far.flat(), PLACES.majority],
  ];
  return inject(groupPartition({ groups, ...how }), NETWORK);
}
