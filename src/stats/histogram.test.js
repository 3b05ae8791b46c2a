import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import {
  decodeHistogram,
  encodeHistogram,
  isHistogram,
  latencyOf,
  mergeHistograms,
  newHistogram,
} from './histogram.js';

const HOUR = 3_600_000_000_000;

/** @param {Iterable<number>} values */
function histogramOf(values) {
  const histogram = newHistogram();
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

/** @param {number} actual @param {number} expected */
function within3Digits(actual, expected) {
  assert.ok(Math.abs(actual - expected) <= expected / 1000, `${actual} is not ${expected} to 3 digits`);
}

test('percentiles are right to three digits, from nanoseconds to beyond an hour', () => {
  for (const unit of [1, 1000, 1e6, 1e9, HOUR]) {
    const latency = latencyOf(histogramOf(Array.from({ length: 1000 }, (_, i) => (i + 1) * unit)));
    within3Digits(latency.min, unit);
    within3Digits(latency.p50, 500 * unit);
    within3Digits(latency.p90, 900 * unit);
    within3Digits(latency.p95, 950 * unit);
    within3Digits(latency.p99, 990 * unit);
    within3Digits(latency.p999, 999 * unit);
    within3Digits(latency.mean, 500.5 * unit);
    assert.equal(latency.max, 1000 * unit);
  }
  within3Digits(latencyOf(histogramOf([1000, 1000, 1000, 5000])).mean, 2000);
  assert.deepEqual(Object.values(latencyOf(newHistogram())), Array(8).fill(0), 'nothing was recorded');
});

test('counts beyond 32 bits survive recording, encoding and merging', () => {
  const many = 2 ** 33 + 1;
  const histogram = newHistogram();
  histogram.recordValueWithCount(100, many);
  histogram.recordValue(5_000_000_000);
  const merged = mergeHistograms([encodeHistogram(histogram), encodeHistogram(histogram)]);
  assert.equal(merged.totalCount, 2 * (many + 1));
  assert.equal(latencyOf(merged).p50, 100);
  within3Digits(latencyOf(merged).max, 5_000_000_000);
});

test('merging equals recording everything into one, whatever the order', () => {
  const one = Array.from({ length: 500 }, (_, i) => 1000 + i * 37);
  const two = [...Array.from({ length: 300 }, (_, i) => 900_000 + i * 1009), 3 * HOUR];
  const together = latencyOf(decodeHistogram(encodeHistogram(histogramOf([...one, ...two]))));
  const parts = [histogramOf(one), newHistogram(), histogramOf(two)].map(encodeHistogram);
  assert.deepEqual(latencyOf(decodeHistogram(encodeHistogram(mergeHistograms(parts)))), together);
  assert.deepEqual(latencyOf(decodeHistogram(encodeHistogram(mergeHistograms(parts.reverse())))), together);
});

/**
 * @param {number} cookie
 * @param {Buffer} content
 * @returns {string} as text of a histogram begins: a cookie, the length of what follows, and that compressed
 */
function textOf(cookie, content) {
  const compressed = deflateSync(content);
  const head = Buffer.alloc(8);
  head.writeInt32BE(cookie, 0);
  head.writeInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]).toString('base64');
}

test('isHistogram recognises a histogram without decoding it', () => {
  const encoded = encodeHistogram(histogramOf([1, 2, 3]));
  const bytes = Buffer.from(encoded, 'base64');
  const cookie = bytes.readInt32BE(0);
  const content = inflateSync(bytes.subarray(8));
  assert.equal(isHistogram(encoded), true);
  assert.equal(isHistogram(textOf(cookie, content)), true);
  assert.equal(isHistogram(textOf(cookie, content.subarray(0, 40))), true, 'only its beginning is looked at');
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 1] ^= 1;
  /** @type {Record<string, string>} */
  const others = {
    nothing: '',
    'seven bytes': bytes.subarray(0, 7).toString('base64'),
    'eight bytes': bytes.subarray(0, 8).toString('base64'),
    'its beginning': bytes.subarray(0, bytes.length - 1).toString('base64'),
    'more than itself': Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64'),
    'a damaged one': damaged.toString('base64'),
    'another cookie': textOf(cookie + 1, content),
    'another cookie within': textOf(cookie, Buffer.concat([Buffer.alloc(4), content.subarray(4)])),
    'too short within': textOf(cookie, content.subarray(0, 39)),
    'more than any histogram has': textOf(cookie, Buffer.concat([content, Buffer.alloc(4 * 2 ** 20)])),
    'not compressed': Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(bytes.length - 8)]).toString('base64'),
  };
  for (const [what, text] of Object.entries(others)) assert.equal(isHistogram(text), false, what);
});
