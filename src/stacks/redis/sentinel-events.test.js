import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { waitFor } from '../../wait.js';
import { subjectOf, watchSentinels } from './sentinel-events.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { NodeInfo } from '../types.js'
 */

/** @type {NodeInfo[]} */
const nodes = [7001, 7002].map((port, index) => ({
  id: `redis-${index + 1}`,
  kind: 'redis',
  address: { host: '127.0.0.1', port: port - 1000 },
  announced: { host: '127.0.0.1', port },
}));

test('an event is about the node whose announced address it names, if any', () => {
  for (const [event, message, about] of [
    ['+sdown', 'master mymaster 127.0.0.1 7001', 'redis-1'],
    ['+slave', 'slave 127.0.0.1:7002 127.0.0.1 7002 @ mymaster 127.0.0.1 7001', 'redis-2'],
    // The new primary.
    ['+switch-master', 'mymaster 127.0.0.1 7001 127.0.0.1 7002', 'redis-2'],
    ['+sdown', 'slave 10.0.0.9:6379 10.0.0.9 6379 @ mymaster 127.0.0.1 7001', '10.0.0.9:6379'],
    ['+new-epoch', '7', ''],
  ])
    assert.equal(subjectOf(event, message, nodes), about, message);
});

/** What a Sentinel answers to PSUBSCRIBE, and a message. */
const SUBSCRIBED = '*3\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n:1\r\n';
const MESSAGE = '*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$5\r\n+tilt\r\n$1\r\n#\r\n';

/**
 * @param {(socket: Socket, connection: number) => void} onSubscribe connection: counted from 1
 */
async function startSentinel(onSubscribe) {
  /** @type {Socket[]} */
  const sockets = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (text) => {
      if (/setname/i.test(String(text))) socket.write('+OK\r\n');
      if (/psubscribe/i.test(String(text))) onSubscribe(socket, connection);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const address = { host: '127.0.0.1', port };
  return {
    stack: { nodes: [{ id: 'sentinel-1', kind: /** @type {const} */ ('sentinel'), address, announced: address }] },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('a Sentinel that starts again is heard again', async () => {
  /** @type {string[]} */
  const heard = [];
  const { stack, close } = await startSentinel((socket, connection) => {
    socket.write(SUBSCRIBED);
    if (connection === 1) socket.end();
    else socket.write(MESSAGE);
  });
  const watch = await watchSentinels({ ...stack, credentials: {} }, ({ event }) => heard.push(event));
  try {
    assert.ok(await waitFor(() => heard.length > 0, { deadlineMs: 5000 }));
    assert.deepEqual(heard, ['+tilt']);
  } finally {
    watch.close();
    close();
  }
});

test('closing while a Sentinel is subscribed again ends nothing else', async () => {
  let again = false;
  const { stack, close } = await startSentinel((socket, connection) => {
    if (connection > 1) {
      // It never answers.
      again = true;
      return;
    }
    socket.write(SUBSCRIBED);
    socket.end();
  });
  /** @type {unknown[]} */
  const unheard = [];
  const onUnheard = (/** @type {unknown} */ error) => unheard.push(error);
  process.on('unhandledRejection', onUnheard);
  const watch = await watchSentinels({ ...stack, credentials: {} }, () => {});
  try {
    assert.ok(await waitFor(() => again, { deadlineMs: 5000 }));
    watch.close();
    close();
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.deepEqual(unheard, []);
  } finally {
    process.off('unhandledRejection', onUnheard);
    watch.close();
    close();
  }
});
