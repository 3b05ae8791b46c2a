/** One clock for every thread of this process. `performance.now()` counts from the start of its own thread. */
import { NS_A_MS } from '../units.js';

/** A thread may have to wait for a CPU between two readings; the closest pair counts. */
const LOOKS = 10;

const offset = findOffset();

/** @returns {number} milliseconds since a fixed moment, with fractions; never decreases */
export function clockMs() {
  return performance.now() + offset;
}

/** @returns {number} offset of this thread's clock from the common one */
function findOffset() {
  let best = { apart: Number.POSITIVE_INFINITY, offset: 0 };
  for (let look = 0; look < LOOKS; look++) {
    const before = performance.now();
    const common = Number(process.hrtime.bigint()) / NS_A_MS;
    const after = performance.now();
    if (after - before < best.apart) best = { apart: after - before, offset: common - (before + after) / 2 };
  }
  return best.offset;
}
