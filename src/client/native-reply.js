/**
 * Taking one RESP2 reply apart, for everything that is not the common `+OK`.
 */

/**
 * @typedef {Object} Reply
 * @property {'status' | 'error' | 'integer' | 'pair' | 'bulk' | 'null' | 'garbage'} kind
 * @property {string} text without the type byte; for garbage: what is wrong
 * @property {number} end position after the reply
 */

/** More bytes have to arrive before the reply can be read. */
export const REPLY_INCOMPLETE = null;

/** Longer status, error and integer lines are not Redis. */
const LONGEST_LINE = 64 * 1024;
/** Redis's proto-max-bulk-len. */
const LONGEST_BULK = 512 * 1024 * 1024;

/** What {@link bulkBytes} returns for a reply that says there is no value. */
export const NO_VALUE = -1;

const PONG = Buffer.from('+PONG\r\n');
export const PONG_LENGTH = PONG.length;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;

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
 * @returns {Reply | null} {@link REPLY_INCOMPLETE} when the reply's end is not in the buffer. An array is only understood
 *   when it holds two integers, as WAITAOF's does; its text is both, with a space between.
 */
export function readReply(buffer, start, end) {
  const type = String.fromCharCode(buffer[start]);
  const kind = LINE_KINDS[type];
  if (type === '*') return readPair(buffer, start, end);
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

/**
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end
 * @returns {Reply | null}
 */
function readPair(buffer, start, end) {
  const match = /^\*2\r\n:(-?\d{1,19})\r\n:(-?\d{1,19})\r\n/.exec(
    buffer.toString('latin1', start, Math.min(end, start + 64)),
  );
  if (match) return { kind: 'pair', text: `${match[1]} ${match[2]}`, end: start + match[0].length };
  return end - start >= 64 ? garbage('an array that is not two integers') : REPLY_INCOMPLETE;
}

/**
 * How many bytes follow the first line of a bulk reply, without making a string of it.
 *
 * @param {Buffer} buffer
 * @param {number} start of the digits
 * @param {number} end of the digits
 * @returns {number} the value's length and its line end; {@link NO_VALUE}; NaN when it is not a length
 */
export function bulkBytes(buffer, start, end) {
  if (end - start === 2 && buffer[start] === MINUS) return NO_VALUE;
  let length = 0;
  for (let i = start; i < end; i++) {
    const digit = buffer[i] - DIGIT_ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    length = length * 10 + digit;
  }
  return end > start && length <= LONGEST_BULK ? length + 2 : Number.NaN;
}

/**
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end how far the buffer is filled
 * @returns {boolean} what begins there is the answer to PING, all of it
 */
export function isPong(buffer, start, end) {
  if (end - start < PONG_LENGTH) return false;
  for (let i = 0; i < PONG_LENGTH; i++) if (buffer[start + i] !== PONG[i]) return false;
  return true;
}
