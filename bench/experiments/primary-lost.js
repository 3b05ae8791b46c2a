/** The primary is away until a replica was promoted, and comes back. */
import { isolate, kill, lose, partition, pause, stop } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { asLongAsNamed, lengthsFor, lengthTitle } from './lengths.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Performed } from './types.js'
 */

/** @param {string} id @param {Fault} fault takes the primary away; undone a while after a replica was promoted @returns {Performed} */
const losing = (id, fault) => ({ id, needs: fault.needs, promotes: true, steps: [{ fault, until: PROMOTED }] });

/** @param {{length?: string}} params of a case @returns {boolean} it names a length */
const hasLength = ({ length = '' }) => lengthTitle(length) !== undefined;

/** A fault that ends about when a failover does may lose what a longer one does not. @param {string} id @param {Fault} fault @returns {Performed} */
const losingForLengths = (id, fault) => ({
  id,
  needs: fault.needs,
  // One that lasts for down-after may be over before a replica is promoted.
  promotes: (params) => !hasLength(params),
  lengths: (profile) => (profile.name === 'quick' ? [] : lengthsFor(profile)),
  steps: (_, params) => [{ fault, until: hasLength(params) ? asLongAsNamed : PROMOTED }],
});

/** @type {readonly Performed[]} */
export default [
  losing('primary-killed', kill),
  losing('primary-machine-lost', lose),
  losing('primary-stopped', stop),
  losing('primary-paused', pause),
  losingForLengths('primary-partition', partition),
  losingForLengths('primary-isolated', isolate),
];
