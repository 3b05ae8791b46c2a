/**
 * What the machine, or the part of it that this process may use, and this process itself use.
 * @import { RoundResult } from '../result/schema.js'
 * @typedef {Object} MachineSample
 * @property {number} busyMs CPU time used by all cores that this process may use, together, since the machine started
 * @property {number} idleMs including waiting for storage, when the cores could have worked
 * @property {{periods: number, throttled: number} | null} [quota] see `quotaPeriods`
 */
import os from 'node:os';
import { fieldsOf, textOf } from '../stacks/hosts/processes.js';
import { allowedCpus, quotaPeriods } from './limits.js';

/** /proc/stat counts in ticks of a hundredth of a second on every architecture that Node runs on. */
const MS_A_TICK = 10;

/** @returns {MachineSample} precise to a clock tick, usually 10 ms a core */
export function sampleMachine() {
  // Node's own figures leave out waiting and soft interrupts. They serve where there is no /proc.
  const text = textOf('/proc/stat');
  return { ...(text === '' ? fromCpus() : cpuTimes(text, allowedCpus())), quota: quotaPeriods() };
}

/** @param {string} text as in /proc/stat @param {readonly number[]} allowed CPUs; empty: all @returns {MachineSample} */
export function cpuTimes(text, allowed) {
  let busyMs = 0;
  let idleMs = 0;
  for (const [, number, times] of text.matchAll(/^cpu(\d+) (.*)$/gm)) {
    if (allowed.length > 0 && !allowed.includes(Number(number))) continue;
    const [user, nice, system, idle, waiting = 0, irq = 0, softIrq = 0] = times.trim().split(/\s+/).map(Number);
    busyMs += (user + nice + system + irq + softIrq) * MS_A_TICK;
    idleMs += (idle + waiting) * MS_A_TICK;
  }
  return { busyMs, idleMs };
}

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
 * Time taken by a hypervisor counts neither as busy nor as idle: a machine that used every cycle it got is 100% busy.
 * @param {MachineSample} before @param {MachineSample} after
 * @returns {number} 0 … 1; 0: less than a clock tick. With a quota: at least the share of periods in which it held the process back
 */
export function machineUse(before, after) {
  // An idle counter may step back by a tick on Linux.
  const busy = Math.max(0, after.busyMs - before.busyMs);
  const idle = Math.max(0, after.idleMs - before.idleMs);
  const use = busy + idle === 0 ? 0 : busy / (busy + idle);
  return Math.max(use, heldBack(before.quota, after.quota));
}

/** @param {MachineSample['quota']} before @param {MachineSample['quota']} after */
function heldBack(before, after) {
  const periods = (after?.periods ?? 0) - (before?.periods ?? 0);
  return before && after && periods > 0 ? Math.min(1, (after.throttled - before.throttled) / periods) : 0;
}

/**
 * @typedef {Object} LoadProcessSample totals since the process started; null: the system does not report it
 * @property {number} atMs monotonic @property {number} cpuSeconds of all threads @property {number} memoryBytes resident
 * @property {number | null} bytesRead by read calls, from sockets, files and pipes
 * @property {number | null} bytesWritten by write calls @property {number | null} blockInBytes from block devices
 * @property {number | null} blockOutBytes to block devices, now or later @property {number | null} pids threads
 */

/** @returns {LoadProcessSample} */
export function sampleLoadProcess() {
  const { user, system } = process.cpuUsage();
  const io = fieldsOf('/proc/self/io');
  return {
    atMs: performance.now(),
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
    // On Linux, Node reads sockets with read() and writes them with write() or writev(), all of which count here.
    bytesRead: numberOf(io, 'rchar'),
    bytesWritten: numberOf(io, 'wchar'),
    blockInBytes: numberOf(io, 'read_bytes'),
    blockOutBytes: numberOf(io, 'write_bytes'),
    pids: numberOf(fieldsOf('/proc/self/status'), 'Threads'),
  };
}

/**
 * @param {LoadProcessSample} before @param {LoadProcessSample} after taken later
 * @returns {NonNullable<RoundResult['load']['process']>} bytes: between the samples; memory and threads: at the end
 */
export function loadProcessUse(before, after) {
  const seconds = (after.atMs - before.atMs) / 1000;
  return {
    cpu: seconds > 0 ? (after.cpuSeconds - before.cpuSeconds) / seconds : 0,
    memoryBytes: after.memoryBytes,
    bytesRead: difference(before.bytesRead, after.bytesRead),
    bytesWritten: difference(before.bytesWritten, after.bytesWritten),
    blockInBytes: difference(before.blockInBytes, after.blockInBytes),
    blockOutBytes: difference(before.blockOutBytes, after.blockOutBytes),
    pids: after.pids,
  };
}

/** @param {Partial<Record<string, string>>} fields @param {string} name */
function numberOf(fields, name) {
  return fields[name] === undefined ? null : Number(fields[name]);
}

/** @param {number | null} before @param {number | null} after */
function difference(before, after) {
  return before === null || after === null ? null : after - before;
}
