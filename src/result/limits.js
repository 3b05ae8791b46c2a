/**
 * What a document may be like before it is parsed: a few bytes can unpack to any size, and a small text can become a large object.
 */
import { COMMA, eachToken, LIST, OBJECT, QUOTE } from './tokens.js';

/** Our deepest documents have 12 levels. */
const MOST_DEPTH = 64;
/** Bytes of text for each list or object. Our documents have 140 and more; each takes memory, and more when it is refused. */
const BYTES_A_CONTAINER = 320;

/** Bytes of text for each value. */
const BYTES_A_VALUE = 4;
/** A histogram has some ten thousand bytes. */
const MOST_TEXT_BYTES = 4 * 2 ** 20;

let mostBytes = 48 * 2 ** 20;

/** @returns {number} bytes that a document may have when it is unpacked: three times our largest */
export function mostDocumentBytes() {
  return mostBytes;
}

/** @param {number} bytes that a document may have from now on */
export function setMostDocumentBytes(bytes) {
  mostBytes = bytes;
}

/**
 * @param {Buffer} bytes JSON, of a size within the limit
 * @returns {string | null} what is too much, as a predicate; null: it can be parsed
 */
export function whyTooMuch(bytes) {
  const { depth, containers, values, longest } = shapeOf(bytes);
  if (depth > MOST_DEPTH) return `has lists or objects in more than ${MOST_DEPTH} levels`;
  const most = Math.floor(mostBytes / BYTES_A_CONTAINER);
  if (containers > most) return `has more than ${most} lists and objects`;
  if (values > mostBytes / BYTES_A_VALUE) return `has more than ${mostBytes / BYTES_A_VALUE} values`;
  return longest > MOST_TEXT_BYTES ? `has a text of more than ${MOST_TEXT_BYTES / 2 ** 20} MiB` : null;
}

/**
 * @param {Buffer} bytes JSON in UTF-8
 * @returns {{depth: number, containers: number, values: number, longest: number}} depth: the greatest; containers: lists and objects; values: about;
 *   longest: bytes of a text
 */
function shapeOf(bytes) {
  let depth = 0;
  let deepest = 0;
  let containers = 0;
  let commas = 0;
  let longest = 0;
  eachToken(bytes, (byte, from, to) => {
    if (byte === QUOTE) longest = Math.max(longest, to - from);
    else if (byte === COMMA) commas++;
    else if (byte === LIST || byte === OBJECT) {
      containers++;
      depth++;
      deepest = Math.max(deepest, depth);
    } else depth--;
  });
  return { depth: deepest, containers, values: commas + containers, longest };
}
