/**
 * What child processes use, where the system tells.
 */
import { readFileSync } from 'node:fs';

/** /proc gives CPU time in ticks of a hundredth of a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const BYTES_PER_KB = 1024;

/** @returns {number | null} seconds of CPU of all children of this process that have ended; null where it is not known */
export function endedChildrenCpuSeconds() {
  const text = read('/proc/self/stat');
  if (text === null) return null;
  // The fields after the name, which may hold spaces: cutime and cstime are the 16th and 17th of the line.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/**
 * @param {number} pid
 * @returns {number | null} the most resident memory it has had, in bytes; null when it is gone or not known
 */
export function peakMemoryBytes(pid) {
  const kilobytes = read(`/proc/${pid}/status`)?.match(/^VmHWM:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * BYTES_PER_KB;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // No /proc here, or no such process any more.
    return null;
  }
}
