import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { connectControl } from './control.js';

/** @import { AddressInfo, Socket } from 'node:net' */

/** @param {string | null} answer to whatever is sent; null: none */
async function startServer(answer) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('data', () => {
      if (answer !== null) socket.write(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    address: { host: '127.0.0.1', port },
    /** @param {string} text to everybody, asked or not */
    say(text) {
      for (const socket of sockets) socket.write(text);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** @param {number} ms for which nothing of this process runs, as when the machine has no time for it */
function standStill(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a process that was stopped itself does not blame the node', async () => {
  const server = await startServer('+PONG\r\n');
  try {
    const connecting = connectControl(server.address, {}, { timeoutMs: 200 });
    standStill(500);
    const control = await connecting;
    const answer = control.call('PING');
    standStill(500);
    assert.equal(await answer, 'PONG');
    control.close();
  } finally {
    server.close();
  }
});

test('a late answer is dropped, an error too', async () => {
  const server = await startServer(null);
  try {
    const control = await connectControl(server.address, {}, { timeoutMs: 200 });
    await assert.rejects(control.call('PING'), /^Error: Command timed out$/);
    const next = control.call('ECHO', 'x');
    // A rejected promise that nobody waits for would fail this test.
    server.say('-ERR too late\r\n$1\r\nx\r\n');
    assert.equal(await next, 'x');
    control.close();
  } finally {
    server.close();
  }
});
