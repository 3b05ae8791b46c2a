/**
 * Quantities as people write them on a command line: `64b`, `4k`, `10s`, `20k/s`.
 */
import { InvalidArgumentError } from 'commander';

/** @type {Record<string, number>} powers of two: these are sizes in memory */
const BYTES = { '': 1, b: 1, k: 2 ** 10, kb: 2 ** 10, kib: 2 ** 10, m: 2 ** 20, mb: 2 ** 20, mib: 2 ** 20 };
/** @type {Record<string, number>} */
const COUNTS = { '': 1, k: 1e3, m: 1e6, g: 1e9 };
/** @type {Record<string, number>} */
const MILLISECONDS = { ms: 1, s: 1000, '': 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/**
 * @typedef {Object} Range
 * @property {number} least
 * @property {number} most
 * @property {string} shown the range as a person would write it
 */

/**
 * @param {string} text
 * @param {Record<string, number>} units
 * @returns {number} NaN when it is not a number with one of the units
 */
function quantity(text, units) {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match && units[match[2].toLowerCase()];
  return match && unit ? Number(match[1]) * unit : Number.NaN;
}

/**
 * @param {number} value
 * @param {Range} range
 * @param {string} example
 */
function within(value, { least, most, shown }, example) {
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must lie between ${shown}, for instance ${example}.`);
}

/**
 * @param {number} value
 * @param {string} example
 */
function whole(value, example) {
  if (Number.isInteger(value) || Number.isNaN(value)) return value;
  throw new InvalidArgumentError(`It must be a whole number, for instance ${example}.`);
}

/**
 * @param {Range} range in bytes
 * @returns {(text: string) => number} a parser for commander: `64`, `64b`, `4k` (1,024 each), `1m`
 */
export const bytesBetween = (range) => (text) => within(whole(quantity(text, BYTES), '4k'), range, '64b or 4k');

/**
 * @param {Range} range
 * @returns {(text: string) => number} a parser for commander: `100`, `100k`, `1m`
 */
export const countBetween = (range) => (text) => within(whole(quantity(text, COUNTS), '100'), range, '100 or 20k');

/**
 * @param {Range} range in milliseconds
 * @returns {(text: string) => number} a parser for commander, to milliseconds: `500ms`, `10s`, `10`, `2m`
 */
export const durationBetween = (range) => (text) => within(quantity(text, MILLISECONDS), range, '500ms or 10s');

/**
 * @param {Range} range a second
 * @returns {(text: string) => number} a parser for commander: `20000`, `20k`, `20k/s`
 */
export const rateBetween = (range) => (text) => within(quantity(text.replace(/\/s$/i, ''), COUNTS), range, '20k/s');

/** @type {Record<string, number>} powers of ten: links are sold by these */
const BITS = { kbit: 1e3, mbit: 1e6, gbit: 1e9 };
const BITS_A_BYTE = 8;

/**
 * @param {Range} range in bytes a second
 * @returns {(text: string) => number} a parser for commander, to bytes a second: `23mbit`, `1gbit/s`
 */
export const linkSpeedBetween = (range) => (text) =>
  within(quantity(text.replace(/\/s$/i, ''), BITS) / BITS_A_BYTE, range, '23mbit or 1gbit');

/**
 * @param {string} text `0.5` or `50%`
 * @returns {number} 0 … 1
 */
export function parseShare(text) {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  const share = match ? Number(match[1]) / (match[2] ? 100 : 1) : Number.NaN;
  return within(share, { least: 0, most: 1, shown: '0 and 1 (or 0% and 100%)' }, '0.5 or 50%');
}
