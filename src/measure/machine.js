/**
 * How busy all cores of the machine are, whoever keeps them busy.
 */
import os from 'node:os';

/**
 * @typedef {Object} MachineSample
 * @property {number} busyMs CPU time used, of all cores together, since the machine started
 * @property {number} idleMs
 */

/** @returns {MachineSample} to the system's clock tick, usually 10 ms a core */
export function sampleMachine() {
  let busyMs = 0;
  let idleMs = 0;
  for (const { times } of os.cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    idleMs += times.idle;
  }
  return { busyMs, idleMs };
}

/**
 * Time that a hypervisor took away counts as neither: a machine whose every given cycle was used is 100 % busy.
 *
 * @param {MachineSample} before
 * @param {MachineSample} after
 * @returns {number} 0 … 1; 0 when less than a clock tick lies between the samples
 */
export function machineUse(before, after) {
  // An idle counter may step back by a tick on Linux.
  const busy = Math.max(0, after.busyMs - before.busyMs);
  const idle = Math.max(0, after.idleMs - before.idleMs);
  return busy + idle === 0 ? 0 : busy / (busy + idle);
}
