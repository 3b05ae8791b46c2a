/**
 * A timer that is right to about a tenth of a millisecond, which Node's, with their granularity of 1 ms and their habit of
 * being late, are not. It is for a thread that has nothing else to do.
 *
 * @typedef {Object} Alarm
 * @property {(time: number) => void} set when to ring, as `performance.now()` has it; replaces what was set. Infinity: never
 */

/** How much too late a timer of Node's may come: its last stretch is waited for otherwise. */
const TIMER_LATE_MS = 2;

/**
 * In the last stretch the event loop turns, so that what arrives meanwhile is taken in, and sleeps this long each time, so
 * that it does not take a CPU from what is measured.
 */
const NAP_MS = 0.1;

/** What a nap may take beyond its time; less than that is not worth one. */
const NAP_LATE_MS = 0.07;

const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * @param {() => void} ring called once each time it is set, at that time or right after
 * @returns {Alarm}
 */
export function createAlarm(ring) {
  let at = Number.POSITIVE_INFINITY;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {NodeJS.Immediate | undefined} */
  let turn;

  function arm() {
    const left = at - performance.now();
    if (left > TIMER_LATE_MS + 1) timer = setTimeout(arm, Math.floor(left - TIMER_LATE_MS));
    else turn = setImmediate(last);
  }

  function last() {
    const left = at - performance.now();
    if (left > NAP_LATE_MS) {
      Atomics.wait(bed, 0, 0, Math.min(NAP_MS, left - NAP_LATE_MS));
      turn = setImmediate(last);
    } else if (left > 0) {
      turn = setImmediate(last);
    } else {
      at = Number.POSITIVE_INFINITY;
      ring();
    }
  }

  return {
    set(time) {
      if (time === at) return;
      clearTimeout(timer);
      clearImmediate(turn);
      at = time;
      if (at < Number.POSITIVE_INFINITY) arm();
    },
  };
}
