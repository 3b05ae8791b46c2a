import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorReply, Kind, ReplyReader, ReplyScanner } from './reader.js';
import { encodeCommand, encodeCommands } from './writer.js';

/** @import { Reply } from './reader.js' */

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

test('replies are the same in any pieces', () => {
  for (let piece = 1; piece <= SENT.length; piece++) {
    /** @type {Reply[]} */
    const replies = [];
    const reader = new ReplyReader((reply) => replies.push(reply));
    for (let at = 0; at < SENT.length; at += piece) reader.receive(SENT.subarray(at, at + piece));
    assert.deepEqual(replies, REPLIES, `pieces of ${piece} bytes`);
  }
});

test('commands hold any bytes, with their lengths', () => {
  const eleven = Array.from({ length: 9 }, () => 'x'.repeat(10));
  const encoded = encodeCommands([['SET', EVERY_BYTE, ''], eleven], 'latin1');
  const expected = Buffer.concat([
    Buffer.from('*3\r\n$3\r\nSET\r\n$256\r\n'),
    EVERY_BYTE,
    Buffer.from(`\r\n$0\r\n\r\n*9\r\n${'$10\r\nxxxxxxxxxx\r\n'.repeat(9)}`),
  ]);
  assert.deepEqual(encoded, expected);
  assert.deepEqual(encodeCommands([['\u00ff']], 'latin1'), Buffer.from('*1\r\n$1\r\n\u00ff\r\n', 'latin1'));
  assert.equal(encodeCommand(['AUTH', '\u00ff']).toString(), '*2\r\n$4\r\nAUTH\r\n$2\r\n\u00ff\r\n');
});

for (const [what, text] of [
  ['another protocol', 'HTTP/1.1 400\r\n'],
  ['a length with letters', '$x\r\n'],
  ['an empty length', '$\r\n'],
  ['a negative length', '$-2\r\n'],
  ['a bulk string beyond 512 MiB', '$536870913\r\n'],
  ['an array of more than 2^24 elements', '*16777217\r\n'],
  ['more than 32 arrays within each other', '*1\r\n'.repeat(33)],
  ['an integer with letters', ':1x\r\n'],
  ['an integer of 20 digits', ':10000000000000000000\r\n'],
  ['a line without an end', `+${'x'.repeat(70_000)}`],
  ['a line without a carriage return', '+OK\n'],
  ['a value longer than announced', '$1\r\nab\r\n'],
]) {
  test(`${what} is an error`, () => {
    assert.throws(() => new ReplyReader(() => {}).receive(Buffer.from(text)), /the server sent/);
  });
}

test('32 nested arrays are read', () => {
  /** @type {Reply[]} */
  const replies = [];
  new ReplyReader((reply) => replies.push(reply)).receive(Buffer.from(`${'*1\r\n'.repeat(32)}:7\r\n+OK\r\n`));
  assert.equal(replies.length, 2);
  assert.equal(JSON.stringify(replies[0]), `${'['.repeat(32)}7${']'.repeat(32)}`);
});

test('long values are skipped in any pieces, and their ends are checked', () => {
  const sent = Buffer.from('*3\r\n$2\r\nab\r\n$12\r\n0123456789AB\r\n$-1\r\n+PONG\r\n');
  for (let piece = 1; piece <= sent.length; piece++) {
    const scanner = new ReplyScanner();
    scanner.mostBytes = 10;
    const seen = [];
    for (let at = 0; at < sent.length; at += piece) {
      const chunk = Buffer.from(sent.subarray(at, at + piece));
      scanner.feed(chunk, chunk.length);
      for (let kind = scanner.next(); kind !== Kind.incomplete; kind = scanner.next()) {
        seen.push([kind, scanner.depth, kind === Kind.skipped ? scanner.number : null]);
      }
      // The caller reads into the same memory again.
      chunk.fill(0);
    }
    const expected = [
      [Kind.array, 1, null],
      [Kind.bulk, 1, null],
      [Kind.skipped, 1, 12],
      [Kind.nothing, 0, null],
      [Kind.status, 0, null],
    ];
    assert.deepEqual(seen, expected, `pieces of ${piece} bytes`);
  }
  const scanner = new ReplyScanner();
  scanner.mostBytes = -1;
  scanner.feed(Buffer.from('$2\r\nabcdef'), 10);
  assert.equal(scanner.next(), Kind.garbage);
  assert.equal(scanner.problem, 'a value that is not as long as announced');
});
