/**
 * The writers of trials on Redis. Another system has a module of its own with these two functions.
 */
import { Probes } from '../stale-reads.js';
import { createNativeWriter } from './native-writer.js';

/**
 * @import { TrialPlan, TrialSample, WriterPlan } from '../trial-thread.js'
 * @import { Account, Writer } from './writer.js'
 */

/**
 * @typedef {Object} StaleReads probes that look on other nodes for writes acknowledged just before
 * @property {() => Promise<void>} open connects
 * @property {(now: number) => void} begin
 * @property {(now: number) => void} tick called about every millisecond
 * @property {() => void} end starts no more reads
 * @property {boolean} isDone after `end`: no read is under way
 * @property {TrialSample['reads']} sample
 * @property {() => void} close idempotent
 */

/**
 * Loads a library only if a writer uses it.
 *
 * @param {WriterPlan} writer
 * @param {TrialPlan} plan
 * @returns {Promise<Writer>}
 */
export async function createWriter(writer, plan) {
  if (writer.name === 'sticky' || writer.name === 'failover-aware') return createNativeWriter(writer, plan);
  if (writer.name.startsWith('driver.')) {
    const { createDriverWriter } = await import('./driver-writer.js');
    return createDriverWriter(writer, plan);
  }
  if (writer.name.endsWith('-example')) {
    const { createExampleWriter } = await import('./example-writer.js');
    return createExampleWriter(writer, plan);
  }
  const { createLibraryWriter } = await import('./library-writer.js');
  return createLibraryWriter(writer, plan);
}

/**
 * @param {TrialPlan} plan
 * @param {Account[]} accounts of the writers whose writes are looked for
 * @returns {StaleReads}
 */
export function createProbes(plan, accounts) {
  return new Probes(plan, accounts);
}
