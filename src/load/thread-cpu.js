/**
 * CPU time of the calling thread.
 */
import { readFileSync } from 'node:fs';

/**
 * @returns {number | null} seconds of CPU this thread has used, to the nanosecond; null where the system does not tell
 *   (Linux does, in /proc/thread-self/schedstat; a synchronous read happens on the calling thread, so `self` is it)
 */
export function threadCpuSeconds() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return null;
  }
}
