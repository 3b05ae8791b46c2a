/**
 * What the process that makes the load uses, all its threads together: the load's, and those that orchestrate and sample.
 */
import { readFileSync } from 'node:fs';

/** @import { RoundResult } from '../result/schema.js' */

/** @typedef {NonNullable<RoundResult['load']['process']>} LoadProcessUse */

/**
 * @typedef {Object} LoadProcessSample counters are totals since the process started; null where the system does not tell
 * @property {number} atMs when it was taken, on this process's monotonic clock
 * @property {number} cpuSeconds user and system time of all threads
 * @property {number} memoryBytes resident
 * @property {number | null} bytesRead through read calls, whatever from: sockets, files, pipes
 * @property {number | null} bytesWritten through write calls likewise
 * @property {number | null} blockInBytes from block devices
 * @property {number | null} blockOutBytes to block devices, or to be written there by the system later
 * @property {number | null} pids threads
 */

/** @returns {LoadProcessSample} */
export function sampleLoadProcess() {
  const { user, system } = process.cpuUsage();
  const io = procFields('io');
  return {
    atMs: performance.now(),
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
    // On Linux, Node reads sockets with read() and writes them with write() or writev(), all of which count here.
    bytesRead: numberOf(io, 'rchar'),
    bytesWritten: numberOf(io, 'wchar'),
    blockInBytes: numberOf(io, 'read_bytes'),
    blockOutBytes: numberOf(io, 'write_bytes'),
    pids: numberOf(procFields('status'), 'Threads'),
  };
}

/**
 * @param {LoadProcessSample} before
 * @param {LoadProcessSample} after taken later
 * @returns {LoadProcessUse} bytes: between the two; memory and threads: at the end
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

/**
 * @param {'io' | 'status'} file
 * @returns {Record<string, string>} empty where there is no /proc, or no leave to read it
 */
function procFields(file) {
  try {
    const lines = readFileSync(`/proc/self/${file}`, 'utf8').trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)));
  } catch {
    return {};
  }
}

/**
 * @param {Record<string, string>} fields
 * @param {string} name
 */
function numberOf(fields, name) {
  return fields[name] === undefined ? null : Number(fields[name]);
}

/**
 * @param {number | null} before
 * @param {number | null} after
 */
function difference(before, after) {
  return before === null || after === null ? null : after - before;
}
