/** What a document may be like before it is parsed: a few bytes can unpack to any size, and a small text can become a large object. */
import { COMMA, eachToken, LIST, OBJECT, QUOTE } from './tokens.js';

/** Our deepest documents have 12 levels. */
const MOST_DEPTH = 64;
/** One benchmark, or all beside the benchmarks: they are parsed one after the other. */
const SHARE_OF_A_PART = 1 / 3;
/** Bytes of a part for each list or object in it; 240 in a failure run of nine trials a case. Each takes memory, and more when it is refused. */
const BYTES_A_CONTAINER = 160;
/** Likewise for each value. It is 4 where most of them are steps without a write, in a benchmark that is a quarter of its share. */
const BYTES_A_VALUE = 6;
/** Likewise for each text and name of a field; 45 to 90. A name that no other field has takes more memory than its text. */
const BYTES_A_TEXT = 32;
/** A histogram has some ten thousand bytes. */
const MOST_TEXT_BYTES = 4 * 2 ** 20;

let mostBytes = 96 * 2 ** 20;

/** @returns {number} bytes that a document may have when it is unpacked: twice a failure run of nine trials a case */
export function mostDocumentBytes() {
  return mostBytes;
}

/** @param {number} bytes that a document may have from now on */
export function setMostDocumentBytes(bytes) {
  mostBytes = bytes;
}

/** @param {Buffer} part JSON in UTF-8 that is parsed at once @returns {string | null} what is too much, as a predicate; null: it can be parsed */
export function whyTooMuch(part) {
  let [depth, deepest, containers, commas, texts, longest] = [0, 0, 0, 0, 0, 0];
  eachToken(part, (byte, from, to) => {
    if (byte === QUOTE) {
      texts++;
      longest = Math.max(longest, to - from);
    } else if (byte === COMMA) commas++;
    else if (byte === LIST || byte === OBJECT) {
      containers++;
      deepest = Math.max(deepest, ++depth);
    } else depth--;
  });
  if (deepest > MOST_DEPTH) return `has lists or objects in more than ${MOST_DEPTH} levels`;
  if (longest > MOST_TEXT_BYTES) return `has a text of more than ${MOST_TEXT_BYTES / 2 ** 20} MiB`;
  const partBytes = mostBytes * SHARE_OF_A_PART;
  const counted = [
    { number: part.length, most: partBytes, what: 'bytes' },
    { number: containers, most: partBytes / BYTES_A_CONTAINER, what: 'lists and objects' },
    { number: commas + containers, most: partBytes / BYTES_A_VALUE, what: 'values' },
    { number: texts, most: partBytes / BYTES_A_TEXT, what: 'names and texts' },
  ];
  const over = counted.find(({ number, most }) => number > most);
  return over ? `has more than ${Math.floor(over.most)} ${over.what} in one benchmark` : null;
}
