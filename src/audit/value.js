/**
 * The value of an audited write: the number of the write, a checksum, and letters up to the size asked for. A value that
 * belongs to another key, or was damaged, is told from the right one.
 */
import { KEY_DIGITS, payload } from '../client/native-batch.js';

const SUM_DIGITS = 8;

/** The shortest value there can be: number, checksum, and a mark between them. */
export const LEAST_VALUE_BYTES = KEY_DIGITS + 1 + SUM_DIGITS;

/**
 * @param {string} salt what the writer's keys start with: the same number of another writer has another value
 * @param {number} bytes size of each value, at least {@link LEAST_VALUE_BYTES}
 * @returns {(number: number) => string} the value of a write
 */
export function valueMaker(salt, bytes) {
  if (bytes < LEAST_VALUE_BYTES) {
    throw new RangeError(
      `a value of ${bytes} bytes has no room for a number and a checksum (${LEAST_VALUE_BYTES} bytes)`,
    );
  }
  const filler = payload(bytes - LEAST_VALUE_BYTES + 1).slice(0, bytes - LEAST_VALUE_BYTES);
  const seed = checksum(2166136261, salt + filler);
  return (number) => {
    const digits = String(number).padStart(KEY_DIGITS, '0');
    return `${digits}:${checksum(seed, digits).toString(16).padStart(SUM_DIGITS, '0')}${filler}`;
  };
}

/**
 * FNV-1a, 32 bits: no proof against malice, but against mistakes.
 *
 * @param {number} start
 * @param {string} text
 */
function checksum(start, text) {
  let sum = start;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619) >>> 0;
  return sum;
}
