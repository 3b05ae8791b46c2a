/**
 * Taking one RESP2 reply apart, for everything that is not the common `+OK`.
 */

/**
 * @typedef {Object} Reply
 * @property {'status' | 'error' | 'integer' | 'bulk' | 'null' | 'garbage'} kind
 * @property {string} text without the type byte; for garbage: what is wrong
 * @property {number} end position after the reply
 */

/** More bytes have to arrive before the reply can be read. */
export const REPLY_INCOMPLETE = null;

/** Longer status, error and integer lines are not Redis. */
const LONGEST_LINE = 64 * 1024;
/** Redis's proto-max-bulk-len. */
const LONGEST_BULK = 512 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** @type {Record<string, Reply['kind']>} */
const LINE_KINDS = { '+': 'status', '-': 'error', ':': 'integer' };

/**
 * @param {string} text
 * @returns {Reply}
 */
const garbage = (text) => ({ kind: 'garbage', text, end: 0 });

/**
 * @param {Buffer} buffer
 * @param {number} start where the reply begins
 * @param {number} end how far the buffer is filled
 * @returns {Reply | null} {@link REPLY_INCOMPLETE} when the reply's end is not in the buffer. Arrays are garbage: no
 *   command sent on a load connection is answered with one.
 */
export function readReply(buffer, start, end) {
  const type = String.fromCharCode(buffer[start]);
  const kind = LINE_KINDS[type];
  if (!kind && type !== '$') return garbage(`a reply that starts with byte 0x${buffer[start].toString(16)}`);
  const newline = buffer.subarray(0, end).indexOf(NEWLINE, start + 1);
  if (newline < 0) return end - start > LONGEST_LINE ? garbage('a line without an end') : REPLY_INCOMPLETE;
  if (buffer[newline - 1] !== CARRIAGE_RETURN) return garbage('a line that does not end in CR LF');
  const line = buffer.toString('utf8', start + 1, newline - 1);
  const after = newline + 1;
  if (kind === 'integer' && !/^-?\d{1,19}$/.test(line)) return garbage('an integer that is none');
  if (kind) return { kind, text: line, end: after };

  if (line === '-1') return { kind: 'null', text: '', end: after };
  const length = /^\d{1,9}$/.test(line) ? Number(line) : Number.NaN;
  if (!(length <= LONGEST_BULK)) return garbage('a bulk string of no valid length');
  if (end < after + length + 2) return REPLY_INCOMPLETE;
  if (buffer[after + length] !== CARRIAGE_RETURN || buffer[after + length + 1] !== NEWLINE) {
    return garbage('a bulk string longer than announced');
  }
  return { kind: 'bulk', text: buffer.toString('utf8', after, after + length), end: after + length + 2 };
}
