/** Properties of the RESP reader, on generated replies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ErrorReply, Kind, LONGEST_BULK, ReplyReader, ReplyScanner } from './reader.js';

/** @import { Reply } from './reader.js' */

const CASES = { seed: 18, numRuns: 300 };
const MOST_DEPTH = 32;

const line = fc.string({ unit: fc.constantFrom(...'abcXYZ 019+-:$*'), maxLength: 20 });

/** Replies without arrays. */
const flat = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger().map((number) => (number === 0 ? 0 : number)),
  line.map((text) => /** @type {Reply} */ (text)),
  line.map((text) => new ErrorReply(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

/** Replies with arrays in arrays. @type {fc.Arbitrary<Reply>} */
const reply = fc.letrec((tie) => ({
  reply: fc.oneof({ maxDepth: 6 }, flat, fc.array(tie('reply'), { maxLength: 5 })),
})).reply;

/** @param {Reply} value @returns {Buffer} as a server sends it */
function encoded(value) {
  if (value === null) return Buffer.from('$-1\r\n');
  if (typeof value === 'number') return Buffer.from(`:${value}\r\n`);
  if (typeof value === 'string') return Buffer.from(`+${value}\r\n`);
  if (value instanceof ErrorReply) return Buffer.from(`-${value.message}\r\n`);
  if (Buffer.isBuffer(value)) return Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${value.length}\r\n`), ...value.map(encoded)]);
}

/**
 * @param {Buffer} bytes
 * @param {readonly number[]} sizes of the chunks, ≥ 1, used over and over
 * @returns {Reply[]} read from these chunks
 */
function read(bytes, sizes) {
  /** @type {Reply[]} */
  const replies = [];
  const reader = new ReplyReader((each) => replies.push(each));
  // As a socket does it: every chunk comes in the same memory.
  const memory = Buffer.alloc(Math.max(...sizes));
  for (let at = 0, i = 0; at < bytes.length; at += sizes[i % sizes.length], i++) {
    const length = bytes.copy(memory, 0, at, at + sizes[i % sizes.length]);
    reader.receive(memory, length);
  }
  return replies;
}

const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 });

test('any replies in any chunks are read as they were sent', () => {
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 8 }), sizes, (sent, chunks) => {
      assert.deepEqual(read(Buffer.concat(sent.map(encoded)), chunks), sent);
    }),
    CASES,
  );
});

test('without its last byte a reply is not delivered, and the replies before it are', () => {
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 5 }), sizes, (sent, chunks) => {
      const bytes = Buffer.concat(sent.map(encoded));
      assert.deepEqual(read(bytes.subarray(0, -1), chunks), sent.slice(0, -1));
    }),
    CASES,
  );
});

test('arrays within each other are read up to a depth of 32, and refused beyond', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), sizes, (depth, chunks) => {
      const bytes = Buffer.from(`${'*1\r\n'.repeat(depth)}:7\r\n`);
      if (depth > MOST_DEPTH) return assert.throws(() => read(bytes, chunks), /arrays within each other/);
      assert.equal(JSON.stringify(read(bytes, chunks)), `[${'['.repeat(depth)}7${']'.repeat(depth)}]`);
    }),
    CASES,
  );
});

/** Lengths that no reply may have. */
const wrongLength = fc.oneof(
  fc.bigInt({ min: -(10n ** 25n), max: -2n }).map(String),
  fc.bigInt({ min: BigInt(LONGEST_BULK) + 1n, max: 10n ** 25n }).map(String),
  fc.constantFrom('', '-', '--1', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', 'NaN', 'Infinity'),
);

test('a wrong, negative or huge length is refused at once, without memory for it', () => {
  fc.assert(
    fc.property(fc.constantFrom('$', '*'), wrongLength, sizes, (type, length, chunks) => {
      assert.throws(() => read(Buffer.from(`${type}${length}\r\n`), chunks), /without a valid length/);
    }),
    CASES,
  );
});

test('any bytes end in replies or in a refusal, and never in a loop or another error', () => {
  const odd = fc.oneof(
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: fc.constantFrom(...'+-:$*0123456789\r\nOK'), maxLength: 60 }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(odd, sizes, (bytes, chunks) => {
      try {
        read(bytes, chunks);
      } catch (error) {
        assert.match(/** @type {Error} */ (error).message, /^the server sent /);
      }
    }),
    { ...CASES, numRuns: 1000 },
  );
});

test('a refusal does not depend on the chunks', () => {
  const text = fc.string({ unit: fc.constantFrom(...'+-:$*0123\r\n'), maxLength: 40 });
  const outcome = (/** @type {Buffer} */ bytes, /** @type {number[]} */ chunks) => {
    try {
      return JSON.stringify(read(bytes, chunks));
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
  };
  fc.assert(
    fc.property(text, sizes, (each, chunks) => {
      const bytes = Buffer.from(each);
      assert.equal(outcome(bytes, chunks), outcome(bytes, [Math.max(1, bytes.length)]));
    }),
    { ...CASES, numRuns: 1000 },
  );
});

test('skipped values leave the other replies as they are', () => {
  fc.assert(
    fc.property(
      fc.array(reply, { maxLength: 6 }),
      fc.integer({ min: -1, max: 50 }),
      sizes,
      (sent, mostBytes, chunks) => {
        const scanner = new ReplyScanner();
        scanner.mostBytes = mostBytes;
        const bytes = Buffer.concat(sent.map(encoded));
        let whole = 0;
        for (let at = 0, i = 0; at < bytes.length; at += chunks[i % chunks.length], i++) {
          const chunk = Buffer.from(bytes.subarray(at, at + chunks[i % chunks.length]));
          scanner.feed(chunk, chunk.length);
          for (let kind = scanner.next(); kind !== Kind.incomplete; kind = scanner.next()) {
            assert.notEqual(kind, Kind.garbage, scanner.problem);
            if (kind === Kind.bulk) assert.ok(scanner.end - scanner.start <= mostBytes);
            if (kind === Kind.skipped) assert.ok(scanner.number > mostBytes);
            if (scanner.depth === 0) whole++;
          }
        }
        assert.equal(whole, sent.length);
      },
    ),
    CASES,
  );
});
