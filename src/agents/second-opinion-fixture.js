/**
 * For tests only: a second reader of histograms, written from the description of the format (HdrHistogram, V2 compressed) without the library
 * that wrote them.
 */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

const HEADER_BYTES = 40;

/**
 * @param {string} encoded base64
 * @returns {{counts: number[], digits: number, lowest: number}} counts by index of the bucket
 */
export function readCounts(encoded) {
  const outer = Buffer.from(encoded, 'base64');
  assert.equal(outer.readUInt32BE(0) & 0xffffff0f, 0x1c849304, 'compressed, V2');
  const inner = inflateSync(outer.subarray(8, 8 + outer.readUInt32BE(4)));
  assert.equal(inner.readUInt32BE(0) & 0xffffff0f, 0x1c849303, 'V2');
  const end = HEADER_BYTES + inner.readUInt32BE(4);
  /** @type {number[]} */
  const counts = [];
  for (let at = HEADER_BYTES; at < end; ) {
    // LEB128 of a ZigZag number. The ninth byte has all of its bits.
    let raw = 0n;
    let byte = 0;
    for (let read = 0; ; read++) {
      byte = inner[at++];
      raw |= BigInt(read === 8 ? byte : byte & 0x7f) << BigInt(7 * read);
      if (read === 8 || byte < 0x80) break;
    }
    const value = Number((raw >> 1n) ^ -(raw & 1n));
    if (value < 0) for (let zero = 0; zero < -value; zero++) counts.push(0);
    else counts.push(value);
  }
  return { counts, digits: inner.readUInt32BE(12), lowest: Number(inner.readBigUInt64BE(16)) };
}

/**
 * @param {string[]} encoded
 * @returns {ReturnType<typeof readCounts>} of all of them together
 */
export function sumOfCounts(encoded) {
  const all = encoded.map(readCounts);
  const length = Math.max(...all.map(({ counts }) => counts.length));
  return {
    ...all[0],
    counts: Array.from({ length }, (_, index) => all.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0)),
  };
}

/**
 * @param {ReturnType<typeof readCounts>} histogram
 * @param {number} percentile a whole number from 1 to 100
 * @returns {number} the highest value of the bucket in which it lies
 */
export function percentileOf({ counts, digits, lowest }, percentile) {
  const magnitude = Math.ceil(Math.log2(2 * 10 ** digits)) - 1;
  const unit = Math.floor(Math.log2(lowest));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const wanted = Math.max(1, Math.ceil((percentile * total) / 100));
  let seen = 0;
  const index = counts.findIndex((count) => {
    seen += count;
    return seen >= wanted;
  });
  const bucket = Math.max(0, Math.floor(index / 2 ** magnitude) - 1);
  const within = index - bucket * 2 ** magnitude;
  return (within + 1) * 2 ** (bucket + unit) - 1;
}
