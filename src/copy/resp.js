/**
 * Taking RESP2 apart as values whose bytes stay as they are, and putting commands together in the same way: keys and values
 * of a data set may hold any byte.
 */

/** What a server answers with an error; its message is the answer without the leading `-`. */
export class ErrorReply extends Error {}

/**
 * @typedef {Buffer | string} Word of a command; a string stands for the bytes of its characters (latin1)
 * @typedef {null | number | string | Buffer | ErrorReply | Reply[]} Reply bulk strings are buffers, status lines are strings;
 *   integers beyond 2^53 lose their last digits
 */

const CARRIAGE_RETURN = 0x0d;
const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;
const PLUS = 0x2b;
const COLON = 0x3a;
const DOLLAR = 0x24;
const STAR = 0x2a;
const LINE_END_BYTES = 2;
/** Longer lines are not Redis. */
const LONGEST_LINE = 64 * 1024;

/**
 * @param {readonly (readonly Word[])[]} commands
 * @returns {Buffer} all of them, one after the other
 */
export function encodeCommands(commands) {
  let bytes = 0;
  for (const words of commands) {
    bytes += 3 + digits(words.length);
    for (const word of words) bytes += 5 + digits(word.length) + word.length;
  }
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const words of commands) {
    at += buffer.write(`*${words.length}\r\n`, at, 'latin1');
    for (const word of words) {
      if (typeof word === 'string') {
        at += buffer.write(`$${word.length}\r\n${word}\r\n`, at, 'latin1');
      } else {
        at += buffer.write(`$${word.length}\r\n`, at, 'latin1');
        at += word.copy(buffer, at);
        at += buffer.write('\r\n', at, 'latin1');
      }
    }
  }
  return buffer;
}

/** @param {number} number ≥ 0 */
function digits(number) {
  let count = 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) count++;
  return count;
}

/** Takes what arrives, in pieces of any size, and hands on whole replies. */
export class ReplyReader {
  #onReply;
  /** What has arrived of an element whose end has not. @type {Buffer[]} */
  #held = [];
  #heldBytes = 0;
  /** So many bytes are needed to go on. */
  #needed = 0;
  /** Arrays whose end has not arrived, the innermost last. @type {{items: Reply[], left: number}[]} */
  #open = [];

  /** @param {(reply: Reply) => void} onReply */
  constructor(onReply) {
    this.#onReply = onReply;
  }

  /**
   * @param {Buffer} chunk is kept: replies lie in it
   * @throws {Error} it is not RESP2
   */
  receive(chunk) {
    let buffer = chunk;
    if (this.#heldBytes > 0) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      // A long value comes in many pieces: they are put together once.
      if (this.#heldBytes < this.#needed) return;
      buffer = Buffer.concat(this.#held, this.#heldBytes);
      this.#held = [];
      this.#heldBytes = 0;
    }
    const used = this.#takeAll(buffer);
    if (used < buffer.length) {
      this.#held.push(buffer.subarray(used));
      this.#heldBytes = buffer.length - used;
    }
  }

  /**
   * @param {Buffer} buffer
   * @returns {number} how far it was taken
   */
  #takeAll(buffer) {
    const end = buffer.length;
    let at = 0;
    while (at < end) {
      const lineEnd = buffer.indexOf(CARRIAGE_RETURN, at + 1);
      if (lineEnd < 0 || lineEnd + LINE_END_BYTES > end) {
        if (end - at > LONGEST_LINE) throw new Error('the server sent a line without an end');
        this.#needed = end - at + 1;
        return at;
      }
      const type = buffer[at];
      const after = lineEnd + LINE_END_BYTES;
      if (type === DOLLAR) {
        const length = integer(buffer, at + 1, lineEnd);
        if (length < 0) {
          at = after;
          this.#deliver(null);
        } else if (after + length + LINE_END_BYTES > end) {
          this.#needed = after + length + LINE_END_BYTES - at;
          return at;
        } else {
          at = after + length + LINE_END_BYTES;
          this.#deliver(buffer.subarray(after, after + length));
        }
      } else if (type === STAR) {
        const length = integer(buffer, at + 1, lineEnd);
        at = after;
        if (length > 0) this.#open.push({ items: [], left: length });
        else this.#deliver(length === 0 ? [] : null);
      } else {
        const start = at + 1;
        at = after;
        if (type === COLON) this.#deliver(integer(buffer, start, lineEnd));
        else if (type === PLUS) this.#deliver(buffer.toString('latin1', start, lineEnd));
        else if (type === MINUS) this.#deliver(new ErrorReply(buffer.toString('utf8', start, lineEnd)));
        else throw new Error(`the server sent a reply that starts with byte 0x${type.toString(16)}`);
      }
    }
    return at;
  }

  /** @param {Reply} element */
  #deliver(element) {
    let value = element;
    for (let array = this.#open.at(-1); array; array = this.#open.at(-1)) {
      array.items.push(value);
      if (--array.left > 0) return;
      this.#open.pop();
      value = array.items;
    }
    this.#onReply(value);
  }
}

/**
 * @param {Buffer} buffer
 * @param {number} start of the digits
 * @param {number} end of the digits
 * @throws {Error} it is no integer
 */
function integer(buffer, start, end) {
  const negative = buffer[start] === MINUS;
  let number = 0;
  for (let i = negative ? start + 1 : start; i < end; i++) {
    const digit = buffer[i] - DIGIT_ZERO;
    if (!(digit >= 0 && digit <= 9)) throw new Error('the server sent an integer that is none');
    number = number * 10 + digit;
  }
  return negative ? -number : number;
}
