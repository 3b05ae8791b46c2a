/** The replication links carry less than clients write, then the primary is lost. */
import { lose, slowLink } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';

/** @import { CaseParams } from '../../src/result/schema.js' */

/** The links carry one write in this number. */
const TOO_NARROW = 4;
/** A SET in the replication stream has these bytes around its value: the command, the lengths, and the key. */
const BYTES_BESIDE_VALUE = 80;
const NARROW_SECONDS = 5;

/** @type {import('./types.js').Experiment} */
export default {
  id: 'narrow-link',
  title: 'narrow link',
  explained: 'the links to the replicas carry a quarter of the writes for 5 s, then the primary’s machine is lost',
  question: 'Does min-replicas bound the loss when the replication link is narrower than the writes?',
  method:
    `The primary’s links with its peers carry one in ${TOO_NARROW} of the writes, for ${NARROW_SECONDS} s. Replicas still acknowledge ` +
    'once a second, but fall behind. Then the primary’s machine is lost with everything that waits to be sent. It starts again after a promotion.',
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
