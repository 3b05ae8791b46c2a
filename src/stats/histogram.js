/**
 * Histograms of durations: whole nanoseconds, 3 significant digits. Percentiles are never averaged; histograms are merged.
 */
import { inflateSync } from 'node:zlib';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';

/**
 * @import { Latency } from '../load/types.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/** An hour. Larger values still count: the histogram then grows. */
const HIGHEST_NS = 3_600_000_000_000;
/** Counts as 64-bit floats, exact up to 2^53. The library's default, 32 bits, starts again at 0 after 4,294,967,295. */
const COUNT_BITS = 64;
/** Of the V2 encoding: what each part begins with, with a word size of 1 noted. */
const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 8;
const CONTENT_HEADER_BYTES = 40;

/**
 * An empty histogram. Record whole numbers ≥ 0 only: it does not notice a fraction or NaN, and is wrong afterwards.
 *
 * @returns {Histogram} about 270 KB
 */
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

/**
 * @param {Histogram} histogram
 * @returns {string} base64, HdrHistogram V2 compressed
 */
export function encodeHistogram(histogram) {
  return encodeIntoCompressedBase64(histogram);
}

/**
 * @param {string} encoded base64, HdrHistogram V2 compressed
 * @returns {Histogram}
 * @throws {Error} when it is not that
 */
export function decodeHistogram(encoded) {
  return decodeFromCompressedBase64(encoded, COUNT_BITS, false);
}

/**
 * A look at the outside: cheaper than decoding, for a document may have thousands. zlib's checksum finds what was damaged within.
 *
 * @param {string} encoded
 * @returns {boolean} it is base64 of a HdrHistogram, V2 compressed, as a whole
 */
export function isHistogram(encoded) {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < HEADER_BYTES || bytes.readInt32BE(0) !== COMPRESSED_COOKIE) return false;
  if (bytes.readInt32BE(4) !== bytes.length - HEADER_BYTES) return false;
  try {
    const content = inflateSync(bytes.subarray(HEADER_BYTES));
    return content.length >= CONTENT_HEADER_BYTES && content.readInt32BE(0) === COOKIE;
  } catch {
    return false;
  }
}

/**
 * @param {Iterable<string>} encoded base64, HdrHistogram V2 compressed
 * @returns {Histogram} one that holds the values of all; empty when there are none
 * @throws {Error} when one is not such a histogram
 */
export function mergeHistograms(encoded) {
  const merged = newHistogram();
  for (const one of encoded) merged.add(decodeHistogram(one));
  return merged;
}

/**
 * @param {Histogram} histogram nanoseconds
 * @returns {Latency} all 0 when nothing was recorded
 */
export function latencyOf(histogram) {
  if (histogram.totalCount === 0) return { min: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0, mean: 0 };
  const max = histogram.maxValue;
  // The library answers with the highest value its bucket could hold, which can be above the highest it was given.
  const at = (/** @type {number} */ percentile) => Math.min(histogram.getValueAtPercentile(percentile), max);
  return {
    min: Math.min(histogram.getValueAtPercentile(0), max),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max,
    mean: histogram.mean,
  };
}
