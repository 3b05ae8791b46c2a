/** Random numbers that a recorded seed reproduces. */
import { shuffle as shuffleCopy } from 'simple-statistics';

/**
 * The mulberry32 generator: 32 bits of state, good enough for resampling and shuffling, not for secrets.
 * @param {number} seed any integer; its low 32 bits are used @returns {() => number} draws uniformly from [0, 1)
 */
export function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All orders are equally likely. @template T @param {readonly T[]} items not changed @param {() => number} random @returns {T[]} */
export function shuffle(items, random) {
  return shuffleCopy([...items], random);
}
