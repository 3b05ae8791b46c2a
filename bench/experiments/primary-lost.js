/** What experiments share in which the primary is away until a replica was promoted, and comes back. */
import { PROMOTED } from '../../src/run/perform.js';
import { asLongAsNamed, lengthsFor, lengthTitle } from './lengths.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Experiment } from './types.js'
 */

export const PROMOTION = 'The Sentinels promote a replica, which takes writes for a while. ';
const LENGTHS =
  'In the profiles standard and full it also lasts for down-after, for up to 3 s more, and until a Sentinel has promoted a replica.';
export const STARTED_AGAIN =
  'Then the old primary is started again, and the writers continue until the Sentinels have demoted it.';
export const HEALS = 'Then the partition heals, and the writers continue until the old primary is demoted.';

/**
 * @param {Fault} fault takes the primary away; undone a while after a replica was promoted
 * @returns {Pick<Experiment, 'needs' | 'promotes' | 'steps'>}
 */
export function losing(fault) {
  return { needs: fault.needs, promotes: true, steps: [{ fault, until: PROMOTED }] };
}

/** @param {{length?: string}} params of a case @returns {boolean} it names a length */
const hasLength = ({ length = '' }) => lengthTitle(length) !== undefined;

/**
 * A fault that ends about when a failover does may lose what a longer one does not.
 * @param {Fault} fault
 * @returns {Pick<Experiment, 'needs' | 'varied' | 'promotes' | 'lengths' | 'steps'>}
 */
export function losingForLengths(fault) {
  return {
    needs: fault.needs,
    varied: LENGTHS,
    // One that lasts for down-after may be over before a replica is promoted.
    promotes: (params) => !hasLength(params),
    lengths: (profile) => (profile.name === 'quick' ? [] : lengthsFor(profile)),
    steps: (_, params) => [{ fault, until: hasLength(params) ? asLongAsNamed : PROMOTED }],
  };
}
