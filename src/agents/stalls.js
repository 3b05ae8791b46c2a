/**
 * What a process misses while it stands still is not lost: heartbeats wait in its socket, and timers run before they are read. So both
 * sides add the time that they stood still to the time for which they wait for the other one.
 */
import { HEARTBEAT_MS } from './protocol.js';

/** Heartbeats are sent, and looked for, so often. */
export const TICK_MS = HEARTBEAT_MS / 2;

/**
 * @param {() => number} [clockMs] monotonic
 * @returns {() => number} to be called every {@link TICK_MS}: for how long this process has stood still since the last call, in
 *   milliseconds; 0: not longer than a heartbeat
 */
export function stallMeter(clockMs = () => performance.now()) {
  let lastMs = clockMs();
  return () => {
    const nowMs = clockMs();
    const stalledMs = nowMs - lastMs - TICK_MS;
    lastMs = nowMs;
    return stalledMs > HEARTBEAT_MS ? stalledMs : 0;
  };
}
