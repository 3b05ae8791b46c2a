/** The wire by itself. It is shaped by the lines of the relay between a stack's nodes, which has tests of its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../src/wait.js';
import { startMeter } from './wire.js';

/** @import { AddressInfo, NetConnectOpts, Socket } from 'node:net' */

const HOST = '127.0.0.1';
const DEADLINE_MS = 60_000;
/** Long enough for what passes at once to have passed. */
const SILENT_MS = 150;

/** @type {Set<Socket>} */
const sockets = new Set();

/** @param {Socket} socket */
function track(socket) {
  sockets.add(socket);
  return socket.on('error', () => {});
}

/** Sends back. */
const echo = createServer((socket) => track(socket).setNoDelay(true).pipe(socket));

/** @type {{close: () => Promise<void>}[]} */
const open = [];

async function openMeter() {
  const meter = await startMeter({ host: HOST, port: /** @type {AddressInfo} */ (echo.address()).port });
  open.push(meter);
  return meter;
}

/** @param {NetConnectOpts} where */
async function dial(where) {
  const socket = track(connect(where));
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** @param {() => boolean} holds */
async function arrived(holds) {
  assert.ok(await waitFor(holds, { deadlineMs: DEADLINE_MS, pollMs: 5 }), 'not in time');
}

before(async () => {
  await once(echo.listen(0, HOST), 'listening');
});
after(async () => {
  for (const socket of sockets) socket.destroy();
  for (const each of open) await each.close();
  echo.close();
});

describe('the wire of a path', { timeout: 300_000 }, () => {
  test('counts all bytes, also of closed connections', async () => {
    const meter = await openMeter();
    const socket = await dial(meter.address);
    socket.write(Buffer.alloc(1000));
    let came = 0;
    for await (const chunk of socket) {
      came += chunk.length;
      if (came === 1000) break;
    }
    assert.deepEqual(await meter.counts(), { toReplicaBytes: 1000, toPrimaryBytes: 1000 });
    socket.destroy();
    const again = await dial(meter.address);
    again.write('x');
    await once(again, 'data');
    assert.deepEqual(await meter.counts(), { toReplicaBytes: 1001, toPrimaryBytes: 1001 });
  });

  test('in the dark nothing passes and no socket is closed; afterwards everything has come', async () => {
    const meter = await openMeter();
    const socket = await dial(meter.address);
    let came = '';
    socket.on('data', (chunk) => {
      came += chunk;
    });
    socket.write('before,');
    await arrived(() => came === 'before,');
    await meter.dark(true);
    socket.write('in the dark,');
    const gaveUp = await dial(meter.address);
    gaveUp.destroy();
    const late = await dial(meter.address);
    late.write('dialled in the dark');
    let answer = '';
    late.on('data', (chunk) => {
      answer += chunk;
    });
    await delay(3 * SILENT_MS);
    assert.equal(came, 'before,');
    assert.equal(answer, '');
    assert.equal(socket.closed || late.closed, false);
    await meter.dark(false);
    socket.write('after');
    await arrived(() => came === 'before,in the dark,after' && answer === 'dialled in the dark');
    await meter.dark(true);
    await meter.dark(false);
    late.write('!');
    await arrived(() => answer.endsWith('!'));
  });
});
