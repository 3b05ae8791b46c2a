/**
 * When batches are meant to leave.
 */

/**
 * @typedef {'constant' | 'poisson'} Arrivals constant: one interval after the other; poisson: independent of each other, as
 *   the requests of many users are
 *
 * @param {Object} options
 * @param {number} options.batchesPerSecond > 0
 * @param {Arrivals} options.arrivals
 * @param {() => number} options.random draws from [0, 1)
 * @returns {() => number} each call: when the next batch is meant to leave, milliseconds since the start; the first at 0
 *   (constant) or after one draw (poisson)
 */
export function createSchedule({ batchesPerSecond, arrivals, random }) {
  const interval = 1000 / batchesPerSecond;
  if (arrivals === 'constant') {
    let index = 0;
    // A product, not a sum: a sum's rounding errors would add up over millions of batches.
    return () => index++ * interval;
  }
  let at = 0;
  return () => {
    // 1 - random() lies in (0, 1], whose logarithm is finite.
    at -= Math.log(1 - random()) * interval;
    return at;
  };
}
