/** Where the benchmarks of a result are in its text: parsed, it takes several times the memory, so each is parsed by itself. */
import { COMMA, eachToken, LIST, OBJECT, QUOTE } from './tokens.js';

/** @typedef {{from: number, to: number}} ByteSpan of bytes; `to` is the first after it */

const BENCHMARKS = Buffer.from('benchmarks');
/** The largest run has some 40. A place takes more memory than a short item. */
const MOST_ITEMS = 1000;

/**
 * @param {Buffer} bytes JSON in UTF-8
 * @returns {{list: ByteSpan, items: ByteSpan[]} | null} list: without its brackets; null: there is no such list, more than one, or one that
 *   is far too long
 */
export function benchmarkSpans(bytes) {
  /** @type {{list: ByteSpan, items: ByteSpan[]}[]} */
  const found = [];
  let depth = 0;
  let isNext = false;
  let begin = 0; // of the list
  let from = -1; // the first byte of the item that is looked at; -1: outside of the list
  /** @type {ByteSpan[]} */
  let items = [];
  let count = 0;
  eachToken(bytes, (byte, at, to) => {
    if (byte === QUOTE) {
      if (depth === 1) isNext = BENCHMARKS.equals(bytes.subarray(at + 1, to));
    } else if (byte === LIST || byte === OBJECT) {
      depth++;
      if (depth === 2 && byte === LIST && isNext) [begin, from, items] = [at + 1, at + 1, []];
    } else if (from < 0 || depth !== 2) {
      if (byte !== COMMA) depth--;
    } else {
      if (++count <= MOST_ITEMS) items.push({ from, to: at });
      from = at + 1;
      if (byte === COMMA) return;
      depth--;
      found.push({ list: { from: begin, to: at }, items });
      from = -1;
    }
  });
  if (found.length !== 1 || depth !== 0 || count > MOST_ITEMS) return null;
  const [{ list }] = found;
  const isEmpty = bytes.toString('utf8', list.from, list.to).trim() === '';
  return { list, items: isEmpty ? [] : found[0].items };
}
