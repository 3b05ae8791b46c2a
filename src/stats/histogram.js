/** Histograms of durations: whole nanoseconds, 3 significant digits. Percentiles are never averaged; histograms are merged. */
import { inflateSync } from 'node:zlib';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { NS_A_MS } from '../units.js';

/**
 * @import { Latency } from '../load/types.js'
 * @import { Histogram } from 'hdr-histogram-js'
 * @import { JsHistogram } from 'hdr-histogram-js/dist/JsHistogram.js'
 */

/** An hour. The histogram grows for larger values. */
const HIGHEST_NS = 3_600_000_000_000;
/** Floats, exact up to 2^53. The library's default of 32 bits wraps at 4,294,967,296. */
const COUNT_BITS = 64;
/** The first bytes of each part of the V2 encoding, with word size 1. */
const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 8;
const CONTENT_HEADER_BYTES = 40;
/** Ours have less than a tenth of this. A few bytes can unpack to any size. */
const MOST_CONTENT_BYTES = 4 * 2 ** 20;

/** An empty histogram. Record whole numbers ≥ 0 only: a fraction or NaN corrupts it silently. @returns {Histogram} about 270 KB */
export function newHistogram() {
  return build({
    bitBucketSize: COUNT_BITS,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_NS,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  });
}

/** @param {Histogram} histogram @returns {string} base64, HdrHistogram V2 compressed */
export function encodeHistogram(histogram) {
  return encodeIntoCompressedBase64(histogram);
}

/** @param {string} encoded base64, HdrHistogram V2 compressed @returns {Histogram} @throws {Error} it is something else */
export function decodeHistogram(encoded) {
  return decodeFromCompressedBase64(encoded, COUNT_BITS, false);
}

/**
 * A cheap check without decoding, because a document may have thousands. The checksum of zlib finds damage.
 * @param {string} encoded @returns {boolean} it is a complete HdrHistogram, V2 compressed, in base64
 */
export function isHistogram(encoded) {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < HEADER_BYTES || bytes.readInt32BE(0) !== COMPRESSED_COOKIE) return false;
  if (bytes.readInt32BE(4) !== bytes.length - HEADER_BYTES) return false;
  try {
    const content = inflateSync(bytes.subarray(HEADER_BYTES), { maxOutputLength: MOST_CONTENT_BYTES });
    return content.length >= CONTENT_HEADER_BYTES && content.readInt32BE(0) === COOKIE;
  } catch {
    return false;
  }
}

/**
 * @param {Iterable<string>} encoded base64, HdrHistogram V2 compressed @returns {Histogram} with the values of all; empty without any
 * @throws {Error} one of them is something else
 */
export function mergeHistograms(encoded) {
  const merged = newHistogram();
  for (const one of encoded) merged.add(decodeHistogram(one));
  return merged;
}

const TICKS_PER_HALF_DISTANCE = 5;

/** @param {{rounds: readonly {histogram: string}[]}} one @returns {string} `.hgrm`, as plotters read it: the distribution of all rounds in ms */
export function percentileDistribution({ rounds }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  return merged.outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, NS_A_MS);
}

/** @param {Histogram} histogram nanoseconds @returns {Latency} all 0 if nothing was recorded */
export function latencyOf(histogram) {
  if (histogram.totalCount === 0) return { min: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0, mean: 0 };
  const max = histogram.maxValue;
  // The library returns the upper end of a bucket, which may exceed the highest recorded value.
  const at = (/** @type {number} */ percentile) => Math.min(histogram.getValueAtPercentile(percentile), max);
  return {
    min: Math.min(histogram.getValueAtPercentile(0), max),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max,
    mean: meanOf(/** @type {JsHistogram} */ (histogram)),
  };
}

/**
 * The mean of the library is the same, but it visits every value in a way that takes twenty times as long.
 * @param {JsHistogram} histogram with at least one value
 */
function meanOf(histogram) {
  const last = histogram.countsArrayIndex(histogram.maxValue);
  let total = 0;
  for (let i = 0; i <= last; i++) {
    const count = histogram.getCountAtIndex(i);
    if (count > 0) total += histogram.medianEquivalentValue(histogram.valueFromIndex(i)) * count;
  }
  return total / histogram.totalCount;
}
