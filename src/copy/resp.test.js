import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorReply, encodeCommands, ReplyReader } from './resp.js';

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

const SENT = Buffer.concat([
  Buffer.from('+OK\r\n:42\r\n:-7\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n-ERR no such key\r\n$256\r\n'),
  EVERY_BYTE,
  Buffer.from('\r\n*3\r\n$1\r\na\r\n*2\r\n:1\r\n*1\r\n$-1\r\n$4\r\n\r\n\r\n\r\n+last\r\n'),
]);

const REPLIES = [
  'OK',
  42,
  -7,
  null,
  null,
  [],
  Buffer.alloc(0),
  new ErrorReply('ERR no such key'),
  EVERY_BYTE,
  [Buffer.from('a'), [1, [null]], Buffer.from('\r\n\r\n')],
  'last',
];

test('replies are the same however they are cut into pieces', () => {
  for (let piece = 1; piece <= SENT.length; piece++) {
    /** @type {import('./resp.js').Reply[]} */
    const replies = [];
    const reader = new ReplyReader((reply) => replies.push(reply));
    for (let at = 0; at < SENT.length; at += piece) reader.receive(Buffer.from(SENT.subarray(at, at + piece)));
    assert.deepEqual(replies, REPLIES, `pieces of ${piece} bytes`);
  }
});

test('commands hold any bytes, and their lengths', () => {
  const eleven = Array.from({ length: 9 }, () => 'x'.repeat(10));
  const encoded = encodeCommands([['SET', EVERY_BYTE, ''], eleven]);
  const expected = Buffer.concat([
    Buffer.from('*3\r\n$3\r\nSET\r\n$256\r\n'),
    EVERY_BYTE,
    Buffer.from(`\r\n$0\r\n\r\n*9\r\n${'$10\r\nxxxxxxxxxx\r\n'.repeat(9)}`),
  ]);
  assert.deepEqual(encoded, expected);
  assert.deepEqual(encodeCommands([['\u00ff']]), Buffer.from('*1\r\n$1\r\n\u00ff\r\n', 'latin1'));
});

test('what is no RESP is an error', () => {
  for (const text of ['HTTP/1.1 400\r\n', '$x\r\n', ':1x\r\n', `+${'x'.repeat(70_000)}`]) {
    assert.throws(() => new ReplyReader(() => {}).receive(Buffer.from(text)), /the server sent/, text.slice(0, 20));
  }
});
