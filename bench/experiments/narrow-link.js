/** The replication links carry less than clients write, then the primary is lost. */
import { lose, slowLink } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';

/** @import { CaseParams } from '../../src/result/schema.js' */

/** The links carry one write in this number. */
const TOO_NARROW = 4;
/** A SET in the replication stream has these bytes around its value: the command, the lengths, and the key. */
const BYTES_BESIDE_VALUE = 80;
const NARROW_SECONDS = 5;

/** @type {import('./types.js').Performed} */
export default {
  id: 'narrow-link',
  needs: ['narrow-link', 'lose'],
  promotes: true,
  steps: [
    { at: 0, fault: narrowLink, prepares: true, until: { event: 'promoted' } },
    { at: NARROW_SECONDS, fault: lose, until: PROMOTED },
  ],
};

/** @type {import('../../src/run/perform.js').ChooseFault} */
function narrowLink({ primary }, params) {
  return { fault: slowLink({ latencyMs: 0, bytesPerSecond: narrowFor(params) }), target: primary.id };
}

/**
 * @param {Pick<CaseParams, 'rate' | 'writers' | 'payloadBytes'>} params
 * @returns {number} bytes a second, too few for the writes
 */
export function narrowFor({ rate = 0, writers = [], payloadBytes }) {
  return Math.round((rate * writers.length * (payloadBytes + BYTES_BESIDE_VALUE)) / TOO_NARROW);
}
