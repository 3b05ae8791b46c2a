/**
 * The value of an audited write: its number, a checksum, and filler. It shows when a value is damaged or belongs to another key.
 * @typedef {{keyPrefix: string, count: number, payloadBytes: number}} KeysToRead keyPrefix: of this writer only; its keys are
 *   `keyName(keyPrefix, number)`. count: numbers 0 … count - 1 were due; ≥ 0. payloadBytes: size of each value, as `valueMaker` was told
 * @typedef {Object} NodeReading what a node holds of one writer
 * @property {Uint8Array} found one {@link Found} for each key number
 * @property {number} surplus keys with the writer's prefix that the writer never had
 * @property {boolean} primary it called itself a primary before and after the reading; false: a replica, or unknown
 */
import { KEY_DIGITS, payload, writeKeyNumber } from '../clients/native-batch.js';

const SUM_DIGITS = 8;
const FNV_PRIME = 16777619;
const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Up to this many bytes, a loop is faster than a call into native code. */
const SHORT_BYTES = 128;

/** The shortest value: number, colon and checksum. */
export const LEAST_VALUE_BYTES = KEY_DIGITS + 1 + SUM_DIGITS;

/**
 * @param {string} salt the writer's key prefix, so that writers have different values for the same number
 * @param {number} bytes size of each value, at least {@link LEAST_VALUE_BYTES}
 */
export function valueMaker(salt, bytes) {
  if (bytes < LEAST_VALUE_BYTES)
    throw new RangeError(`${bytes} bytes have no room for a number and a checksum (${LEAST_VALUE_BYTES} bytes)`);
  const { filler, seed } = valueParts(salt, bytes);
  return (/** @type {number} */ number) => {
    const digits = String(number).padStart(KEY_DIGITS, '0');
    return `${digits}:${checksum(seed, digits).toString(16).padStart(SUM_DIGITS, '0')}${filler}`;
  };
}

/**
 * Compares bytes with the value of {@link valueMaker} without making strings, because millions of values are compared.
 * @param {string} salt @param {number} bytes
 * @returns {(buffer: Buffer, at: number, number: number) => boolean} whether the `bytes` bytes from `at` on are the value of write `number`
 */
export function valueChecker(salt, bytes) {
  const parts = valueParts(salt, bytes);
  const filler = Buffer.from(parts.filler);
  const head = Buffer.from(`${'0'.repeat(KEY_DIGITS)}:${'0'.repeat(SUM_DIGITS)}`);
  return (buffer, at, number) => {
    writeKeyNumber(head, 0, number);
    let sum = parts.seed;
    for (let i = 0; i < KEY_DIGITS; i++) sum = Math.imul(sum ^ head[i], FNV_PRIME);
    for (let i = LEAST_VALUE_BYTES - 1; i > KEY_DIGITS; i--, sum >>>= 4) head[i] = HEX_DIGITS[sum & 15];
    for (let i = 0; i < LEAST_VALUE_BYTES; i++) if (buffer[at + i] !== head[i]) return false;
    const from = at + LEAST_VALUE_BYTES;
    if (filler.length > SHORT_BYTES) return filler.compare(buffer, from, from + filler.length) === 0;
    for (let i = 0; i < filler.length; i++) if (buffer[from + i] !== filler[i]) return false;
    return true;
  };
}

/**
 * What a driver in another language gets: the end of each value, and the seed from which the checksum goes on over the digits.
 * @param {string} salt @param {number} bytes as for {@link valueMaker}
 */
export function valueParts(salt, bytes) {
  const filler = payload(bytes - LEAST_VALUE_BYTES + 1).slice(0, bytes - LEAST_VALUE_BYTES);
  return { filler, seed: checksum(2166136261, salt + filler) };
}

/** FNV-1a, 32 bits: it detects mistakes, not malice. @param {number} start @param {string} text */
function checksum(start, text) {
  let sum = start;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), FNV_PRIME) >>> 0;
  return sum;
}

export const Found = Object.freeze({
  absent: 0,
  right: 1,
  /** The key exists with another value. */
  wrong: 2,
  /** The right value twice in a row, or more often: APPEND was applied again. */
  twice: 3,
});
