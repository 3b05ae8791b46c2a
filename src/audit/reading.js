/**
 * What a node was found to hold of one writer.
 *
 * @typedef {Object} NodeReading
 * @property {Uint8Array} found what stands under each key number, a {@link Found} each
 * @property {number} surplus keys that start with the writer's prefix and are none of its numbers
 * @property {boolean} primary it called itself a primary before and after it was read; false: a replica, or it did not say
 */

export const Found = Object.freeze({
  absent: 0,
  right: 1,
  /** There, with anything else than the write's own value. */
  wrong: 2,
  /** The right value, and once more after it: APPEND was applied twice. */
  twice: 3,
});
