/** Numbers as people read them: three significant digits and a unit. @import { EnvironmentInfo, IntervalValue } from './result/schema.js' */

/** A loss of everything that was written before the fault. Its seconds would only say how long the trial ran. */
export const ALL = 'ALL';

const MINUS = '\u2212';
const BITS_A_BYTE = 8;
// Created once: toLocaleString would create a formatter for each of a report's tens of thousands of counts.
const THOUSANDS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** @param {number} nanoseconds ≥ 0 @returns {string} such as `640 ns`, `45.3 µs`, `1.20 ms`, `12.0 s` */
export function duration(nanoseconds) {
  const whole = Math.round(nanoseconds);
  return whole < 1000 ? `${whole} ns` : threeDigits(nanoseconds / 1000, ['µs', 'ms', 's']);
}

/** @param {number} perSecond ≥ 0 @returns {string} such as `850 /s`, `34.1 k/s`, `1.20 M/s` */
export function rate(perSecond) {
  return perSecond === 0 ? '0 /s' : threeDigits(perSecond, ['/s', 'k/s', 'M/s']);
}

/** @param {number} bytesPerSecond ≥ 0 @returns {string} such as `23.0 Mbit/s`, the unit in which links are sold */
export function bitRate(bytesPerSecond) {
  const units = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s'];
  return bytesPerSecond === 0 ? '0 bit/s' : threeDigits(bytesPerSecond * BITS_A_BYTE, units);
}

/** @param {number} size ≥ 0 @returns {string} such as `64 B`, `1.5 KiB`, `256 KiB`, `23.5 GiB` */
export function bytes(size) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = size;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 1000 ? Number(value.toPrecision(3)) : Math.round(value)} ${units[unit]}`;
}

/** In the decimal units of a bill. @param {number} size bytes, ≥ 0 @returns {string} such as `0.13 GB`, `1.9 GB`, `7,452 GB` */
export function billedBytes(size) {
  const gigabytes = size / 1e9;
  return `${gigabytes < 10 ? Number(gigabytes.toPrecision(2)) : count(Math.round(gigabytes))} GB`;
}

/**
 * A share of a whole. Only zero is shown as 0%, and only everything as 100%.
 * @param {number} share 1 is everything; may be negative or above 1 @returns {string} such as `46%`, `4.2%`, `0.42%`, `99.97%`, `−12%`
 */
export function percent(share) {
  if (share < 0) return `${MINUS}${percent(-share)}`;
  const value = 100 * share;
  if (value === 0) return '0%';
  if (value < 0.01) return '<0.01%';
  if (value < 10) return `${value.toPrecision(2)}%`;
  if (value > 99 && value < 100) return `${Number(Math.min(value, 99.99).toFixed(2))}%`;
  return `${Math.round(value)}%`;
}

/** @param {number} ratio ≥ 0 @returns {string} such as `0.19×`, `12.3×`, `140×` */
export function times(ratio) {
  return `${ratio >= 99.5 ? count(ratio) : ratio.toFixed(ratio >= 9.95 ? 1 : 2)}×`;
}

/** @param {number} whole @returns {string} such as `1,234,567` */
export const count = (whole) => THOUSANDS.format(whole);

/** @param {number} whole @param {string} noun whose plural ends in s @returns {string} such as `1 round`, `5 rounds` */
export const plural = (whole, noun) => `${count(whole)} ${noun}${whole === 1 ? '' : 's'}`;

/** @param {{name: string, version: string | null}} server @returns {string} such as `redis 7.0.15` */
export const serverText = ({ name, version }) => `${name} ${version ?? 'of unknown version'}`;

/** On many systems /tmp is a tmpfs. */
export const IN_MEMORY_TEXT =
  'The nodes keep their files in memory: an append-only file and its syncs cost nothing there, so costs of persistence are too small.';

/**
 * @param {IntervalValue} value @param {(number: number) => string} format one of the functions above
 * @returns {string} such as `46% (42–49)`, `1.30 ms (1.10–1.60)`; only the median when the interval has no width
 */
export function interval({ median, low, high }, format) {
  if (low === high) return format(median);
  const shown = range(low, high, format);
  const unit = unitOf(format(median));
  // Shows the unit once if all three numbers have the same one.
  const same = [low, high].every((value) => unitOf(format(value)) === unit);
  return `${format(median)} (${same && unit !== '' ? shown.slice(0, -unit.length) : shown})`;
}

/**
 * @param {number} low @param {number} high @param {(number: number) => string} format one of the functions above
 * @returns {string} such as `42–49%`, `990 µs–1.10 ms`, `−3.0 to 2.0%`
 */
export function range(low, high, format) {
  const [from, to] = [format(low), format(high)];
  const unit = unitOf(from);
  const start = unit !== '' && unit === unitOf(to) ? from.slice(0, -unit.length) : from;
  return `${start}${low < 0 || high < 0 ? ' to ' : '–'}${to}`;
}

/** As {@link range}, or one value where both look the same. @type {typeof range} */
export function rangeOrOne(low, high, format) {
  return format(low) === format(high) ? format(low) : range(low, high, format);
}

/** @param {string} text a formatted number @returns {string} its unit with the space before it; empty without a unit */
function unitOf(text) {
  return /^[^\d]*[\d.,]+(.*)$/.exec(text)?.[1] ?? '';
}

/** @param {number} number > 0, in the first unit @param {readonly string[]} units each 1,000 times the one before */
function threeDigits(number, units) {
  let value = number;
  let unit = 0;
  // Rounds before it compares: 999.9 is 1.00 of the next unit.
  while (unit < units.length - 1 && Number(value.toPrecision(3)) >= 1000) {
    value /= 1000;
    unit++;
  }
  return `${value < 999.5 ? value.toPrecision(3) : count(value)} ${units[unit]}`;
}

/** @param {readonly {id: string, reason: string}[]} cases that were not measured @returns {string[]} a line for each reason */
export function notMeasuredLines(cases) {
  const reasons = [...new Set(cases.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const ids = cases.filter((each) => each.reason === reason).map(({ id }) => id);
    return `${ids.join(', ')}: ${reason}`;
  });
}

/** Characters that {@link firstSentences} keeps. */
const SHORT = 240;

/** @param {string} text @returns {string} whole sentences, at least one; a question always keeps its answer */
export function firstSentences(text) {
  const sentences = text.split(/(?<=[.?])\s+(?=[A-Z“`])/);
  let kept = sentences[0];
  for (const sentence of sentences.slice(1)) {
    if (!kept.endsWith('?') && kept.length + sentence.length >= SHORT) break;
    kept += ` ${sentence}`;
  }
  return kept;
}

/**
 * @param {string} text @param {number} characters at most, above 10
 * @returns {string} as many whole sentences as fit; a first sentence that is too long is cut between words and ends with `…`
 */
export function shorten(text, characters) {
  if (text.length <= characters) return text;
  let kept = '';
  for (const sentence of text.split(/(?<=[.?])\s+(?=[^\s])/)) {
    const longer = kept === '' ? sentence : `${kept} ${sentence}`;
    if (longer.length > characters) break;
    kept = longer;
  }
  // A short first sentence, such as a title, says too little alone.
  if (kept.length >= characters / 2) return kept;
  const cut = text.slice(0, characters - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).replace(/[.,;:]$/, '')}…`;
}

/** @param {readonly string[]} items @param {number} most @returns {string[]} the first ones, then how many more there are: `and 3 more` */
export function firstFew(items, most) {
  const more = items.length - most;
  return more > 0 ? [...items.slice(0, most), `and ${count(more)} more`] : [...items];
}

/** A finding fits on two lines of the page. */
export const FINDING_CHARACTERS = 160;

/**
 * @param {string} start @param {readonly string[]} parts most important first
 * @param {{end?: string, joint?: string, most?: number}} [options] most: characters, default 160
 * @returns {string} one finding; counts the parts that do not fit: `async 85%, WAIT 1 3% and 2 more`
 */
export function oneFinding(start, parts, { end = '', joint = ', ', most = FINDING_CHARACTERS } = {}) {
  const first = (/** @type {number} */ shown) => {
    const more = parts.length - shown;
    return `${start}${parts.slice(0, shown).join(joint)}${more > 0 ? ` and ${more} more` : ''}${end}`;
  };
  let shown = parts.length;
  while (shown > 1 && first(shown).length > most) shown--;
  return first(Math.max(1, shown));
}

/** Stands for zero; any other value has at least the lowest block. */
const NO_BLOCK = '·';
const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** @param {readonly number[]} values ≥ 0 @param {number} full value of the highest block; larger values have it, too */
export function sparkline(values, full) {
  const heightOf = (/** @type {number} */ value) => Math.min(BLOCKS.length, Math.ceil((value / full) * BLOCKS.length));
  return values.map((value) => (value <= 0 ? NO_BLOCK : BLOCKS[heightOf(value) - 1])).join('');
}

/** @param {readonly number[]} values @param {number} width how many values become one, ≥ 1 */
export function compress(values, width) {
  const means = [];
  for (let start = 0; start < values.length; start += width) {
    const part = values.slice(start, start + width);
    means.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return means;
}

/**
 * @param {Pick<EnvironmentInfo, 'usableCpus' | 'cpuQuota' | 'memoryLimitBytes'>} limits
 * @returns {string} such as `1 usable core, 0.5 CPUs of time, 300 MiB of memory`; empty: the whole machine can be used
 */
export function limitsText({ usableCpus, cpuQuota, memoryLimitBytes }) {
  return [
    ...(usableCpus === undefined ? [] : [plural(usableCpus, 'usable core')]),
    ...(cpuQuota === undefined ? [] : [`${Number(cpuQuota.toPrecision(3))} CPUs of time`]),
    ...(memoryLimitBytes === undefined ? [] : [`${bytes(memoryLimitBytes)} of memory`]),
  ].join(', ');
}
