/**
 * What no real Redis can be made to do on request: replies cut at every place, garbage, a server that is silent or hangs up.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ErrorReply } from '../resp/reader.js';
import { connect } from './connection.js';

/** @import { TestContext } from 'node:test' */

/**
 * @param {TestContext} t
 * @param {string[]} chunks sent in answer to the first command
 * @param {{hangUp?: boolean, commands?: number, silenceMs?: number}} [options] commands: how many are sent, each by itself
 * @returns {Promise<{replies: unknown[], over: string}>} replies: or why there was none; over: what a later command gets
 */
async function ask(t, chunks, { hangUp = false, commands = 1, silenceMs = 5000 } = {}) {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('data', async () => {
      for (const chunk of chunks) {
        await new Promise((resolve) => socket.write(chunk, 'latin1', resolve));
        // Lets the chunk arrive by itself.
        await nextTurn();
        await nextTurn();
      }
      if (hangUp) socket.end();
    });
  });
  t.after(() => server.close());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const connection = await connect({ host: '127.0.0.1', port }, undefined, { mostBytes: 10, silenceMs });
  const outcomes = await Promise.allSettled(Array.from({ length: commands }, () => connection.pipeline([['PING']])));
  const later = connection.pipeline([['PING']]);
  connection.close(new Error('the end'));
  return {
    replies: outcomes.map((each) => (each.status === 'fulfilled' ? each.value[0] : each.reason.message)),
    over: await later.catch((error) => error.message),
  };
}

const SENT =
  '*3\r\n$3\r\nabc\r\n$-1\r\n$10\r\n0123456789\r\n-LOADING not yet\r\n*2\r\n$1\r\n0\r\n*2\r\n$12\r\n0123456789AB\r\n$1\r\nx\r\n+OK\r\n';
const REPLIES = [
  [Buffer.from('abc'), null, Buffer.from('0123456789')],
  new ErrorReply('LOADING not yet'),
  // The length of a string that is too long.
  [Buffer.from('0'), [12, Buffer.from('x')]],
  'OK',
];

test('replies cut at every place', async (t) => {
  for (let at = 0; at < SENT.length; at += 1) {
    const { replies } = await ask(t, [SENT.slice(0, at), SENT.slice(at)].filter(Boolean), { commands: 4 });
    assert.deepEqual(replies, REPLIES, `cut at ${at}`);
  }
});

for (const [
  name,
  chunks,
  options,
  expected,
] of /** @type {[string, string[], Parameters<typeof ask>[2], RegExp][]} */ ([
  ['a reply of another protocol', ['%1\r\n'], {}, /starts with byte 0x25/],
  ['a server that hangs up within a reply', ['*2\r\n$1\r\na\r\n'], { hangUp: true }, /:\d+ closed the connection/],
  ['a silent server', ['*2\r\n$1\r\na\r\n'], { silenceMs: 200 }, /:\d+ did not answer for 0\.2 s/],
])) {
  test(`${name} ends the connection, and whoever waits is told why`, async (t) => {
    const { replies, over } = await ask(t, chunks, { commands: 2, ...options });
    for (const text of [...replies, over]) assert.match(String(text), expected);
  });
}

test('a reply that nobody asked for ends the connection', async (t) => {
  const { replies, over } = await ask(t, ['+OK\r\n+OK\r\n']);
  assert.equal(replies[0], 'OK');
  assert.match(over, /sent a reply without a request/);
});
