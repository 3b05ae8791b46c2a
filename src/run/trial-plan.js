/**
 * @import { TrialPlan } from '../load/trial-thread.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { Case } from './types.js'
 */
import { createLedger } from '../audit/ledger.js';
import { findWriter, placedWriter } from '../registry/writers.js';
import { dataNodes } from '../stacks/ask.js';
import { shapeOf } from './case.js';

/** Longer than any script; later writes are not entered. */
export const LONGEST_SECONDS = 180;
const GIVE_UP_MS = 1000;
/** For the answers to the last writes; WAIT's own timeout is shorter. */
const DRAIN_MS = 3000;
const READS_PER_SECOND = 100;

/**
 * @param {Stack} stack @param {Case} theCase @param {string} keyPrefix of this trial only
 * @param {{elsewhere?: boolean}} [where] elsewhere: the writers dial from the addresses of their machines
 */
export function planTrial(stack, { params }, keyPrefix, { elsewhere = false } = {}) {
  const { nodes, access } = stack;
  const { writers = [], rate = 0, connections } = params;
  return {
    writers: writers.map((name) => ({
      name,
      appends: findWriter(name)?.appends ?? false,
      ...(elsewhere ? {} : fromOf(stack, name)),
      rate,
      connections,
      shape: shapeOf({ ...params, pipeline: 1 }, `${keyPrefix}${name}:`),
      ledger: createLedger(rate * LONGEST_SECONDS).buffer,
    })),
    module: stack.database.writers,
    nodes: dataNodes(stack).map(({ id, address, announced }) => ({ id, address, announced })),
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    sentinelsAnnounced: nodes.filter(({ kind }) => kind === 'sentinel').map(({ announced }) => announced),
    ...(access.virtualAddress && { virtualAddress: access.virtualAddress }),
    masterName: access.masterName,
    credentials: access.credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
    readsPerSecond: READS_PER_SECOND,
  };
}

/** @param {Stack} stack @param {string} name of a writer */
function fromOf({ network: { groups } }, name) {
  const { place } = placedWriter(name);
  if (place === undefined) return {};
  if (!groups) throw new Error(`${name} needs a stack with a network of groups`);
  const from = groups.clientAddress(place);
  return from === undefined ? {} : { from };
}
