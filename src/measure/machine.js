/**
 * How busy all cores of the machine are, whoever keeps them busy.
 */
import { readFileSync } from 'node:fs';
import os from 'node:os';

/**
 * @typedef {Object} MachineSample
 * @property {number} busyMs CPU time used, of all cores together, since the machine started
 * @property {number} idleMs waiting for storage included: the cores could have worked meanwhile
 */

/** /proc/stat counts in ticks of a hundredth of a second on every architecture that Node runs on. */
const MS_A_TICK = 10;

/** @returns {MachineSample} to the system's clock tick, usually 10 ms a core */
export function sampleMachine() {
  return fromProc() ?? fromCpus();
}

/**
 * Node's own figures leave out what is waited for and what soft interrupts take.
 *
 * @returns {MachineSample | null} null: this system has no /proc
 */
function fromProc() {
  let text;
  try {
    text = readFileSync('/proc/stat', 'utf8');
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return null;
    throw error;
  }
  const [user, nice, system, idle, waiting = 0, irq = 0, softIrq = 0] = text
    .slice(4, text.indexOf('\n'))
    .trim()
    .split(/\s+/)
    .map(Number);
  return { busyMs: (user + nice + system + irq + softIrq) * MS_A_TICK, idleMs: (idle + waiting) * MS_A_TICK };
}

/** @returns {MachineSample} */
function fromCpus() {
  let busyMs = 0;
  let idleMs = 0;
  for (const { times } of os.cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    idleMs += times.idle;
  }
  return { busyMs, idleMs };
}

/**
 * Time that a hypervisor took away counts as neither: a machine whose every given cycle was used is 100% busy.
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
