/**
 * One clock for every thread of this process. `performance.now()` counts from the start of its own thread.
 */
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** @returns {number} milliseconds since some moment in the past, with fractions; never goes back */
export function clockMs() {
  return performance.now() + offset;
}
