import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { packer, unpacker, whyNoZstd } from './zstd.js';

/** @import { Transform } from 'node:stream' */

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

/**
 * @param {Transform} stream
 * @param {Buffer} bytes
 * @returns {Promise<Buffer>} what the stream makes of them, without its end
 */
async function through(stream, bytes) {
  await new Promise((resolve) => stream.write(bytes, resolve));
  /** @type {Buffer[]} */
  const parts = [];
  for (let part = stream.read(); part !== null; part = stream.read()) parts.push(part);
  return Buffer.concat(parts);
}

test('a Node.js without Zstandard is named, with the remedy', () => {
  const why = whyNoZstd();
  if (process.versions.zstd) assert.equal(why, null);
  else assert.match(String(why), /^Node\.js [\d.]+ has no Zstandard\. Use Node\.js 22\.15 or later\.$/);
});

describe('packing with Zstandard', { skip: whyNoZstd() ?? false, timeout: 30_000 }, () => {
  for (const level of [1, 5, 9]) {
    test(`level ${level}: each piece can be unpacked at once`, async () => {
      for (const [pattern, pieces] of Object.entries(DATA)) {
        const [near, far] = [packer(level), unpacker()];
        let packedBytes = 0;
        for (const plain of pieces) {
          const packed = await through(near, plain);
          packedBytes += packed.length;
          assert.ok((await through(far, packed)).equals(plain));
        }
        const ratio = (PIECES * PIECE_BYTES) / packedBytes;
        if (pattern === 'regular') assert.ok(ratio > 8, `ratio ${ratio}`);
        else assert.ok(ratio > 0.99, `ratio ${ratio}`);
      }
    });
  }

  test('earlier data improves the compression', async () => {
    const stream = packer(1);
    const piece = randomBytes(PIECE_BYTES);
    assert.ok((await through(stream, piece)).length > PIECE_BYTES);
    assert.ok((await through(stream, piece)).length < PIECE_BYTES / 10);
  });

  test('packed data may arrive in any pieces', async () => {
    const [near, far] = [packer(5), unpacker()];
    const plain = [Buffer.from('x'), randomBytes(200), regular(1)];
    const packed = [];
    for (const piece of plain) packed.push(await through(near, piece));
    const got = [];
    for (const byte of Buffer.concat(packed)) got.push(await through(far, Buffer.of(byte)));
    assert.deepEqual(Buffer.concat(got), Buffer.concat(plain));
  });

  test('data that is not packed is an error', async () => {
    const stream = unpacker();
    const failed = new Promise((resolve) => stream.once('error', resolve));
    stream.resume().write('*1\r\n$4\r\nPING\r\n');
    assert.ok((await failed) instanceof Error);
  });
});
