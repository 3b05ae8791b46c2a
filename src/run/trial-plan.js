/**
 * What the writers of a trial are told.
 */
import { createLedger } from '../audit/ledger.js';

/**
 * @import { TrialPlan, WriterName } from '../load/trial-thread.js'
 * @import { Cluster } from '../stacks/types.js'
 * @import { Case } from './types.js'
 */

/** No script takes so long; what is due after that is not entered any more. */
const LONGEST_SECONDS = 180;
/** Who cannot be served for a second has given up. */
const GIVE_UP_MS = 1000;
/** Answers to what is under way at the end; WAIT's own limit is shorter. */
const DRAIN_MS = 3000;
const READS_PER_SECOND = 100;

/**
 * @param {Cluster} cluster
 * @param {Case} theCase
 * @param {string} keyPrefix of this trial alone
 * @returns {TrialPlan}
 */
export function planTrial({ nodes, masterName, credentials }, { params }, keyPrefix) {
  const { writers = [], rate = 0, connections, payloadBytes, wait, waitLocal, waitTimeoutMs, habit } = params;
  return {
    writers: writers.map((name) => ({
      name: /** @type {WriterName} */ (name),
      rate,
      connections,
      shape: {
        payloadBytes,
        pipeline: 1,
        waitReplicas: wait,
        ...(waitLocal !== undefined && { waitLocal }),
        waitTimeoutMs,
        habit,
        keyPrefix: `${keyPrefix}${name}:`,
      },
      ledger: createLedger(rate * LONGEST_SECONDS).buffer,
    })),
    nodes: nodes
      .filter(({ kind }) => kind === 'redis')
      .map(({ id, address, announced }) => ({ id, address, announced })),
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    masterName,
    credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
    readsPerSecond: READS_PER_SECOND,
  };
}
