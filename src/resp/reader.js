/**
 * The RESP2 reader. {@link ReplyScanner} finds one element after the other without making strings or arrays of them; {@link ReplyReader}
 * delivers whole replies.
 */

/** What {@link ReplyScanner.next} found. */
export const Kind = Object.freeze({
  /** More bytes have to arrive. */
  incomplete: 0,
  status: 1,
  error: 2,
  integer: 3,
  bulk: 4,
  /** A bulk string longer than `mostBytes`: its content was dropped. */
  skipped: 5,
  /** The null reply: `$-1` or `*-1`. */
  nothing: 6,
  array: 7,
  /** Not RESP2: the connection cannot be used any more. */
  garbage: 8,
});

/** Redis sends no longer status, error and integer lines. */
const LONGEST_LINE = 64 * 1024;
/** Redis's default `proto-max-bulk-len`. */
export const LONGEST_BULK = 512 * 1024 * 1024;
/** No reply to our commands has more elements. */
const MOST_ELEMENTS = 1 << 24;
/** Nested arrays; Redis's own replies nest far less. */
const MOST_DEPTH = 32;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;
const PLUS = 0x2b;
const COLON = 0x3a;
const DOLLAR = 0x24;
const STAR = 0x2a;
const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
/** Length of the reply `+OK`. */
export const OK_BYTES = 5;
const LINE_END_BYTES = 2;
const NOTHING = Buffer.alloc(0);

/** Scans chunks of any size. `feed` a chunk, then call `next` until it returns `Kind.incomplete`. */
export class ReplyScanner {
  /** Longer bulk strings are skipped; −1 skips all of them. */
  mostBytes = LONGEST_BULK;
  /** Longer bulk strings are garbage, because no command of ours has such a reply. */
  longestBytes = LONGEST_BULK;
  /** Holds the element's content until `next` or `feed` is called again. @type {Buffer} */
  buffer = NOTHING;
  /** Of the content of a line or bulk string. */
  start = 0;
  end = 0;
  /** An integer's value, beyond 2^53 without its last digits; the length of an array or of a skipped bulk string. */
  number = 0;
  /** How many open arrays lack elements, including this one. 0: the element completes a reply. */
  depth = 0;
  /** The problem, after `Kind.garbage`; completes the sentence “the server sent”. */
  problem = '';

  #at = 0;
  #filled = 0;
  /** Outstanding bytes of a skipped bulk string and its line end. */
  #skip = 0;
  /** How many elements each open array lacks, the outermost first. */
  #lacking = new Uint32Array(MOST_DEPTH);
  /** The first pieces of an incomplete element. @type {Buffer[]} */
  #held = [];
  #heldBytes = 0;
  #needed = 0;

  get isHolding() {
    return this.#heldBytes > 0;
  }

  get isEmpty() {
    return this.#at === this.#filled;
  }

  /** @param {number} mostBytes @param {number} longestBytes */
  accept(mostBytes, longestBytes) {
    this.mostBytes = mostBytes;
    this.longestBytes = longestBytes;
  }

  /** @param {Buffer} chunk may be reused once `next` has returned `Kind.incomplete` @param {number} length how far it is filled */
  feed(chunk, length) {
    if (this.#heldBytes === 0) {
      this.buffer = chunk;
      this.#filled = length;
      this.#at = 0;
      return;
    }
    // A long value arrives in many pieces, which are joined once.
    this.#heldBytes += length;
    if (this.#heldBytes < this.#needed) {
      this.#held.push(Buffer.from(chunk.subarray(0, length)));
      return;
    }
    this.buffer = Buffer.concat([...this.#held, chunk.subarray(0, length)], this.#heldBytes);
    this.#filled = this.#heldBytes;
    this.#at = 0;
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** @returns {number} a {@link Kind} */
  next() {
    if (this.#skip > 0) return this.#passSkipped();
    const { buffer } = this;
    const at = this.#at;
    const filled = this.#filled;
    if (at >= filled) return Kind.incomplete;
    const type = buffer[at];
    if (type !== PLUS && type !== MINUS && type !== COLON && type !== DOLLAR && type !== STAR) {
      return this.#refuse(`a reply that starts with byte 0x${type.toString(16)}`);
    }
    let newline = at + 1;
    while (newline < filled && buffer[newline] !== NEWLINE) newline++;
    if (newline - at > LONGEST_LINE) return this.#refuse('a line without an end');
    if (newline === filled) return this.#hold(newline - at + 1);
    if (buffer[newline - 1] !== CARRIAGE_RETURN) return this.#refuse('a line that does not end in CR LF');
    this.start = at + 1;
    this.end = newline - 1;
    const after = newline + 1;
    if (type === PLUS) return this.#taken(Kind.status, after);
    if (type === MINUS) return this.#taken(Kind.error, after);
    const number = integer(buffer, at + 1, newline - 1);
    this.number = number;
    if (type === COLON) {
      return Number.isNaN(number) ? this.#refuse('an invalid integer') : this.#taken(Kind.integer, after);
    }
    if (number === -1) return this.#taken(Kind.nothing, after);
    return type === DOLLAR ? this.#takeBulk(number, after) : this.#takeArray(number, after);
  }

  /**
   * Skips replies `+OK`, the usual reply to a write. Only between whole replies.
   * @param {number} most @returns {number} how many were skipped, at most `most`
   */
  takeOks(most) {
    const count = countOks(this.buffer, this.#at, this.#filled, most);
    this.#at += count * OK_BYTES;
    return count;
  }

  text() {
    return this.buffer.toString('utf8', this.start, this.end);
  }

  /** @param {number} length @param {number} at where the content begins */
  #takeBulk(length, at) {
    if (!(length >= 0 && length <= LONGEST_BULK)) return this.#refuse('a value without a valid length');
    if (length > this.longestBytes) return this.#refuse(`a bulk string of ${length} bytes, which nobody asked for`);
    if (length > this.mostBytes) {
      this.#skip = length + LINE_END_BYTES;
      this.#at = at;
      return this.#passSkipped();
    }
    const { buffer } = this;
    const end = at + length;
    if (end + LINE_END_BYTES > this.#filled) return this.#hold(end + LINE_END_BYTES - this.#at);
    if (buffer[end] !== CARRIAGE_RETURN || buffer[end + 1] !== NEWLINE) {
      return this.#refuse('a value that is not as long as announced');
    }
    this.start = at;
    this.end = end;
    return this.#taken(Kind.bulk, end + LINE_END_BYTES);
  }

  #passSkipped() {
    const passed = Math.min(this.#skip, this.#filled - this.#at);
    this.#at += passed;
    this.#skip -= passed;
    if (this.#skip > 0) return Kind.incomplete;
    return this.buffer[this.#at - 1] === NEWLINE
      ? this.#taken(Kind.skipped, this.#at)
      : this.#refuse('a value that is not as long as announced');
  }

  /** @param {number} length @param {number} after */
  #takeArray(length, after) {
    if (!(length >= 0 && length <= MOST_ELEMENTS)) return this.#refuse('an array without a valid length');
    if (length === 0) return this.#taken(Kind.array, after);
    if (this.depth === MOST_DEPTH) return this.#refuse(`more than ${MOST_DEPTH} arrays within each other`);
    this.#lacking[this.depth++] = length;
    this.#at = after;
    return Kind.array;
  }

  /** @param {number} kind @param {number} after the position after the element */
  #taken(kind, after) {
    this.#at = after;
    while (this.depth > 0 && --this.#lacking[this.depth - 1] === 0) this.depth--;
    return kind;
  }

  /** Keeps the first bytes of an incomplete element. @param {number} needed how many bytes of the element are needed to continue */
  #hold(needed) {
    this.#held = [Buffer.from(this.buffer.subarray(this.#at, this.#filled))];
    this.#heldBytes = this.#filled - this.#at;
    this.#needed = needed;
    this.buffer = NOTHING;
    this.#at = 0;
    this.#filled = 0;
    return Kind.incomplete;
  }

  /** @param {string} problem */
  #refuse(problem) {
    this.problem = problem;
    return Kind.garbage;
  }
}

/**
 * @param {Buffer} buffer @param {number} start @param {number} end how far it is filled @param {number} most
 * @returns {number} how many replies `+OK` follow each other from `start`, at most `most`
 */
export function countOks(buffer, start, end, most) {
  let at = start;
  let count = 0;
  while (
    count < most &&
    end - at >= OK_BYTES &&
    buffer[at] === PLUS &&
    buffer[at + 1] === LETTER_O &&
    buffer[at + 2] === LETTER_K &&
    buffer[at + 3] === CARRIAGE_RETURN &&
    buffer[at + 4] === NEWLINE
  ) {
    at += OK_BYTES;
    count++;
  }
  return count;
}

/** An error reply; its message lacks the leading `-`. */
export class ErrorReply extends Error {}

/**
 * @typedef {null | number | string | Buffer | ErrorReply | Reply[]} Reply bulk strings are buffers, status lines are strings; integers
 *   beyond 2^53 lose their last digits
 */

/** Delivers whole replies. Their bytes are unchanged, because keys and values of a data set may hold any byte. */
export class ReplyReader {
  #onReply;
  #scanner = new ReplyScanner();
  /** Incomplete arrays, the innermost last. @type {Reply[][]} */
  #open = [];

  /** @param {(reply: Reply) => void} onReply @param {number} [mostBytes] longer bulk strings are dropped: their length is delivered */
  constructor(onReply, mostBytes = LONGEST_BULK) {
    this.#onReply = onReply;
    this.#scanner.mostBytes = mostBytes;
  }

  /** @param {Buffer} chunk @param {number} [length] how far it is filled @throws {Error} the chunk is not RESP2 */
  receive(chunk, length = chunk.length) {
    const scanner = this.#scanner;
    scanner.feed(chunk, length);
    for (let kind = scanner.next(); kind !== Kind.incomplete; kind = scanner.next()) {
      if (kind === Kind.garbage) throw new Error(`the server sent ${scanner.problem}`);
      this.#take(elementOf(scanner, kind));
    }
  }

  /** @param {Reply} element */
  #take(element) {
    const open = this.#open;
    const { depth } = this.#scanner;
    open.at(-1)?.push(element);
    if (depth > open.length) {
      open.push(/** @type {Reply[]} */ (element));
      return;
    }
    let whole = element;
    while (open.length > depth) whole = /** @type {Reply[]} */ (open.pop());
    if (depth === 0) this.#onReply(whole);
  }
}

/** @param {ReplyScanner} scanner @param {number} kind @returns {Reply} an array lacks its elements */
function elementOf(scanner, kind) {
  const { buffer, start, end } = scanner;
  switch (kind) {
    case Kind.status:
      return buffer.toString('latin1', start, end);
    case Kind.error:
      return new ErrorReply(scanner.text());
    case Kind.integer:
    case Kind.skipped:
      return scanner.number;
    case Kind.bulk:
      return Buffer.from(buffer.subarray(start, end));
    case Kind.array:
      return [];
    default:
      return null;
  }
}

/**
 * @param {Buffer} buffer @param {number} start of the digits, or of a minus before them @param {number} end of the digits
 * @returns {number} NaN: not an integer of at most 19 digits
 */
function integer(buffer, start, end) {
  const negative = buffer[start] === MINUS;
  const first = negative ? start + 1 : start;
  if (end <= first || end - first > 19) return Number.NaN;
  let number = 0;
  for (let i = first; i < end; i++) {
    const digit = buffer[i] - DIGIT_ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return negative ? -number : number;
}
