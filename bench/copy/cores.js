/**
 * Pinning each part of a copy to CPUs of its own (`--cores`), so that no part takes time from another. And why a case cannot be measured here.
 */
import { cpus } from 'node:os';
import { programPath } from '../../src/programs.js';
import { cpusIn, cpusOfProcess, pinProcess } from '../../src/stacks/processes.js';
import { whyNoMover } from '../movers/movers.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case } from '../../src/run/types.js'
 * @import { CopyPair } from './pairs.js'
 */

/**
 * @param {Case} theCase
 * @returns {Promise<string | null>} why this machine cannot measure it, and the remedy, in two sentences; null: it can
 */
export async function whyNotCase({ params: { mover = '', cores } }) {
  return (await whyNoMover(mover)) ?? (cores ? whyNotPinned(cores) : null);
}

/** @param {Record<string, string>} cores @returns {string | null} */
function whyNotPinned(cores) {
  if (!programPath('taskset'))
    return 'taskset is not on PATH. Install it (Debian: `apt install util-linux`), on Linux.';
  const highest = Math.max(...Object.values(cores).flatMap(cpusIn));
  return highest < cpus().length
    ? null
    : `This machine has no CPU ${highest}: its CPUs are 0 to ${cpus().length - 1}. Name others in --cores.`;
}

/**
 * Pins the nodes, and this process with its writers. Nodes stay pinned until their stack is removed. Movers pin themselves when they start.
 * @param {readonly CopyPair[]} pairs
 * @param {CaseParams['cores']} cores undefined: nothing is pinned
 * @returns {Promise<() => void>} gives this process its CPUs back
 */
export async function pinParts(pairs, cores) {
  if (!cores) return () => {};
  for (const { source, copy } of pairs) {
    await source.testbed.stack.host.pin?.(source.id, cores.sources);
    await copy.testbed.stack.host.pin?.(copy.id, cores.copies);
  }
  const former = cpusOfProcess(process.pid);
  pinProcess(process.pid, cores.writers);
  return () => pinProcess(process.pid, former);
}
