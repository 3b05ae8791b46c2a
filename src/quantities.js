/** Quantities as people write them on a command line: `64b`, `4k`, `10s`, `20k/s`. */
import { InvalidArgumentError } from 'commander';

/** @type {Record<string, number>} powers of two: these are sizes in memory */
const BYTES = {
  '': 1,
  b: 1,
  ...{ k: 2 ** 10, kb: 2 ** 10, kib: 2 ** 10 },
  ...{ m: 2 ** 20, mb: 2 ** 20, mib: 2 ** 20 },
  ...{ g: 2 ** 30, gb: 2 ** 30, gib: 2 ** 30 },
};
/** @type {Record<string, number>} */
const COUNTS = { '': 1, k: 1e3, m: 1e6, g: 1e9 };
/** @type {Record<string, number>} */
const MILLISECONDS = { ms: 1, s: 1000, '': 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** @param {string} text @param {Record<string, number>} units @returns {number} NaN: not a number with one of the units */
function quantity(text, units) {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match && units[match[2].toLowerCase()];
  return match && unit ? Number(match[1]) * unit : Number.NaN;
}

/**
 * @param {string} what such as `a size` @param {(text: string) => number} read NaN: invalid
 * @param {readonly string[]} examples an error shows at most two that are in range
 * @returns {(range: string) => (text: string) => number} a parser for commander; range: as the user would write it, such as `1 and 10,000`
 */
function between(what, read, examples) {
  return (range) => {
    const [least, , most] = range.replaceAll(',', '').split(' ').map(read);
    const isWithin = (/** @type {string} */ text) => read(text) >= least && read(text) <= most;
    return (text) => {
      if (isWithin(text)) return read(text);
      const fitting = examples.filter(isWithin).slice(0, 2);
      const instances = fitting.sort((a, b) => read(a) - read(b)).join(' or ');
      throw new InvalidArgumentError(
        `It must be ${what} between ${range}${instances === '' ? '' : `, for instance ${instances}`}.`,
      );
    };
  };
}

/** @param {Record<string, number>} units */
const wholeQuantity = (units) => (/** @type {string} */ text) => {
  const value = quantity(text, units);
  return Number.isInteger(value) ? value : Number.NaN;
};

/** Bytes: `64`, `64b`, `4k` (1,024 each), `1m`. */
export const bytesBetween = between('a size', wholeQuantity(BYTES), ['64b', '4k', '1m', '1b']);

/** `100`, `100k`, `1m`. */
export const countBetween = between('a whole number', wholeQuantity(COUNTS), ['100', '20k', '4', '1']);

const TIMES = ['500ms', '10s', '1s', '1min', '1ms'];
/** Milliseconds: `500ms`, `10s`, `10`, `2m`. */
export const durationBetween = between('a time', (text) => quantity(text, MILLISECONDS), TIMES);

/** Operations a second: `20000`, `20k`, `20k/s`. */
export const rateBetween = between('a rate', (text) => quantity(text.replace(/\/s$/i, ''), COUNTS), ['20k/s', '100/s']);

/** @type {Record<string, number>} powers of ten: links are sold by these */
const BITS = { kbit: 1e3, mbit: 1e6, gbit: 1e9 };
const BITS_A_BYTE = 8;

/** @param {string} text */
const readSpeed = (text) => quantity(text.replace(/\/s$/i, ''), BITS) / BITS_A_BYTE;
/** Bytes a second: `23mbit`, `1gbit/s`. */
export const linkSpeedBetween = between('a speed', readSpeed, ['23mbit', '1gbit']);

/** `0.5` or `50%`, to 0 … 1. */
export const parseShare = between('a share', readShare, ['0.5', '50%'])('0 and 1 (or 0% and 100%)');

/** @param {string} text */
function readShare(text) {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  return match ? Number(match[1]) / (match[2] ? 100 : 1) : Number.NaN;
}
