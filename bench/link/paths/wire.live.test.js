/** The wire by itself, and how true its speed is and that of the relay between a stack's nodes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { sourceOf, startRelay } from '../../../src/stacks/relay/relay.js';
import { waitFor } from '../../../src/wait.js';
import { needs } from '../../../test/needs.js';
import { startMeter } from './wire.js';

/** @import { AddressInfo, NetConnectOpts, Socket } from 'node:net' */

const HOST = '127.0.0.1';
const DEADLINE_MS = 60_000;
const SLICE_MS = 1000;
const SLICES = 10;
const MEASURED_MS = SLICES * SLICE_MS;

/** Whoever has just started threads is not measured yet. */
const SETTLED_MS = 500;

/** Long enough for what passes at once to have passed. */
const SILENT_MS = 150;

const OFF = 0.03;

const TRIES = 4;

/** @type {Set<Socket>} */
const sockets = new Set();

/** @param {Socket} socket */
function track(socket) {
  sockets.add(socket);
  return socket.on('error', () => {});
}

/** Sends without end. */
const source = createServer((socket) => {
  const block = Buffer.alloc(64 * 1024);
  function send() {
    while (socket.write(block));
  }
  track(socket).on('drain', send);
  send();
});

/** Sends back. */
const echo = createServer((socket) => track(socket).setNoDelay(true).pipe(socket));

/** @type {{close: () => Promise<void>}[]} */
const open = [];

/** @param {import('node:net').Server} server */
function addressOf(server) {
  return { host: HOST, port: /** @type {AddressInfo} */ (server.address()).port };
}

/** @param {import('node:net').Server} to */
async function meterTo(to) {
  const meter = await startMeter(addressOf(to));
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

/**
 * @param {Socket} socket that is sent to without end
 * @returns {Promise<{whole: number, usual: number}>} bytes a second: over the whole time, and the median of its seconds, most of which
 *   are not the ones in which a busy machine did something else
 */
async function speedOf(socket) {
  /** @type {number[]} */
  const slices = Array(SLICES).fill(0);
  let bytes = 0;
  let first = 0;
  let last = 0;
  socket.on('data', (chunk) => {
    const now = performance.now();
    if (first === 0) first = now;
    // The first is there at the beginning of the time.
    if (now - first < SETTLED_MS) return;
    if (last === 0) {
      first = now - SETTLED_MS;
      bytes = 0;
    } else {
      bytes += chunk.length;
      const slice = Math.floor((now - first - SETTLED_MS) / SLICE_MS);
      if (slice < SLICES) slices[slice] += chunk.length;
    }
    last = now;
  });
  await delay(MEASURED_MS + SETTLED_MS);
  socket.destroy();
  return {
    whole: bytes / ((last - first - SETTLED_MS) / 1000),
    usual: median(slices) / (SLICE_MS / 1000),
  };
}

/** @param {() => boolean} holds */
async function arrived(holds) {
  assert.ok(await waitFor(holds, { deadlineMs: DEADLINE_MS, pollMs: 5 }), 'not in time');
}

before(async () => {
  await Promise.all([source, echo].map((server) => once(server.listen(0, HOST), 'listening')));
});
after(async () => {
  for (const socket of sockets) socket.destroy();
  for (const each of open) await each.close();
  source.close();
  echo.close();
});

describe('the wire of a path', { timeout: 300_000 }, () => {
  test('counts all bytes, also of closed connections', async () => {
    const meter = await meterTo(echo);
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
    const meter = await meterTo(echo);
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

const skip = await needs('relay');

test('wire and relay keep a limit within 3% over 10 s', { skip }, async () => {
  const { port } = addressOf(source);
  const relay = await startRelay(['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, port })));
  open.push(relay);
  /** @type {{of: string, limit: number, where: NetConnectOpts}[]} */
  const lines = [];
  const limits = [
    { limit: 1_000_000, from: 'redis-2' },
    { limit: 10_000_000, from: 'redis-3' },
  ];
  for (const { limit, from } of limits) {
    const shape = { latencyMs: 0, bytesPerSecond: limit };
    const meter = await meterTo(source);
    await meter.shape(shape);
    lines.push({ of: 'the wire', limit, where: meter.address });
    await relay.slow(shape, from);
    const where = { host: HOST, port: Number(relay.ports.get('redis-1')), localAddress: sourceOf(from) };
    lines.push({ of: 'the relay', limit, where });
  }
  /** @type {Set<typeof lines[number]>} */
  const kept = new Set();
  /** @type {string[]} */
  const messages = [];
  for (let tries = 0; tries < TRIES && kept.size < lines.length; tries += 1) {
    const speeds = await Promise.all(lines.map(async ({ where }) => speedOf(await dial(where))));
    for (const [i, line] of lines.entries()) {
      const { whole, usual } = speeds[i];
      if (Math.abs(usual / line.limit - 1) <= OFF && whole / line.limit <= 1 + OFF) kept.add(line);
      messages.push(`${line.of} of ${line.limit}: ${Math.round(usual)} bytes a second, ${Math.round(whole)} over all`);
    }
  }
  assert.equal(kept.size, lines.length, messages.join('; '));
});
