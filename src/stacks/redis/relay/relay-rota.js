/**
 * When the lines of a thread that relays have something to deliver.
 */
import { createAlarm } from './relay-alarm.js';

/** @import { Line } from './relay-line.js' */

/**
 * @returns {(line: Line) => void} to be called when a line has something to deliver, now or later; it is called upon when that is due
 */
export function createRota() {
  /** Lines that have something to deliver at a certain time. @type {Set<Line>} */
  const waiting = new Set();
  let soonest = Number.POSITIVE_INFINITY;

  const alarm = createAlarm(() => {
    const now = performance.now();
    soonest = Number.POSITIVE_INFINITY;
    for (const line of waiting) {
      const next = line.deliver(now);
      if (next === Number.POSITIVE_INFINITY) waiting.delete(line);
      soonest = Math.min(soonest, next);
    }
    alarm.set(soonest);
  });

  return (line) => {
    const next = line.deliver(performance.now());
    if (next === Number.POSITIVE_INFINITY) {
      waiting.delete(line);
      return;
    }
    waiting.add(line);
    if (next >= soonest) return;
    soonest = next;
    alarm.set(soonest);
  };
}
