import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToText, textToBytes } from './packed-text.js';

test('bytes come back as they were, at every length', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (length * 37 + i * i * 101 + (i >> 3)) % 256);
    for (const each of [bytes, bytes.map(() => 255), bytes.map(() => 0)]) {
      assert.deepEqual(textToBytes(bytesToText(each)), each, `${length} bytes`);
    }
  }
});

test('the text is shorter than base64, and has nothing that HTML would read', () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i * i * 31 + i) % 256);
  const text = bytesToText(bytes);
  assert.ok(text.length < 0.93 * Buffer.from(bytes).toString('base64').length, `${text.length} characters`);
  assert.match(text, /^[!-%'-;=-[\]-~]+$/);
});
