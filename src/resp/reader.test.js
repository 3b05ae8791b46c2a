import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kind, ReplyReader, ReplyScanner } from './reader.js';
import { encodeCommand, encodeCommands } from './writer.js';

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

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
  ['an array of more than 2^24 elements', '*16777217\r\n'],
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

test('the length of a skipped value is known, and its end is checked', () => {
  const scanner = new ReplyScanner();
  scanner.mostBytes = 2;
  scanner.feed(Buffer.from('$3\r\nabc\r\n$3\r\nabcdef'), 18);
  assert.deepEqual([scanner.next(), scanner.number], [Kind.skipped, 3]);
  assert.equal(scanner.next(), Kind.garbage);
  assert.equal(scanner.problem, 'a value that is not as long as announced');
});
