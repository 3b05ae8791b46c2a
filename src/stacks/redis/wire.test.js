/**
 * What no real Redis can be made to do on request: replies cut at every place, garbage, a server that hangs up.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openWire } from './reader.js';

/** @import { TestContext } from 'node:test' */

/**
 * @param {TestContext} t
 * @param {string[]} chunks sent in answer to the first command
 * @param {{hangUp?: boolean, replies?: number}} [options] replies: how many are asked for
 * @returns {Promise<{taken: string[], outcomes: PromiseSettledResult<void>[], over: string}>}
 */
async function ask(t, chunks, { hangUp = false, replies = 1 } = {}) {
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
  const wire = await openWire({ host: '127.0.0.1', port }, { mostBytes: 10, timeoutMs: 5000 });
  /** @type {string[]} */
  const taken = [];
  const sink = {
    bulk: (/** @type {Buffer} */ buffer, /** @type {number} */ at, /** @type {number} */ length) =>
      void taken.push(buffer.toString('latin1', at, at + length)),
    nothing: () => void taken.push('nothing'),
    tooLong: (/** @type {number} */ length) => void taken.push(`too long: ${length}`),
  };
  const command = Buffer.from('*1\r\n$4\r\nPING\r\n');
  const outcomes = await Promise.allSettled(Array.from({ length: replies }, () => wire.send(command, sink)));
  // A request after the end gets the reason of the end.
  const later = wire.send(command);
  wire.close(new Error('the end'));
  const over = await later.catch((error) => error.message);
  return { taken, outcomes, over };
}

/** @param {PromiseSettledResult<void>[]} outcomes */
const resultsOf = (outcomes) => outcomes.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason.message));

const REPLIES =
  '*4\r\n$3\r\nabc\r\n$-1\r\n$0\r\n\r\n$10\r\n0123456789\r\n-LOADING not yet\r\n*2\r\n$1\r\n0\r\n*2\r\n$12\r\n0123456789AB\r\n$1\r\nx\r\n+OK\r\n*0\r\n';
const TAKEN = ['abc', 'nothing', '', '0123456789', '0', 'too long: 12', 'x'];
const RESULTS = ['ok', 'LOADING not yet', 'ok', 'ok'];

test('replies cut at every place', async (t) => {
  for (let at = 0; at < REPLIES.length; at += 1) {
    const { taken, outcomes } = await ask(t, [REPLIES.slice(0, at), REPLIES.slice(at)].filter(Boolean), { replies: 4 });
    assert.deepEqual([taken, resultsOf(outcomes)], [TAKEN, RESULTS], `cut at ${at}`);
  }
  const { taken, outcomes } = await ask(t, [...REPLIES], { replies: 4 });
  assert.deepEqual([taken, resultsOf(outcomes)], [TAKEN, RESULTS], 'byte by byte');
});

test('an empty array is a complete reply', async (t) => {
  const { outcomes } = await ask(t, ['*0\r\n+OK\r\n'], { replies: 2 });
  assert.deepEqual(resultsOf(outcomes), ['ok', 'ok']);
});

for (const [name, chunks, expected] of /** @type {[string, string[], RegExp][]} */ ([
  ['a reply of another protocol', ['%1\r\n'], /starts with byte 0x25/],
  ['an invalid length', ['$1x\r\n'], /a value without a valid length/],
  ['a value longer than announced', ['*1\r\n$2\r\nabcd\r\n'], /not as long as announced/],
  ['a line without an end', ['$', '1'.repeat(600_000)], /a line without an end/],
  ['an error within an array', ['*2\r\n$1\r\na\r\n-ERR no\r\n'], /an error within a reply: ERR no/],
])) {
  test(`${name} ends it`, async (t) => {
    const { outcomes, over } = await ask(t, chunks, { replies: 2 });
    for (const text of [...resultsOf(outcomes), over]) assert.match(text, expected);
  });
}

test('an unexpected reply closes the connection', async (t) => {
  const { outcomes, over } = await ask(t, ['+OK\r\n+OK\r\n']);
  assert.deepEqual([resultsOf(outcomes), over], [['ok'], 'the server sent an unexpected reply']);
});

test('a connection closed inside a reply: every waiting request fails', async (t) => {
  const { outcomes } = await ask(t, ['*2\r\n$1\r\na\r\n'], { hangUp: true, replies: 2 });
  assert.deepEqual(resultsOf(outcomes), Array(2).fill('the connection was closed by the server'));
});
