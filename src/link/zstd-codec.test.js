import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { openCodec } from './zstd-codec.js';

/** As much of a stream as is written at once. */
const PIECE_BYTES = 20_000;
const PIECES = 100;

/** @param {number} index */
function regular(index) {
  let text = '';
  for (let i = 0; text.length < PIECE_BYTES; i += 1) {
    const key = `service:${String((index * 131 + i) % 5000).padStart(4, '0')}:metric:hits:day:20261121`;
    text += `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$7\r\n${1_000_000 + index * i}\r\n`;
  }
  return Buffer.from(text);
}

const DATA = {
  regular: Array.from({ length: PIECES }, (_, i) => regular(i)),
  random: Array.from({ length: PIECES }, () => randomBytes(PIECE_BYTES)),
};

describe('packing with Zstandard', () => {
  for (const level of [1, 5, 9]) {
    test(`level ${level}: each piece is there at once and as it was, in both directions`, async () => {
      const [near, far] = await Promise.all([openCodec(level), openCodec(level)]);
      for (const [pattern, pieces] of Object.entries(DATA)) {
        let packedBytes = 0;
        for (const plain of pieces) {
          const packed = near.pack(plain);
          packedBytes += packed.length;
          assert.ok(Buffer.concat(far.unpack(packed)).equals(plain));
          assert.ok(Buffer.concat(near.unpack(far.pack(plain))).equals(plain));
        }
        const ratio = (PIECES * PIECE_BYTES) / packedBytes;
        if (pattern === 'regular') assert.ok(ratio > 8, `ratio ${ratio}`);
        else assert.ok(ratio > 0.99, `ratio ${ratio}`);
      }
      near.release();
      far.release();
    });
  }

  test('what came before helps', async () => {
    const codec = await openCodec(1);
    const piece = randomBytes(PIECE_BYTES);
    assert.ok(codec.pack(piece).length > PIECE_BYTES);
    assert.ok(codec.pack(piece).length < PIECE_BYTES / 10);
    codec.release();
  });

  test('pieces may come in any parts, and are not given before they are complete', async () => {
    const [near, far] = await Promise.all([openCodec(5), openCodec(5)]);
    const plain = [Buffer.from('x'), randomBytes(200), regular(1)];
    const packed = Buffer.concat(plain.map(near.pack));
    /** @type {Buffer[]} */
    const got = [];
    for (const [at] of packed.entries()) {
      got.push(...far.unpack(packed.subarray(at, at + 1)));
      if (at < packed.length - 1) assert.ok(got.length < plain.length);
    }
    assert.deepEqual(got, plain);
    near.release();
    far.release();
  });

  test('a codec that served another connection begins anew', async () => {
    const first = await openCodec(1);
    const piece = randomBytes(PIECE_BYTES);
    first.pack(piece);
    first.release();
    const [near, far] = await Promise.all([openCodec(1), openCodec(1)]);
    assert.deepEqual(far.unpack(near.pack(piece)), [piece]);
    assert.throws(() => far.unpack(Buffer.from('*1\r\n$4\r\nPING\r\n'.repeat(100_000))), Error);
    near.release();
    far.release();
  });

  test('released twice, a codec still serves one connection at a time', async () => {
    const codec = await openCodec(1);
    codec.release();
    codec.release();
    const [one, other, far] = await Promise.all([openCodec(1), openCodec(1), openCodec(1)]);
    const plain = [randomBytes(PIECE_BYTES), regular(1)];
    const packed = plain.map((piece) => {
      other.pack(randomBytes(PIECE_BYTES));
      return one.pack(piece);
    });
    assert.deepEqual(far.unpack(Buffer.concat(packed)), plain);
    for (const each of [one, other, far]) each.release();
  });
});
